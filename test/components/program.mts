import { execFile } from 'node:child_process';
import { access, constants, glob } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { Failure } from '../machine/failure.mjs';
import { withLock } from '../machine/lock.mjs';
import { cache, logFile } from '../machine/paths.mjs';
import { run } from '../machine/program.mjs';

/** A program that a suite runs for real and that no npm package brings. */
interface RealProgram {
	/** As people call it: Chromium. */
	readonly title: string;
	/** Any of these files is the program. */
	readonly files: readonly string[];
	/** Where it may be besides the folders on the PATH; with * for any part of a name. */
	readonly folders?: readonly string[];
	/** The environment variable with which its file can be named. */
	readonly variable: string;
	/** That has it. */
	readonly debianPackage: string;
}

export const realPrograms = {
	chromium: {
		title: 'Chromium',
		files: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
		variable: 'CHROMIUM',
		debianPackage: 'chromium',
	},
	postgres: {
		title: 'PostgreSQL server',
		files: ['postgres'],
		folders: ['/usr/lib/postgresql/*/bin'],
		variable: 'POSTGRES',
		debianPackage: 'postgresql',
	},
	redis: {
		title: 'Redis server',
		files: ['redis-server'],
		variable: 'REDIS',
		debianPackage: 'redis-server',
	},
} satisfies Record<string, RealProgram>;

/** It is not on this machine and could not be put there: the suite cannot run. */
export class ProgramMissing extends Failure {}

const INSTALL_TIMEOUT_MS = 15 * 60_000;

/**
 * Finds a program: the file that its variable names, or that of this machine. On a machine that runs
 * the tests for everybody (`CI=true`) it is installed from its Debian package where it is missing;
 * nobody's own machine is changed.
 *
 * @returns its file
 * @throws {ProgramMissing} saying what is missing, and what to do
 */
export async function ensureProgram(program: RealProgram): Promise<string> {
	const { title, variable, debianPackage } = program;
	const named = process.env[variable];
	if (named) {
		if (await isProgram(named)) return named;
		throw new ProgramMissing(`${variable} says ${named}, and there is no such program.`);
	}
	const found = await find(program);
	if (found !== undefined) return found;
	if (process.env.CI !== 'true') {
		throw new ProgramMissing(`There is no ${title} on this machine.`, {
			remedy: `Install it (\`apt-get install ${debianPackage}\` on Debian), or name it with ${variable}=<file>.`,
		});
	}
	const log = logFile(`install-${debianPackage}`);
	await install(debianPackage, log).catch((cause: unknown) => {
		throw new ProgramMissing(`${title} could not be installed.`, { log, cause });
	});
	const installed = await find(program);
	if (installed !== undefined) return installed;
	throw new ProgramMissing(`${title} was installed and is not there.`, { log });
}

/** The first number of several parts that the program says of itself, e.g. 15.20. */
export async function versionOf(file: string): Promise<string> {
	const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 30_000 });
	return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
}

async function find({ files, folders = [] }: RealProgram): Promise<string | undefined> {
	const all = [...(process.env.PATH ?? '').split(delimiter), ...folders];
	for await (const file of glob(all.flatMap((folder) => files.map((name) => join(folder, name))))) {
		if (await isProgram(file)) return file;
	}
	return undefined;
}

async function isProgram(file: string): Promise<boolean> {
	return await access(file, constants.X_OK).then(
		() => true,
		() => false,
	);
}

/** One at a time, as apt-get wants it. */
async function install(debianPackage: string, log: string): Promise<void> {
	const lock = join(cache, 'apt-get.lock');
	const install = ['install', '-y', '--no-install-recommends', debianPackage];
	const action = async () => {
		await aptGet(['update'], logFile('apt-get-update'));
		await aptGet(install, log);
	};
	await withLock(lock, action, { timeout: INSTALL_TIMEOUT_MS });
}

async function aptGet(args: string[], log: string): Promise<void> {
	// Runlevel 1 starts no services: a suite starts its own. sudo would drop an environment of ours.
	const settings = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
	const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
	const [program = '', ...rest] = [...sudo, 'env', ...settings, 'apt-get', ...args];
	const code = await run(program, rest, { log, cwd: tmpdir(), timeout: INSTALL_TIMEOUT_MS });
	if (code !== 0) throw new Failure(`\`apt-get ${args[0]}\` ended with code ${code}.`, { log });
}
