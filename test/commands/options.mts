import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { Failure } from '../machine/failure.mjs';

/**
 * Reads a command's options.
 *
 * @param command how it is called, e.g. `npm start`
 */
export function readOptions<Options extends ParseArgsOptionsConfig>(
	command: string,
	options: Options,
) {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		throw new Failure(message, { remedy: `See \`${command} -- --help\`.` });
	}
}
