import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The project's own programs, the Node that everything runs on among them. */
export const programs = join(root, 'node_modules', '.bin');

/** What a run leaves behind inside the checkout; safe to delete at any time. */
export const cache = join(root, '.cache');

/**
 * @param {string} name
 * @returns {string} the log file of that name
 */
export function logFile(name) {
	return join(cache, 'logs', `${name}.log`);
}
