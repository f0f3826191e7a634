/**
 * @file Lists of many kinds (CRMs, event tools, forms, suppliers, associations, in seven languages), each a run: whom the
 * finder asks for, where, and which email a row has already. The values are made up.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { find } from '../../nodes/Finder/operations/find.operation.ts';
import { toPersonQuestion } from '../../nodes/Finder/person.ts';
import { FieldValues } from '../../nodes/shared/input/fieldValues.ts';
import { Parameters } from '../../nodes/shared/input/parameters.ts';
import { toEmail } from '../../nodes/shared/values/email.ts';
import { root } from '../machine/paths.mjs';

/** A list, and what is read of each row: the name, the company and the email; a hyphen for none. */
interface HeaderSet {
	name: string;
	rows: Array<{ row: Record<string, unknown>; reads: string }>;
}

const sets: HeaderSet[] = JSON.parse(
	await readFile(join(root, 'test', 'unit', 'headerSets.json'), 'utf8'),
);

it.each(sets)('$name', ({ rows }) => {
	const inputs = rows.map(({ row }) => ({ json: JSON.parse(JSON.stringify(row)) }));
	const parameter = (_: string, __: number, fallback: unknown) => fallback;
	const parameters = new Parameters({ json: (item) => inputs[item].json, inputs, parameter }, find);
	const read = rows.map((_, item) => {
		const { query } = toPersonQuestion(new FieldValues(parameters, item));
		const { fullName, firstName, lastName, domain, company } = query;
		const name = fullName ?? (firstName && `${firstName} ${lastName}`);
		const email = toEmail(parameters.get('existingEmail', item, ''));
		return [name, domain ?? company, email].map((text) => text || '-').join('|');
	});
	expect(read).toEqual(rows.map(({ reads }) => reads));
});
