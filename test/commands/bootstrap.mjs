import { join } from 'node:path';
import { withElapsed } from './elapsed.mjs';
import { isInstalled } from './installation.mjs';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { cache, logFile } from './paths.mjs';

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

/** @param {import('./program.mjs').Bounds} bounds */
async function install(bounds) {
	if (isInstalled()) return;
	await withElapsed('Installing the development tools (npm ci, about a minute)', () =>
		npm(['ci', '--include=dev'], { ...bounds, log: logFile('npm-ci'), env: process.env }),
	);
}
