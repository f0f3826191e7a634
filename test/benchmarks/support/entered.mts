/** @file How much of the package a run goes through: the functions that V8 counts as entered. */

import { Session } from 'node:inspector/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { root } from '../../machine/paths.mjs';
import { FLOORS, placeOf } from '../../support/rooms.mts';

/**
 * How many functions of each file were entered, the files from room to room. What gives the fields of a class their first
 * values is a function to V8.
 */
export type Entered = Map<string, number>;

/** What stands before the accessor that Vite gives to each export: nobody has written that function. */
const BEFORE_ACCESSOR = /__vite_ssr_exportName__\("[^"]*", $/;

/** Does the work, and gives what it entered beside its result. What was loaded or built before does not count. */
export async function enteredBy<Result>(
	work: () => Promise<Result>,
): Promise<{ result: Result; entered: Entered }> {
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
		// Taking the counts sets them back.
		await session.post('Profiler.takePreciseCoverage');
		const result = await work();
		const counted = await session.post('Profiler.takePreciseCoverage');
		// Only now, since a debugger may change what is being counted.
		await session.post('Debugger.enable');
		const places = new Map<string, Set<number>>();
		for (const { scriptId, url, functions } of counted.result) {
			const file = fileOf(url);
			if (!file) continue;
			const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
			const starts = functions
				.flatMap(({ ranges: [whole] }) => (whole.count > 0 ? [whole.startOffset] : []))
				.filter((start) => !BEFORE_ACCESSOR.test(scriptSource.slice(0, start)));
			// A file that was loaded several times is one file.
			const known = places.get(file) ?? [];
			if (starts.length > 0) places.set(file, new Set([...known, ...starts]));
		}
		const files = [...places].map(([file, { size }]) => [file, size] as const);
		return { result, entered: new Map(files.toSorted(([a], [b]) => byRoom(a, b))) };
	} finally {
		session.disconnect();
	}
}

/** The file of the package that a script was made of. */
function fileOf(url: string): string | undefined {
	if (!url.startsWith('file:')) return undefined;
	const file = relative(root, fileURLToPath(url)).replaceAll(sep, '/');
	return /^(?:nodes|credentials)\//.test(file) ? file : undefined;
}

/** The rooms from the ground up, then the credential and the nodes. */
function byRoom(a: string, b: string): number {
	return roomOf(a) - roomOf(b) || a.localeCompare(b);
}

const rooms = FLOORS.flat();

function roomOf(file: string): number {
	const room = rooms.indexOf(placeOf(file));
	return room < 0 ? rooms.length : room;
}
