const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
	console.error(
		`✖ This is Node.js ${process.versions.node}; the project's commands need ${OLDEST} or newer.\n\n` +
			'Install a current one (https://nodejs.org, or `nvm install --lts`) and run the command again.',
	);
	process.exit(1);
}
