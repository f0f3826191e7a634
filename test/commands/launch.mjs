import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../machine/failure.mjs';
import { withLock } from '../machine/lock.mjs';
import { npm } from '../machine/npm.mjs';
import { cache, logFile, programs, root } from '../machine/paths.mjs';
import { environment } from '../machine/program.mjs';
import { INTERRUPTED, runCommand } from './command.mjs';

const OLDEST_NODE = 20;
const INSTALL_TIMEOUT_MS = 20 * 60_000;

/** npm writes this as the last thing of an installation, and removes it as the first thing of the next. */
const installedLock = join(root, 'node_modules', '.package-lock.json');

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
	await runCommand(async (signal) => {
		checkNode();
		const bounds = { timeout: INSTALL_TIMEOUT_MS, signal };
		if (!isInstalled()) await withLock(join(cache, 'install.lock'), () => install(bounds), bounds);
		return await handOver(script, signal);
	});
}

function checkNode() {
	const { node } = process.versions;
	if (Number.parseInt(node, 10) >= OLDEST_NODE) return;
	throw new Failure(`This is Node.js ${node}; the commands need ${OLDEST_NODE} or newer.`, {
		remedy: 'Install a current one (https://nodejs.org, or `nvm install --lts`) and run it again.',
	});
}

/**
 * Installs the development tools as the lockfile has them, unless another command did so meanwhile.
 *
 * @param {import('../machine/program.mjs').Bounds} bounds
 */
async function install(bounds) {
	if (isInstalled()) return;
	console.log('Installing the development tools (npm ci, about a minute)');
	await npm(['ci', '--include=dev'], { ...bounds, log: logFile('npm-ci'), env: process.env });
}

/** Whether node_modules is complete and holds what the lockfile says, whoever installed it. */
function isInstalled() {
	if (!existsSync(installedLock) || !existsSync(join(programs, 'node'))) return false;
	const installed = packagesOf(installedLock);
	return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
		([folder, { version, integrity, optional }]) =>
			folder === '' ||
			(optional && !(folder in installed)) ||
			(installed[folder]?.version === version && installed[folder]?.integrity === integrity),
	);
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>} by their folder
 */
function packagesOf(lockfile) {
	return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
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
