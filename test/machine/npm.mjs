import { readFileSync } from 'node:fs';
import { Failure } from './failure.mjs';
import { environment, run } from './program.mjs';

const UNREACHABLE =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EIDLETIMEOUT/;
const DISK_FULL = /ENOSPC/;
const NO_ACCESS = /EACCES|EPERM|EROFS/;

/** Without a network npm gives up after half a minute with these, after minutes without them. */
const RETRIES = {
	npm_config_fetch_retry_mintimeout: '1000',
	npm_config_fetch_retry_maxtimeout: '5000',
};

/** npm does not end on SIGTERM while it installs. */
const GRACE_MS = 1_000;

/**
 * Runs npm to its end.
 *
 * @param {string[]} args
 * @param {import('./program.mjs').ProgramOptions & import('./program.mjs').Bounds} options
 * @throws {Failure} saying what happened and what to do
 */
export async function npm(args, options) {
	const line = `npm ${args.join(' ')}`;
	const env = { ...RETRIES, ...(options.env ?? environment()) };
	const code = await run('npm', args, { grace: GRACE_MS, ...options, env }).catch((error) => {
		if (error.code !== 'ENOENT') throw error;
		throw new Failure('npm was not found.', {
			remedy: 'It comes with Node.js (https://nodejs.org): see that `npm --version` works here.',
			cause: error,
		});
	});
	if (code === 0) return;
	throw new Failure(`\`${line}\` ended with code ${code}.`, {
		remedy: remedyFor(readFileSync(options.log, 'utf8')),
		log: options.log,
	});
}

/**
 * @param {string} log
 * @returns {string | undefined}
 */
function remedyFor(log) {
	if (UNREACHABLE.test(log)) {
		return 'npm did not reach its package registry. Check the network connection and `npm config get proxy`, then run the command again: it goes on by itself.';
	}
	if (DISK_FULL.test(log)) return 'The disk is full. Make room, then run the command again.';
	if (NO_ACCESS.test(log)) {
		return 'npm may not write here. Check who owns the folder and the npm cache (`npm config get cache`).';
	}
	return undefined;
}
