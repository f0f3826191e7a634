/** @file The name to look up, from a name as sheets and exports have it. */

import { expect, it } from 'vitest';

import { toFullName, withoutTitles } from '../../nodes/shared/lead/personName.ts';

const ada = `Ada Lovelace / Lovelace, Ada / Dr. Ada Lovelace / Prof.Dr. h.c. Ada Lovelace / Dr.-Ing. Ada Lovelace /
	Ada Lovelace, MBA / Ada Lovelace, PhD, CFA® / Dr. rer. nat. Ada Lovelace / Ada Lovelace, Dipl.-Ing. /
	Dott.ssa Ada Lovelace / Ada Lovelace, M.D. / Ada Lovelace, PharmD / Ada Lovelace Ph.D. / Ada Lovelace PhD MBA, PMP /
	Lovelace, Ada, MD / Lovelace, Dr. Ada / Lovelace, Ada, Dr. rer. nat. / Ada Lovelace | LinkedIn /
	Ada Lovelace (she/her) / ★ Ada 🙋🏽‍♀️ Lovelace ✈️🇩🇪 / Ada Lovelace | CEO, Acme / Ada Lovelace Jr. / Ada Lovelace, III /
	Ada Lovelace, iv / Ada Lovelace, BA / Ada Lovelace, AWS-SAA / Ada Lovelace, NP / Ada Lovelace, M. A. /
	Ada Lovelace • CEO / Ada Lovelace, / Dr.ª Ada Lovelace / Maitre Ada Lovelace`;

it.each([
	...ada.split(/ \/\s+/).map((text) => [text, 'Ada Lovelace']),
	['LOVELACE, ADA', 'ADA LOVELACE'],
	['van der Berg, Jan Willem', 'Jan Willem van der Berg'],
	['Augusta (Ada)Lovelace', 'Augusta Lovelace'],
	// Initials are no titles.
	['Watt, JJ', 'JJ Watt'],
	['M. A. Lovelace', 'M. A. Lovelace'],
	['van Dyck, Antoon', 'Antoon van Dyck'],
	// Names that begin like particles and titles.
	['León García, CFA', 'León García'],
	['Ada MBA', 'Ada MBA'],
	['Dr.', 'Dr.'],
	['Mr Lovelace', 'Mr Lovelace'],
	['Lovelace, MBA', 'Lovelace, MBA'],
	// What nobody can tell apart stays.
	['García López, Ana', 'García López, Ana'],
	['', ''],
])('of %j the full name is %j', (text, name) => {
	expect(toFullName(text)).toBe(name);
});

it.each([
	['Lovelace, MBA', 'Lovelace'],
	['Dr. Ada', 'Ada'],
	['Dr.', 'Dr.'],
	['Ada (Countess)', 'Ada'],
	['Lovelace PhD', 'Lovelace'],
	[', Ada', ', Ada'],
])('of %j the half of a name is %j', (text, name) => {
	expect(withoutTitles(text)).toBe(name);
});
