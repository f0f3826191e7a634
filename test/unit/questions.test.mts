/** @file What becomes of an item before anything is sent: known, skipped, incomplete, malformed, or asked. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { findBulk } from '../../nodes/Finder/operations/findBulk.operation.ts';
import { existingEmail, personFields, toPersonQuestion } from '../../nodes/Finder/person.ts';
import {
	emailFields,
	existingStatus,
	toEmailQuestion,
	verifierOptions,
} from '../../nodes/Verifier/verification.ts';
import { ageOptions, includeInputFields, lookupOptions } from '../../nodes/shared/editor/fields.ts';
import type { Lookup } from '../../nodes/shared/lookups/lookup.ts';
import { lookupOptionsOf } from '../../nodes/shared/lookups/options.ts';
import { ItemReader } from '../../nodes/shared/lookups/item.ts';
import { Parameters } from '../../nodes/shared/host/parameters.ts';

const common = {
	option: { name: 'Look Up', value: 'lookUp' },
	perRequest: 1,
	ask: async () => ({ results: [] }),
	simplify: (result: IDataObject) => result,
};

const finder: Lookup<IDataObject> = {
	...common,
	fields: [...personFields, includeInputFields, lookupOptions(...ageOptions)],
	answered: 'found',
	kind: 'email',
	known: existingEmail,
	prepare: toPersonQuestion,
};

const verifier: Lookup<IDataObject> = {
	...common,
	fields: [...emailFields, includeInputFields, lookupOptions(...verifierOptions)],
	answered: 'verified',
	kind: 'verifier',
	known: existingStatus,
	prepare: toEmailQuestion,
};

/** The question of an item; an expression that fails is one that `fails`. */
function questionOf(lookup: Lookup<IDataObject>, saved: Record<string, unknown>) {
	const parameters = new Parameters(
		{
			json: () => ({}),
			parameter(name, _, fallback, options) {
				const value = Object.hasOwn(saved, name) ? saved[name] : fallback;
				if (value === '={{ fails }}' && !options?.rawExpressions) throw new Error('It fails');
				return value;
			},
		},
		lookup.fields,
	);
	return new ItemReader(lookup, parameters, lookupOptionsOf(parameters)).read(0);
}

const FAILS = '={{ fails }}';

const now = new Date().toISOString();

describe('an item of the finder', () => {
	const person = { fullName: 'Ada Lovelace', domain: 'acme.com' };

	it('is asked where it has no email', () => {
		for (const existing of ['', 'not found', null]) {
			const { query, outcome } = questionOf(finder, { ...person, existingEmail: existing });
			expect([query, outcome]).toEqual([person, undefined]);
		}
	});

	it.each([
		['who it is', person],
		['no name', { domain: 'acme.com' }],
		['no company', { fullName: 'Ada Lovelace' }],
		['nothing else', {}],
		['a name whose expression fails', { ...person, fullName: FAILS }],
	])('is known with an email and %s', (_, fields) => {
		const { outcome } = questionOf(finder, { ...fields, existingEmail: ' ada@acme.com ' });
		expect(outcome).toMatchObject({ status: 'known', fields: { email: 'ada@acme.com' } });
	});

	it('is asked again where it was checked too long ago', () => {
		const item = { ...person, existingEmail: 'ada@acme.com' };
		expect(questionOf(finder, { ...item, 'options.checkedAt': now }).outcome).toMatchObject({
			status: 'known',
		});
		for (const options of [
			{ 'options.checkedAt': '2020-01-01' },
			{ 'options.checkedAt': now, 'options.maxAgeDays': 0 },
		]) {
			expect(questionOf(finder, { ...item, ...options }).outcome).toBeUndefined();
		}
	});

	it('is not sent where what it lacks, or what fails, leaves nothing to ask', () => {
		expect(questionOf(finder, { domain: 'acme.com' }).outcome).toMatchObject({
			status: 'invalid_input',
			reason: 'missing: Full Name (or First Name and Last Name)',
		});
		for (const [name, label] of [
			['existingEmail', 'Existing Email'],
			['fullName', 'Full Name'],
			['includeInputFields', 'Include Input Fields'],
		]) {
			expect(questionOf(finder, { ...person, [name]: FAILS }).outcome).toMatchObject({
				status: 'invalid_input',
				reason: `expression: ${label}`,
			});
		}
	});

	it.each([
		['options.checkedAt', FAILS, 'expression: Checked At'],
		['options.maxAgeDays', FAILS, 'expression: Max Age (Days)'],
		['options.maxAgeDays', 'a week', 'invalid: Max Age (Days)'],
	])('is not sent where %s is %j and decides on it', (name, value, reason) => {
		const item = { ...person, existingEmail: 'ada@acme.com', [name]: value };
		expect(questionOf(finder, item).outcome).toMatchObject({ status: 'invalid_input', reason });
		// Where it brings nothing along, its age does not matter.
		expect(questionOf(finder, { ...item, existingEmail: '' }).outcome).toBeUndefined();
	});

	it('wants its answer as its own switches say, and none of what is not there', () => {
		const wanted = ({ isSimple, isAll }: { isSimple: boolean; isAll: boolean }) => [
			isSimple,
			isAll,
		];
		expect(wanted(questionOf(finder, person))).toEqual([false, false]);
		expect(wanted(questionOf(finder, { ...person, simple: true }))).toEqual([true, false]);
		expect(wanted(questionOf(finder, { ...person, returnAllMatches: true }))).toEqual([
			false,
			true,
		]);
		expect(questionOf(finder, person).includesInput).toBe(false);
	});

	it('keeps the fields of its input where that is wanted', () => {
		for (const includeInput of [true, false]) {
			const item = { ...person, includeInputFields: includeInput };
			expect(questionOf(finder, item).includesInput).toBe(includeInput);
			const known = { ...item, existingEmail: 'ada@acme.com' };
			expect(questionOf(finder, known).includesInput).toBe(includeInput);
		}
		expect(questionOf(finder, { ...person, includeInputFields: 'true' }).includesInput).toBe(false);
	});
});

