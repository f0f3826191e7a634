import { describe } from '../machine/failure.mjs';
import { interruption, INTERRUPTED } from './interruption.mjs';

/**
 * Runs a command to its end and sets the exit code.
 *
 * @param action resolves to the exit code; it has cleaned up when it settles
 */
export async function runCommand(action: (signal: AbortSignal) => Promise<number>): Promise<void> {
	const signal = interruption();
	try {
		process.exitCode = await action(signal);
	} catch (error) {
		console.error(`\n${describe(signal.aborted ? signal.reason : error)}`);
		process.exitCode = signal.aborted ? INTERRUPTED : 1;
	}
}
