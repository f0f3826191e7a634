/** @file What another process has taken from the machine, as Linux counts it. */

import { readFile, writeFile } from 'node:fs/promises';

/** How many of the kernel's ticks make a second; the same on all common machines. */
const TICKS_PER_SECOND = 100;

export interface ProcessFigures {
	/** What its processors worked for it so far, in milliseconds. */
	processor: number;
	/** The most memory that it held at once, in MB. */
	peak: number;
	/** The memory that it holds now, in MB. */
	held: number;
}

/** Lets the most memory that a process held at once start from what it holds now. */
export async function forgetPeak(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, '5');
}

export async function processFigures(pid: number): Promise<ProcessFigures> {
	const [status, stat] = await Promise.all([
		readFile(`/proc/${pid}/status`, 'utf8'),
		readFile(`/proc/${pid}/stat`, 'utf8'),
	]);
	const megabytes = (name: string) =>
		Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
	// The name of the program comes second, in brackets, and may hold blanks.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user, system] = [Number(fields[11]), Number(fields[12])];
	return {
		processor: ((user + system) / TICKS_PER_SECOND) * 1_000,
		peak: megabytes('VmHWM'),
		held: megabytes('VmRSS'),
	};
}
