/** Those that run an n8n, one after the other behind the engine tests. */
const hosts = { stage: 3, lane: 1, needsHosts: true, minutes: 60 };

/**
 * The steps of `npm test`. `script` is the one of package.json that a step runs. Steps of a stage run side by side, those
 * of a lane one after the other.
 * @type {Array<Partial<typeof hosts> & Record<'name' | 'title' | 'script', string> & Record<'stage' | 'minutes', number>>}
 */
export const checks = [
	{ name: 'lint', title: 'Lint', script: 'lint', stage: 1, minutes: 10 },
	{ name: 'format', title: 'Format', script: 'format:check', stage: 1, minutes: 10 },
	{ name: 'types', title: 'Types', script: 'types', stage: 1, minutes: 10 },
	{ name: 'build', title: 'Icons and build', script: 'build', stage: 1, minutes: 10 },
	{ name: 'unit', title: 'Unit tests', script: 'test:unit', stage: 2, minutes: 10 },
	{ name: 'engine', title: 'Engine tests', script: 'test:engine', stage: 3, lane: 1, minutes: 20 },
	{ ...hosts, name: 'e2e', title: 'Tests in n8n 1 and n8n 2', script: 'test:e2e' },
	{ ...hosts, name: 'browser', title: "Tests in n8n's editor", script: 'test:browser' },
	{ ...hosts, name: 'example', title: 'Example workflow in n8n', script: 'start' },
	// Much of the time they wait for polls.
	{ ...hosts, name: 'kills', title: 'Kills of n8n', script: 'test:kills', lane: 2 },
];
