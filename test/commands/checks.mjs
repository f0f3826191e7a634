/** Of the steps that run an n8n. The longest follows the engine tests in lane 1: so both lanes end at about the same time. */
const host = { stage: 3, lane: 2, needsHosts: true };

/**
 * The steps of `npm test`. `script` is the one of package.json that a step runs. Steps of a stage run side by side, those
 * of a lane one after the other.
 * @type {Array<Partial<typeof host> & Record<'name' | 'title' | 'script', string> & Record<'stage' | 'minutes', number>>}
 */
export const checks = [
	{ name: 'lint', title: 'Lint', script: 'lint', stage: 1, minutes: 10 },
	{ name: 'format', title: 'Format', script: 'format:check', stage: 1, minutes: 10 },
	{ name: 'types', title: 'Types', script: 'types', stage: 1, minutes: 10 },
	{ name: 'build', title: 'Icons and build', script: 'build', stage: 1, minutes: 10 },
	{ name: 'unit', title: 'Unit tests', script: 'test:unit', stage: 2, minutes: 10 },
	{ name: 'engine', title: 'Engine tests', script: 'test:engine', stage: 3, lane: 1, minutes: 20 },
	{ ...host, lane: 1, name: 'e2e', title: 'Tests in n8n 1 and 2', script: 'test:e2e', minutes: 60 },
	{ ...host, name: 'trigger', title: 'Trigger in n8n', script: 'test:trigger', minutes: 40 },
	{ ...host, name: 'browser', title: "Tests in n8n's editor", script: 'test:browser', minutes: 20 },
	{ ...host, name: 'example', title: 'Example workflow in n8n', script: 'start', minutes: 40 },
];