describe('an item of the verifier', () => {
	it.each([
		['valid', 'ada@acme.com', { status: 'known', fields: { emailStatus: 'valid' } }],
		['OKA', 'ada@acme.com', { status: 'known', fields: { emailStatus: 'catch-all' } }],
		// What comes first holds: known, skipped, incomplete, malformed.
		['nok', '', { status: 'known', fields: { emailStatus: 'invalid' } }],
		['valid', 'not an email', { status: 'known', fields: { emailStatus: 'valid' } }],
		['', '', { status: 'invalid_input', reason: 'missing: Email' }],
		['', 'not an email', { results: [{ email_status: 'invalid' }] }],
		['unknown', 'not an email', { results: [{ email_status: 'invalid' }] }],
	])('with the status %j and the email %j is not sent', (status, email, outcome) => {
		const item = { email, existingStatus: status };
		expect(questionOf(verifier, item).outcome).toMatchObject(outcome);
	});

	it.each([[''], ['risky'], ['unknown'], [null]])('with the status %j is verified', (status) => {
		const item = { email: 'ada@acme.com', existingStatus: status };
		expect(questionOf(verifier, item)).toMatchObject({
			query: { email: 'ada@acme.com' },
			outcome: undefined,
		});
	});

	it('with an unknown status is passed on until it is to be verified again', () => {
		const item = { email: 'ada@acme.com', existingStatus: 'unknown' };
		const known = { status: 'known', fields: { emailStatus: 'unknown' } };
		const twoDays = new Date(Date.now() - 2 * 24 * 60 * 60_000).toISOString();
		const checked = { ...item, 'options.checkedAt': twoDays };
		expect(questionOf(verifier, { ...item, 'options.checkedAt': now }).outcome).toMatchObject(
			known,
		);
		expect(questionOf(verifier, checked).outcome).toBeUndefined();
		const later = { ...checked, 'options.retryUnknownDays': 3 };
		expect(questionOf(verifier, later).outcome).toMatchObject(known);
	});

	it.each([[''], [' '], [null], [{}]])(
		'without an email, %j, is skipped where asked to',
		(email) => {
			const item = { email, 'options.skipEmpty': true };
			expect(questionOf(verifier, item).outcome).toEqual({ status: 'skipped', fields: {} });
			const known = { ...item, existingStatus: 'valid' };
			expect(questionOf(verifier, known).outcome).toMatchObject({ status: 'known' });
		},
	);

	it('whose expression fails is not skipped', () => {
		const item = { email: FAILS, 'options.skipEmpty': true };
		expect(questionOf(verifier, item).outcome).toMatchObject({ reason: 'expression: Email' });
	});

	it('without an email is skipped, whatever else fails for it', () => {
		const empty = { email: '', 'options.skipEmpty': true };
		const skipped = { status: 'skipped', fields: {} };
		expect(questionOf(verifier, { ...empty, existingStatus: FAILS }).outcome).toEqual(skipped);
		const unknown = { ...empty, existingStatus: 'unknown', 'options.checkedAt': FAILS };
		expect(questionOf(verifier, unknown).outcome).toEqual(skipped);
	});

	it('whose status fails is not skipped where it has an email, or where nobody asks to', () => {
		const reason = 'expression: Existing Status';
		for (const item of [
			{ email: 'ada@acme.com', 'options.skipEmpty': true },
			{ email: 'not an email', 'options.skipEmpty': true },
			{ email: '', 'options.skipEmpty': false },
		]) {
			const { outcome } = questionOf(verifier, { ...item, existingStatus: FAILS });
			expect(outcome).toMatchObject({ status: 'invalid_input', reason });
		}
		const both = { email: FAILS, existingStatus: FAILS, 'options.skipEmpty': true };
		expect(questionOf(verifier, both).outcome).toMatchObject({ reason });
	});

	it('with something else than an email is not skipped, but answered', () => {
		const item = { email: 'not an email', 'options.skipEmpty': true };
		expect(questionOf(verifier, item).outcome).toMatchObject({
			results: [{ email_status: 'invalid' }],
		});
	});
});

describe('the fields of an operation', () => {
	it('say to the service nothing of what the item brings along', () => {
		const names = ['existingEmail', 'includeInputFields'];
		const own = findBulk.fields.filter(({ name }) => names.includes(name));
		expect(own.map(({ name }) => name)).toEqual(names);
		for (const field of own) expect(field).not.toHaveProperty('routing');
	});
});
