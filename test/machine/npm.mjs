import { Failure } from './failure.mjs';
import { environment, run } from './program.mjs';

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
 * @throws {Failure} with npm's log, which says what happened and what to do
 */
export async function npm(args, options) {
	const env = { ...RETRIES, ...(options.env ?? environment()) };
	const code = await run('npm', args, { grace: GRACE_MS, ...options, env });
	if (code === 0) return;
	throw new Failure(`\`npm ${args.join(' ')}\` ended with code ${code}.`, { log: options.log });
}
