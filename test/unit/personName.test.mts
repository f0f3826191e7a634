/** @file The name to look up, from a name as sheets and exports have it. */

import { expect, it } from 'vitest';

import { toFullName, withoutTitles } from '../../nodes/Finder/personName.ts';

it.each([
	['Ada Lovelace', 'Ada Lovelace'],
	['Lovelace, Ada', 'Ada Lovelace'],
	['LOVELACE, ADA', 'ADA LOVELACE'],
	['García López, Ana', 'Ana García López'],
	['Dr. Ada Lovelace', 'Ada Lovelace'],
	['Prof.Dr. h.c. Ada Lovelace', 'Ada Lovelace'],
	['Dr.-Ing. Ada Lovelace', 'Ada Lovelace'],
	['Frau Ada Lovelace', 'Ada Lovelace'],
	['Ada Lovelace, MBA', 'Ada Lovelace'],
	['Ada Lovelace, PhD, CFA®', 'Ada Lovelace'],
	['LOVELACE, ADA, MBA', 'ADA LOVELACE'],
	['Lovelace, Dr. Ada', 'Ada Lovelace'],
	['Lovelace, Ada, Dr.', 'Ada Lovelace'],
	['Ada Lovelace (she/her)', 'Ada Lovelace'],
	['Augusta (Ada) Lovelace', 'Augusta Lovelace'],
	// Names that begin like titles.
	['Drew Msumba', 'Drew Msumba'],
	['Ing Lee', 'Ing Lee'],
	['Frauke Professor', 'Frauke Professor'],
	['Dr.', 'Dr.'],
	// What nobody can tell apart stays.
	['Ada, Ida, Eve', 'Ada, Ida, Eve'],
	['', ''],
])('of %j the full name is %j', (text, name) => {
	expect(toFullName(text)).toBe(name);
});

it.each([
	['Lovelace, MBA', 'Lovelace'],
	['Dr. Ada', 'Ada'],
	['Ada (Countess)', 'Ada'],
	['Lovelace, Ada', 'Lovelace, Ada'],
	["O'Neil Jr", "O'Neil Jr"],
])('of %j the half of a name is %j', (text, name) => {
	expect(withoutTitles(text)).toBe(name);
});
