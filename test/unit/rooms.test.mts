/** @file The rooms of the code: every import goes one way. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The rooms in `nodes/shared`, from the ground up: each may use those below it. Rooms on one floor do
 * not know of each other.
 */
const FLOORS = [
	['values'],
	['host'],
	['http'],
	['pace', 'credits'],
	['client', 'execution'],
	['output'],
	['reads', 'lookups'],
	['editor'],
];

/** What the credential type may use: it is loaded without the nodes. */
const ROOMS_OF_CREDENTIALS = ['http', 'credits'];

interface Import {
	from: string;
	to: string;
}

/** The TypeScript files of a folder, by their path in the repository. */
function filesIn(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file).replaceAll(sep, '/'));
}

const files = [...filesIn('nodes'), ...filesIn('credentials')];

/** What a file imports, types too. */
function namesIn(file: string): string[] {
	const text = readFileSync(join(ROOT, file), 'utf8');
	return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

const imports: Import[] = files.flatMap((from) =>
	namesIn(from)
		.filter((name) => name.startsWith('.'))
		.map((name) => ({
			from,
			to: `${normalize(join(from, '..', name)).replaceAll(sep, '/')}.ts`,
		})),
);

/** Where a file is: `shared/values`, or the folder of its node (`Finder`), or `credentials`. */
function placeOf(file: string): string {
	const [top, folder, room] = file.split('/');
	if (top === 'credentials') return top;
	return folder === 'shared' ? `shared/${room}` : folder;
}

function floorOf(place: string): number {
	return FLOORS.findIndex((rooms) => rooms.some((room) => place === `shared/${room}`));
}

const between = imports.filter(({ from, to }) => placeOf(from) !== placeOf(to));

describe('the imports', () => {
	it('are found, each a file of the repository', () => {
		expect(imports.length).toBeGreaterThan(200);
		expect(imports.filter(({ to }) => !files.includes(to))).toEqual([]);
		// Every file of `shared` has a room, and each room has some.
		const places = new Set(files.map(placeOf).filter((place) => place.startsWith('shared/')));
		const rooms = FLOORS.flat().map((room) => `shared/${room}`);
		expect([...places].toSorted()).toEqual(rooms.toSorted());
	});

	/** Whether an import goes from a room to one above it or beside it, or out of the rooms. */
	const isUpwards = ({ from, to }: Import) => {
		const [above, below] = [floorOf(placeOf(from)), floorOf(placeOf(to))];
		return above >= 0 && below >= above;
	};

	it.each<[string, (one: Import) => boolean]>([
		['go down from room to room', isUpwards],
		[
			'do not go into a node, nor into the credential',
			({ from, to }) => from.startsWith('nodes/') && floorOf(placeOf(to)) < 0,
		],
		[
			'of the credential go to what the service needs, and no further',
			({ from, to }) =>
				placeOf(from) === 'credentials' &&
				!ROOMS_OF_CREDENTIALS.some((room) => placeOf(to) === `shared/${room}`),
		],
	])('%s', (_, isWrong) => {
		expect(between.filter(isWrong).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
	});
});
