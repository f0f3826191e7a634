/** @file The rooms of the code: every import goes one way. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';

import ts from 'typescript';
import { expect, it } from 'vitest';

import { root } from '../machine/paths.mjs';
import { FLOORS, floorOf, placeOf } from '../support/rooms.mts';

/** What the credential type may use: it is loaded without the nodes. */
const ROOMS_OF_CREDENTIALS = ['failures', 'http', 'api'];

/** The TypeScript files of a folder, by their path in the repository. */
function filesIn(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file).replaceAll(sep, '/'));
}

const files = [...filesIn('nodes'), ...filesIn('credentials')];

/** The files of the repository that a file imports, types too. */
function importsOf(file: string): string[] {
	const text = readFileSync(join(root, file), 'utf8');
	return ts
		.preProcessFile(text, true, true)
		.importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
		.map(({ fileName }) => `${normalize(join(file, '..', fileName)).replaceAll(sep, '/')}.ts`);
}

const imports = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

it('the imports are found, each a file of the repository', () => {
	expect(imports.length).toBeGreaterThan(200);
	expect(imports.filter(({ to }) => !files.includes(to))).toEqual([]);
	// Every file of `shared` has a room, and each room has some.
	const shared = files.filter((file) => file.startsWith('nodes/shared/')).map(placeOf);
	expect([...new Set(shared)].toSorted()).toEqual(FLOORS.flat().toSorted());
});

it('no file needs itself over others, types too', () => {
	const needs = new Map(files.map((file) => [file, new Set(importsOf(file))]));
	for (const [between, own] of needs) {
		for (const all of needs.values()) {
			if (all.has(between)) for (const one of own) all.add(one);
		}
	}
	expect(files.filter((file) => needs.get(file)?.has(file))).toEqual([]);
});

it('the imports go down from room to room, and of the credential to what the service needs', () => {
	const mayUse = (from: string, to: string) => {
		if (placeOf(from) === placeOf(to)) return true;
		if (placeOf(from) === 'credentials') return ROOMS_OF_CREDENTIALS.includes(placeOf(to));
		// Out of a room only into one below it; out of a node into any room, not into another node.
		return floorOf(to) >= 0 && (floorOf(from) < 0 || floorOf(to) < floorOf(from));
	};
	const wrong = imports.filter(({ from, to }) => !mayUse(from, to));
	expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});
