import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs, root } from './paths.mjs';

const wanted = join(root, 'package-lock.json');

/** npm writes this as the last thing of an installation, and removes it as the first thing of the next. */
const present = join(root, 'node_modules', '.package-lock.json');

/** Whether node_modules is complete and holds what the lockfile says, whoever installed it. */
export function isInstalled() {
	if (!existsSync(present) || !existsSync(join(programs, 'node'))) return false;
	const installed = packagesOf(present);
	return Object.entries(packagesOf(wanted)).every(
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
