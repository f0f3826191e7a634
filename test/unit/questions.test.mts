/** @file What becomes of an item before anything is sent: known, skipped, incomplete, malformed, or asked. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { findBulk } from '../../nodes/Finder/operations/findBulk.operation.ts';
import { personLookup } from '../../nodes/Finder/person.ts';
import { verify } from '../../nodes/Verifier/operations/verify.operation.ts';
import { emailLookup } from '../../nodes/Verifier/verification.ts';
import { ItemReader, type Preparation } from '../../nodes/shared/input/item.ts';
import { lookupOptionsOf } from '../../nodes/shared/input/options.ts';
import { Parameters } from '../../nodes/shared/input/parameters.ts';

const FAILS = '={{ fails }}';

/** The parameters of a node; an expression that fails is one that `fails`. */
function parametersOf(operation: typeof findBulk, saved: Record<string, unknown>): Parameters {
	const parameter: ConstructorParameters<typeof Parameters>[0]['parameter'] = (
		name,
		_,
		fallback,
		options,
	) => {
		const value = Object.hasOwn(saved, name) ? saved[name] : fallback;
		if (value === FAILS && !options?.rawExpressions) throw new Error('It fails');
		return value;
	};
	return new Parameters({ json: () => ({}), parameter }, operation);
}

function read<Query extends IDataObject>(
	operation: typeof findBulk,
	lookup: Preparation<Query>,
	saved: Record<string, unknown>,
) {
	const parameters = parametersOf(operation, saved);
	const { retryUnknown } = lookupOptionsOf(parameters);
	return new ItemReader(lookup, parameters, retryUnknown).read(0);
}

const finder = (saved: Record<string, unknown>) =>
	read(findBulk, { ...findBulk, ...personLookup }, saved);

const verifier = (saved: Record<string, unknown>) =>
	read(verify, { ...verify, ...emailLookup }, saved);

const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60_000).toISOString();

const refused = (reason: string, label: string) => ({
	status: 'invalid_input',
	reason,
	message: expect.stringContaining(label),
});

const person = { fullName: 'Ada Lovelace', domain: 'acme.com' };
const invalid = (label: string) => refused('invalid_value', label);
const withEmail = { ...person, existingEmail: ' ada@acme.com ' };
const ada = { status: 'known', fields: { email: 'ada@acme.com' } };
const skipped = { status: 'skipped', fields: {} };
const failing = 'failing_expression';

const checkedAt = (value: string) => ({ 'options.checkedAt': value });

describe('an item of the finder', () => {
	it.each<[string, Record<string, unknown>, object | undefined]>([
		['without an email', { existingEmail: 'not found' }, undefined],
		['with an email and no name', { ...withEmail, fullName: '' }, ada],
		['with an email and a name that fails', { ...withEmail, fullName: FAILS }, ada],
		['checked too long ago', { ...withEmail, ...checkedAt('2020-01-01') }, undefined],
		['without a name', { fullName: '' }, refused('missing_name', 'Full Name')],
		['with a list for an email', { existingEmail: ['a@b.c'] }, invalid('Existing Email')],
		['whose email fails', { existingEmail: FAILS }, refused(failing, 'Existing Email')],
		['whose switch fails', { includeInputFields: FAILS }, refused(failing, 'Include Input Fields')],
		['whose date fails', { ...withEmail, ...checkedAt(FAILS) }, refused(failing, 'Checked At')],
		// Where it brings nothing along, its age does not matter.
		['without an email, whose date fails', checkedAt(FAILS), undefined],
	])('%s', (_, saved, outcome) => {
		const item = finder({ ...person, ...saved });
		if (outcome) expect(item.outcome).toMatchObject(outcome);
		else expect([item.query, item.outcome]).toEqual([person, undefined]);
	});
});

it.each([
	['simple', 'isSimple'],
	['returnAllMatches', 'isAll'],
	['includeInputFields', 'includesInput'],
])('the switch %s is on only where it is true, for a known item too', (name, own) => {
	const none = { isSimple: false, isAll: false, includesInput: false };
	for (const item of [person, withEmail]) {
		for (const value of [true, false, 'true', undefined]) {
			const saved = value === undefined ? item : { ...item, [name]: value };
			expect(finder(saved)).toMatchObject({ ...none, [own]: value === true });
		}
	}
});

describe('an item of the verifier', () => {
	const email = 'ada@acme.com';
	const known = (emailStatus: string) => ({ status: 'known', fields: { emailStatus } });
	const malformed = { results: [{ email_status: 'invalid' }] };
	const existing = (existingStatus: unknown) => ({ existingStatus });
	const unknown = existing('unknown');

	it.each<[string, Record<string, unknown>, object | undefined]>([
		['with a status of another vocabulary', existing('OKA'), known('catch-all')],
		// What comes first holds: known, skipped, incomplete, malformed.
		['with a status and no email', { email: '', ...existing('nok') }, known('invalid')],
		['with a status and no email of its own', { email: 'x', ...existing('ok') }, known('valid')],
		['without an email', { email: ' \u200b' }, skipped],
		['without an email, whose status fails', { email: '', ...existing(FAILS) }, skipped],
		['with something else than an email', { email: 'x', ...unknown }, malformed],
		['whose status fails', existing(FAILS), refused(failing, 'Existing Status')],
		['with a list for a status', existing(['ok']), invalid('Existing Status')],
		[
			'with an unknown status that is tried again later',
			{ ...unknown, ...checkedAt(twoDaysAgo), 'options.retryUnknownDays': 3 },
			known('unknown'),
		],
		['with an unknown status of two days ago', { ...unknown, ...checkedAt(twoDaysAgo) }, undefined],
		['with a word that is no status', existing('risky'), undefined],
	])('%s', (_, saved, outcome) => {
		const item = verifier({ email, ...saved });
		if (outcome) expect(item.outcome).toMatchObject(outcome);
		else expect([item.query, item.outcome]).toEqual([{ email }, undefined]);
	});
});

it('an email is another question by what else is looked up, never by its letter case', () => {
	const identity = (email: string, enrich?: true) =>
		JSON.stringify(emailLookup.identity({ email, ...(enrich && { enrich }) }));
	expect(identity('Ada@Acme.COM')).toBe(identity('ada@acme.com'));
	expect(identity('ada@acme.com')).not.toBe(identity('ida@acme.com'));
	expect(identity('ada@acme.com')).not.toBe(identity('ada@acme.com', true));
});
