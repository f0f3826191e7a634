import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './bootstrap.mjs';
import { describe } from '../machine/failure.mjs';
import { interruption, INTERRUPTED } from './interruption.mjs';
import { programs } from '../machine/paths.mjs';
import { environment } from '../machine/program.mjs';

/**
 * Installs what is missing, then hands over to the command itself, which runs on the project's own Node.
 *
 * @param {string} script the command's file name in this folder
 * @param {string} help printed for `--help`, which needs no installation
 */
export async function launch(script, help) {
	if (process.argv.includes('--help')) {
		console.log(help);
		return;
	}
	const signal = interruption();
	try {
		await ensureInstalled(signal);
		process.exitCode = await handOver(script, signal);
	} catch (error) {
		console.error(`\n${describe(error)}`);
		process.exitCode = signal.aborted ? INTERRUPTED : 1;
	}
}

/**
 * @param {string} script
 * @param {AbortSignal} signal
 * @returns {Promise<number>} its exit code
 */
function handOver(script, signal) {
	const file = fileURLToPath(new URL(script, import.meta.url));
	const args = [file, ...process.argv.slice(2)];
	const child = spawn(join(programs, 'node'), args, { stdio: 'inherit', env: environment() });
	signal.addEventListener('abort', () => child.kill());
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code ?? INTERRUPTED));
	});
}
