const TERMINAL_MS = 1_000;
const LOG_MS = 30_000;

/**
 * Shows that a long step is alive before there are libraries for it: one line with the seconds
 * counting up on a terminal, a line now and then elsewhere.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function withElapsed(title, step) {
	const { isTTY } = process.stdout;
	const started = Date.now();
	const show = () => {
		const line = `  ${title} … ${Math.round((Date.now() - started) / 1000)} s`;
		process.stdout.write(isTTY ? `\r${line}` : `${line}\n`);
	};
	show();
	const timer = setInterval(show, isTTY ? TERMINAL_MS : LOG_MS);
	try {
		return await step();
	} finally {
		clearInterval(timer);
		show();
		if (isTTY) process.stdout.write('\n');
	}
}
