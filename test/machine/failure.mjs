import { readFileSync } from 'node:fs';

const LINES_SHOWN = 25;

/** Something that a person at the terminal can act on: shown with its remedy and without a stack trace. */
export class Failure extends Error {
	/**
	 * @param {string} message what happened
	 * @param {{ remedy?: string, log?: string, cause?: unknown }} [details] what to do about it, and the log file that says more
	 */
	constructor(message, { remedy, log, cause } = {}) {
		super(message, { cause });
		this.remedy = remedy;
		this.log = log;
	}
}

/**
 * @param {unknown} error
 * @returns {string} the text to print for it
 */
export function describe(error) {
	if (!(error instanceof Failure)) {
		return error instanceof Error ? (error.stack ?? error.message) : String(error);
	}
	const paragraphs = [`✖ ${error.message}`];
	if (error.remedy) paragraphs.push(error.remedy);
	if (error.log) paragraphs.push(`${lastLines(error.log)}\n\nThe whole log: ${error.log}`);
	return paragraphs.join('\n\n');
}

/**
 * @param {string} file
 * @returns {string} the end of a log file, indented
 */
function lastLines(file) {
	const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
	return lines
		.slice(-LINES_SHOWN)
		.map((line) => `    ${line}`)
		.join('\n');
}
