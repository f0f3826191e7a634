import { fileURLToPath } from 'node:url';

/**
 * One step of `npm test`.
 *
 * @typedef {object} Check
 * @property {string} name for `--only`
 * @property {string} title
 * @property {readonly [program: string, ...args: string[]]} command
 * @property {boolean} [hasTests] whether vitest runs it and can count its tests
 * @property {number} minutes
 */

const startCommand = fileURLToPath(new URL('start.mjs', import.meta.url));

/** @type {readonly Check[]} in the order in which they run */
export const checks = [
	{ name: 'lint', title: 'Lint', command: ['npm', 'run', 'lint'], minutes: 5 },
	{ name: 'format', title: 'Format', command: ['npm', 'run', 'format:check'], minutes: 5 },
	{ name: 'types', title: 'Types', command: ['npm', 'run', 'types'], minutes: 5 },
	{ name: 'build', title: 'Icons and build', command: ['npm', 'run', 'build'], minutes: 5 },
	{
		name: 'unit',
		title: 'Unit tests',
		command: ['npm', 'run', 'test:unit', '--'],
		hasTests: true,
		minutes: 10,
	},
	{
		name: 'engine',
		title: 'Engine tests',
		command: ['npm', 'run', 'test:engine', '--'],
		hasTests: true,
		minutes: 20,
	},
	{
		name: 'e2e',
		title: 'Tests in n8n 1 and n8n 2',
		command: ['npm', 'run', 'test:e2e', '--'],
		hasTests: true,
		minutes: 60,
	},
	{
		name: 'browser',
		title: "Tests in n8n's editor",
		command: ['npm', 'run', 'test:browser', '--'],
		hasTests: true,
		minutes: 20,
	},
	{
		name: 'example',
		title: 'Example workflow in n8n',
		command: ['node', startCommand, '--once'],
		minutes: 40,
	},
];
