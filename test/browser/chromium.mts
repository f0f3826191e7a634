import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { chromium, type Browser } from 'playwright-core';

import { Failure } from '../commands/failure.mjs';
import { withLock } from '../commands/lock.mjs';
import { cache, logFile } from '../commands/paths.mjs';
import { environment, run } from '../commands/program.mjs';

/** Chromium is not on this machine and could not be put there. */
export class ChromiumMissing extends Failure {}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const DEBIAN_PACKAGE = 'chromium';

const INSTALL_TIMEOUT_MS = 10 * 60_000;
const START_TIMEOUT_MS = 120_000;

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
 * Starts Chromium without a window and with a profile of its own: the one that the variable CHROMIUM
 * names, or that of this machine, or that of Debian's package, which is installed if we are root.
 *
 * @throws {ChromiumMissing} saying what is missing
 */
export async function openChromium(): Promise<Browser> {
	const executablePath = findChromium() ?? (await installChromium());
	return await chromium.launch({
		executablePath,
		headless: true,
		args: FLAGS,
		timeout: START_TIMEOUT_MS,
	});
}

function findChromium(): string | undefined {
	const { CHROMIUM } = process.env;
	if (!CHROMIUM) return NAMES.map(onPath).find((file) => file !== undefined);
	if (existsSync(CHROMIUM)) return CHROMIUM;
	throw new ChromiumMissing(`CHROMIUM says ${CHROMIUM}, and there is no such file.`);
}

function onPath(program: string): string | undefined {
	const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
	return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

async function installChromium(): Promise<string> {
	if (process.getuid?.() !== 0 || onPath('apt-get') === undefined) {
		throw new ChromiumMissing('There is no Chromium on this machine.', {
			remedy: `Install it (\`apt-get install ${DEBIAN_PACKAGE}\` on Debian), or name it with CHROMIUM=<file>.`,
		});
	}
	const log = logFile(`install-${DEBIAN_PACKAGE}`);
	const install = ['install', '-y', '--no-install-recommends', DEBIAN_PACKAGE];
	try {
		await withLock(
			join(cache, 'apt-get.lock'),
			async () => {
				await aptGet(['update'], logFile('apt-get-update'));
				await aptGet(install, log);
			},
			{ timeout: INSTALL_TIMEOUT_MS },
		);
	} catch (cause) {
		throw new ChromiumMissing('Chromium could not be installed.', { cause });
	}
	const found = findChromium();
	if (found === undefined) {
		throw new ChromiumMissing('Chromium was installed and is not there.', { log });
	}
	return found;
}

async function aptGet(args: string[], log: string): Promise<void> {
	const env = environment({ DEBIAN_FRONTEND: 'noninteractive' });
	const code = await run('apt-get', args, { log, env, cwd: tmpdir(), timeout: INSTALL_TIMEOUT_MS });
	if (code !== 0) throw new Failure(`\`apt-get ${args[0]}\` ended with code ${code}.`, { log });
}
