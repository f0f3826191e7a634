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

/** It is not on this machine: the suite cannot run. */
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
	let file = await find(program);
	if (file === undefined && process.env.CI === 'true') {
		await install(debianPackage);
		file = await find(program);
	}
	if (file !== undefined) return file;
	throw new ProgramMissing(`There is no ${process.env[variable] || title} on this machine.`, {
		remedy: `Install it (\`apt-get install ${debianPackage}\` on Debian), or name it with ${variable}=<file>.`,
	});
}

/** The first number of several parts that the program says of itself, e.g. 15.20. */
export async function versionOf(file: string): Promise<string> {
	const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 30_000 });
	return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
}

async function find({ files, folders = [], variable }: RealProgram): Promise<string | undefined> {
	const all = [...(process.env.PATH ?? '').split(delimiter), ...folders];
	const named = process.env[variable];
	const places = named ? [named] : all.flatMap((folder) => files.map((name) => join(folder, name)));
	for await (const file of glob(places)) {
		const isExecutable = access(file, constants.X_OK).then(() => true);
		if (await isExecutable.catch(() => false)) return file;
	}
	return undefined;
}

/** One at a time, as apt-get wants it. */
async function install(debianPackage: string): Promise<void> {
	const log = logFile(`install-${debianPackage}`);
	// Runlevel 1 starts no services: a suite starts its own. sudo would drop an environment of ours.
	const script =
		'export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1; apt-get update && ' +
		`apt-get install -y --no-install-recommends ${debianPackage}`;
	const [program, ...args] = [
		...(process.getuid?.() === 0 ? [] : ['sudo', '-n']),
		'sh',
		'-c',
		script,
	];
	const bounds = { timeout: INSTALL_TIMEOUT_MS };
	await withLock(
		join(cache, 'apt-get.lock'),
		async () => {
			const code = await run(program, args, { log, cwd: tmpdir(), ...bounds });
			if (code !== 0) throw new Failure(`\`apt-get\` ended with code ${code}.`, { log });
		},
		bounds,
	);
}
