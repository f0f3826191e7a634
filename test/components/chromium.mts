import { chromium, type Browser } from 'playwright-core';

import { HANG_MS } from '../machine/hang.mts';
import { ensureProgram, realPrograms } from './program.mts';

const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
	'--no-proxy-server',
	// Neither a page nor the browser itself reaches another machine.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * Starts Chromium without a window and with a profile of its own.
 *
 * @throws {ProgramMissing}
 */
export async function openChromium(): Promise<Browser> {
	return await chromium.launch({
		executablePath: await ensureProgram(realPrograms.chromium),
		headless: true,
		args: FLAGS,
		timeout: HANG_MS,
	});
}
