/** Of the steps that run an n8n. */
const host = { stage: 2, lane: 2, needsHosts: true };

/**
 * The steps of `npm test`. `script` is the one of package.json that a step runs. Steps of a stage run side by side, those
 * of a lane one after the other: both lanes end at about the same time.
 * @type {Array<Partial<typeof host> & Record<'name' | 'title' | 'script', string> & { stage: number }>}
 */
export const checks = [
	{ name: 'lint', title: 'Lint', script: 'lint', stage: 1 },
	{ name: 'format', title: 'Format', script: 'format:check', stage: 1 },
	{ name: 'types', title: 'Types', script: 'types', stage: 1 },
	{ name: 'build', title: 'Icons and build', script: 'build', stage: 1 },
	{ name: 'unit', title: 'Unit tests', script: 'test:unit', stage: 2, lane: 1 },
	{ name: 'engine', title: 'Engine tests', script: 'test:engine', stage: 2, lane: 1 },
	{ name: 'scan', title: "n8n's package scanner", script: 'test:scan', stage: 2, lane: 1 },
	{ ...host, name: 'trigger', title: 'Trigger in n8n', script: 'test:trigger' },
	{ ...host, name: 'e2e', title: 'Tests in n8n 1 and 2', script: 'test:e2e' },
	{ ...host, name: 'browser', title: "Tests in n8n's editor", script: 'test:browser', lane: 1 },
	{ ...host, name: 'example', title: 'Example workflow in n8n', script: 'start', lane: 1 },
];
