/** @file The rooms of the code: every import goes one way, and none goes round in a circle. */

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

const shown = (wrong: Import[]) => wrong.map(({ from, to }) => `${from} -> ${to}`);

describe('the imports', () => {
	it('are found, each a file of the repository', () => {
		expect(imports.length).toBeGreaterThan(200);
		expect(imports.filter(({ to }) => !files.includes(to))).toEqual([]);
		// Each of the rooms is used by another one, so that the rules below have something to hold.
		const used = new Set(between.map(({ to }) => placeOf(to)));
		expect(FLOORS.flat().filter((room) => !used.has(`shared/${room}`))).toEqual([]);
	});

	it('leave no file without a room', () => {
		const places = new Set(files.map(placeOf).filter((place) => place.startsWith('shared/')));
		expect([...places].toSorted()).toEqual(
			FLOORS.flat()
				.map((room) => `shared/${room}`)
				.toSorted(),
		);
	});

	it('go down from room to room', () => {
		const upwards = between.filter(({ from, to }) => {
			const [above, below] = [floorOf(placeOf(from)), floorOf(placeOf(to))];
			return above >= 0 && below >= 0 && below >= above;
		});
		expect(shown(upwards)).toEqual([]);
	});

	it('do not go from what is shared into a node, nor into the credential', () => {
		const out = between.filter(
			({ from, to }) => floorOf(placeOf(from)) >= 0 && floorOf(placeOf(to)) < 0,
		);
		expect(shown(out)).toEqual([]);
	});

	it('do not go from one node into another, nor into the credential', () => {
		const across = between.filter(
			({ from, to }) => from.startsWith('nodes/') && floorOf(placeOf(to)) < 0,
		);
		expect(shown(across)).toEqual([]);
	});

	it('of the credential go to what the service needs, and no further', () => {
		const beyond = between.filter(
			({ from, to }) =>
				placeOf(from) === 'credentials' &&
				!ROOMS_OF_CREDENTIALS.some((room) => placeOf(to) === `shared/${room}`),
		);
		expect(shown(beyond)).toEqual([]);
	});

	it('never lead back to the file where they begin', () => {
		const next = new Map(
			files.map((file) => [file, imports.flatMap(({ from, to }) => (from === file ? [to] : []))]),
		);
		const done = new Set<string>();
		const circles: string[] = [];
		const visit = (file: string, path: string[]): void => {
			if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
			if (done.has(file) || path.includes(file)) return;
			for (const to of next.get(file) ?? []) visit(to, [...path, file]);
			done.add(file);
		};
		for (const file of files) visit(file, []);
		expect(circles).toEqual([]);
	});

	it('of packages are n8n-workflow alone, and crypto; values need none but its types', () => {
		const packages = files.flatMap((file) =>
			namesIn(file).flatMap((name) => (name.startsWith('.') ? [] : [name])),
		);
		expect([...new Set(packages)].toSorted()).toEqual(['crypto', 'n8n-workflow']);
		const code = files
			.filter((file) => placeOf(file) === 'shared/values')
			.map((file) => {
				const text = readFileSync(join(ROOT, file), 'utf8');
				return ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
			});
		expect(code.filter(({ outputText }) => outputText.includes('n8n-workflow'))).toEqual([]);
	});
});
