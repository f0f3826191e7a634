import { join } from 'node:path';
import { withElapsed } from '../machine/elapsed.mjs';
import { isInstalled } from '../machine/installation.mjs';
import { withLock } from '../machine/lock.mjs';
import { npm } from '../machine/npm.mjs';
import { cache, logFile } from '../machine/paths.mjs';

const TIMEOUT_MS = 20 * 60_000;

/**
 * Installs the development tools unless they are there, complete and as the lockfile has them.
 *
 * @param {AbortSignal} signal
 */
export async function ensureInstalled(signal) {
	if (isInstalled()) return;
	const bounds = { timeout: TIMEOUT_MS, signal };
	await withLock(join(cache, 'install.lock'), () => install(bounds), bounds);
}

/** @param {import('../machine/program.mjs').Bounds} bounds */
async function install(bounds) {
	if (isInstalled()) return;
	await withElapsed('Installing the development tools (npm ci, about a minute)', () =>
		npm(['ci', '--include=dev'], { ...bounds, log: logFile('npm-ci'), env: process.env }),
	);
}
