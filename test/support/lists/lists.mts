/**
 * @file The lists by which the reading of leads is judged: headers of real exports, import templates, forms and APIs
 * (`headers.json`), and lists of many kinds (`headerSets.json`), with invented values.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { find } from '../../../nodes/Finder/operations/find.operation.ts';
import { toPersonQuestion } from '../../../nodes/Finder/person.ts';
import { FieldValues } from '../../../nodes/shared/input/fieldValues.ts';
import { LeadParameters } from '../../../nodes/shared/input/leadParameters.ts';
import type { Meaning } from '../../../nodes/shared/lead/columnNames.ts';
import { toEmail } from '../../../nodes/shared/values/email.ts';
import { root } from '../../machine/paths.mjs';

type Row = Record<string, unknown>;

/** What is read of a lead, by what it means. */
export type Values = Partial<Record<Meaning, string>>;

/** The headers of an export, and what is to be read of it. */
export interface Export {
	name: string;
	source: string;
	language: string;
	row: Row;
	expected: Values;
	/** Why something that a reader of the row would know stays empty. */
	left?: string;
	/** Why something else is read than is expected. */
	misread?: string;
}

/** A list, and what is read of each row: the name, the company and the email; a hyphen for none. */
export interface HeaderSet {
	name: string;
	rows: Array<{ row: Row; reads: string }>;
}

async function listsIn(file: string) {
	return JSON.parse(await readFile(join(root, 'test', 'unit', file), 'utf8'));
}

export const headers: Export[] = await listsIn('headers.json');
export const headerSets: HeaderSet[] = await listsIn('headerSets.json');

/** Whom the finder asks for in each row of a run, where, and which email the row has already; or why it refuses. */
export function readsOf(rows: Row[]): string[] {
	const inputs = rows.map((row) => ({ json: JSON.parse(JSON.stringify(row)) }));
	const parameter = (_: string, __: number, fallback: unknown) => fallback;
	const parameters = new LeadParameters(
		{ json: (item) => inputs[item].json, inputs, parameter },
		find,
	);
	return rows.map((_, item) => {
		const values = new FieldValues(parameters, item);
		if (values.failure) return `refused: ${String(values.failure)}`;
		const { fullName, firstName, lastName, domain, company } = toPersonQuestion(values).query;
		const name = fullName ?? (firstName && `${firstName} ${lastName}`);
		const email = toEmail(parameters.get('existingEmail', item, ''));
		return [name, domain ?? company, email].map((text) => text || '-').join('|');
	});
}
