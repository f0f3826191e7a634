/**
 * @file What becomes of an item before anything is sent: known, skipped, incomplete, malformed, or sent. An existing value
 * spares a lookup as long as it is fresh enough.
 */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { findBulk } from '../../nodes/Finder/operations/findBulk.operation.ts';
import { verify } from '../../nodes/Verifier/operations/verify.operation.ts';
import { emailLookup } from '../../nodes/Verifier/verification.ts';
import {
	type Existing,
	knownItem,
	type Preparation,
	prepareItem,
} from '../../nodes/shared/input/item.ts';
import { lookupOptionsOf } from '../../nodes/shared/input/options.ts';
import { added, FAILS, parametersOf } from './parametersOf.mts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const NOW = Date.UTC(2026, 10, 21, 10, 30);

/** Knows one word, and that nobody knows another. */
const existingField: Existing = {
	parameter: 'existing',
	what: 'an email',
	read: (text) =>
		text === 'here' || text === 'unknown'
			? { fields: { email: text }, isUnknown: text === 'unknown' }
			: undefined,
};

interface Item {
	existing?: unknown;
	checkedAt?: unknown;
	/** Look Up Again After (Days); infinite where it is not added. */
	refreshAfter?: number;
}

function outcomeOf(item: Item, now = NOW) {
	const { existing = 'here', checkedAt, refreshAfter = Number.POSITIVE_INFINITY } = item;
	const values: Record<string, unknown> = { existing, checkedAt };
	const valueOf = (name: string) => values[name];
	const parameters = { get: valueOf, recorded: valueOf, labelOf: String };
	return knownItem(existingField, parameters, 0, refreshAfter, now);
}

/** A moment so many days ago. */
const daysAgo = (days: number) => NOW - days * DAY;

type Fate = 'trusted' | 'looked up';

function fateOf(item: Item): Fate {
	const outcome = outcomeOf(item);
	if (outcome && 'checked' in outcome) return 'looked up';
	expect(outcome).toMatchObject({ status: 'known', fields: { email: item.existing ?? 'here' } });
	return 'trusted';
}

it.each<[string, unknown, Fate]>([
	['now', NOW, 'trusted'],
	['yesterday, as a text says', new Date(daysAgo(1)).toISOString(), 'trusted'],
	['never, as some systems write it', '1970-01-01', 'looked up'],
	['never, as others do', '0001-01-01T00:00:00Z', 'looked up'],
	['never, in a number', 0, 'looked up'],
	// Where there is no date, the value is trusted: that costs nothing.
	['nobody knows when', '', 'trusted'],
	['at something else', 'a while ago', 'trusted'],
	['at the number of a day in a spreadsheet', 46_340.5, 'trusted'],
])('an item that was checked %s', (_, checkedAt, fate) => {
	expect(fateOf({ checkedAt, refreshAfter: 90 })).toBe(fate);
	// Without the option, no value is too old; with 0, every one is.
	expect(fateOf({ checkedAt })).toBe('trusted');
	expect(fateOf({ checkedAt, refreshAfter: 0 })).toBe('looked up');
	for (const existing of ['', null, 'something']) {
		expect(outcomeOf({ existing, checkedAt, refreshAfter: 0 })).toBeUndefined();
	}
});

it('an unknown without a date is looked up', () => {
	expect(fateOf({ existing: 'unknown' })).toBe('looked up');
});

it('is looked up from an hour before it is too old, an unknown after a day', () => {
	const days = fc.integer({ min: 1, max: 120 });
	/** How long ago it was checked, about so many days: the future counts as now. */
	const age = fc
		.tuple(fc.integer({ min: -10, max: 120 }), fc.constantFrom(-1, 0, 1, HOUR, -HOUR))
		.map(([number, more]) => number * DAY - HOUR + more);
	const seen = { trusted: 0, 'looked up': 0 };
	fc.assert(
		fc.property(fc.boolean(), age, days, (isUnknown, passed, refreshAfter) => {
			const isFresh = Math.max(0, passed) + HOUR < (isUnknown ? 1 : refreshAfter) * DAY;
			const fate = isFresh ? 'trusted' : 'looked up';
			seen[fate]++;
			const item = { existing: isUnknown ? 'unknown' : 'here', checkedAt: NOW - passed };
			expect(fateOf({ ...item, refreshAfter })).toBe(fate);
			if (isUnknown) expect(fateOf(item)).toBe(fate);
		}),
		{
			numRuns: 1_000,
			// At each limit: what is due within the hour is due.
			examples: [
				[false, 90 * DAY - HOUR - 1, 90],
				[false, 90 * DAY - HOUR, 90],
				[true, DAY - HOUR - 1, 90],
				[true, DAY - HOUR, 90],
			],
		},
	);
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
});

function read<Query extends IDataObject>(
	lookup: Preparation<Query>,
	saved: Record<string, unknown>,
	item?: IDataObject,
) {
	const parameters = parametersOf(lookup, saved, item);
	return prepareItem(
		lookup,
		parameters,
		0,
		lookupOptionsOf(parameters, { isManual: false, isTool: false }),
	);
}

/** The fields are chosen, and not recognized. */
const finder = ({ checkedAt, emailStatus, ...saved }: Record<string, unknown>) =>
	read(findBulk, added(findBulk, saved), { checkedAt, emailStatus } as IDataObject);

const verifier = ({ checkedAt, ...saved }: Record<string, unknown>) =>
	read(verify, added(verify, saved), { checkedAt } as IDataObject);

const twoDaysAgo = new Date(Date.now() - 2 * DAY).toISOString();

const refused = (reason: string, label: string) => ({
	status: 'invalid_input',
	reason,
	message: expect.stringContaining(label),
});

const person = { fullName: 'Ada Lovelace', domain: 'acme.com' };
const invalid = (label: string) => refused('invalid_value', label);
const mixed = (label: string) =>
	invalid(`Not sent: ${label} holds an email and other text: leave only the email`);
const mixedCells = 'ann@acme.com,Bo ¦ Ann Lee ann@acme.com ¦ @ann, ann@acme.com ¦ a@b.com Bo'.split(
	' ¦ ',
);
type Row = [string, Record<string, unknown>, object | undefined];
const withEmail = { ...person, existingEmail: ' ada@acme.com ' };
const ada = { status: 'known', fields: { email: 'ada@acme.com' } };
const skipped = { status: 'skipped', fields: {} };
const failing = 'failing_expression';

const checkedOn = (checkedAt: string) => ({ checkedAt, 'options.refreshAfterDays': 90 });

/** Whether an email of a status is kept, by Keep Existing Email If. */
const KEEPING: Array<[keepEmailIf: string, emailStatus: string | undefined, isKept: boolean]> = [
	['any', 'invalid', true],
	['anything else', 'invalid', true],
	['valid', 'valid', true],
	['valid', 'OK', true],
	['valid', 'catch-all', false],
	['valid', 'unknown', false],
	['valid', undefined, false],
	['notInvalid', 'catch-all', true],
	['notInvalid', 'unknown', true],
	['notInvalid', undefined, true],
	['notInvalid', 'risky', true],
	['notInvalid', 'nok', false],
];

describe('an item of the finder', () => {
	it.each<Row>([
		['without an email', { existingEmail: 'not found' }, undefined],
		['with an email and no name', { ...withEmail, fullName: '' }, ada],
		['with an email and a name that fails', { ...withEmail, fullName: FAILS }, ada],
		['checked too long ago', { ...withEmail, ...checkedOn('2020-01-01') }, undefined],
		['without a name', { fullName: '' }, refused('missing_name', 'no name')],
		['with a list for an email', { existingEmail: ['a@b.c'] }, invalid('Existing Email')],
		...KEEPING.map(
			([keepEmailIf, emailStatus, isKept]): Row => [
				`with a ${emailStatus} email, kept if ${keepEmailIf}`,
				{ ...withEmail, 'options.keepEmailIf': keepEmailIf, emailStatus },
				isKept ? ada : undefined,
			],
		),
		// What the user has there is not overwritten.
		...mixedCells.map(
			(one): Row => [`with ${one}`, { existingEmail: one }, mixed('Existing Email')],
		),
		['with a typing error for an email', { existingEmail: 'ann lee@acme.com' }, undefined],
		['whose email fails', { existingEmail: FAILS }, refused(failing, 'Existing Email')],
		['whose switch fails', { includeInputFields: FAILS }, refused(failing, 'Include Input Fields')],
	])('%s', (_, saved, outcome) => {
		const item = finder({ ...person, ...saved });
		if (outcome) expect(item.outcome).toMatchObject(outcome);
		else expect([item.query, item.outcome]).toEqual([person, undefined]);
	});
});

describe('an item without a name or a company', () => {
	const chosen = { fullName: '={{ $json.who }}', company: '={{ $json.where }}' };
	const [name, company] = [
		'Full Name (or First Name and Last Name)',
		'Company Domain (or Company Name)',
	];

	const complete = 'Complete the rows that lack it, or check';
	it.each<[IDataObject, Record<string, unknown>, lacks: string, advice: string]>([
		[{ where: 'Acme' }, chosen, 'no name (who is empty in this row)', `${complete} ${name}`],
		[
			{ who: 'Ada Lovelace' },
			chosen,
			'no company (where is empty in this row)',
			`${complete} ${company}`,
		],
		[
			{},
			{ firstName: 'Ada', domain: 'linkedin.com/in/ada' },
			'no name (First Name is only half a name) and no company (Company Domain is not a company website)',
			`${complete} ${name} and ${company}`,
		],
	])('%j, where its fields are added as %j, says %s', (json, saved, lacks, advice) => {
		const { outcome } = read(findBulk, added(findBulk, saved), { ...json, own: '' });
		const message = `Not sent: ${lacks}`;
		expect(outcome).toMatchObject({ message, description: `${advice} under Lead Fields.` });
	});

	const ada = { Name: 'Ada Lovelace' };
	const acme = { Company: 'Acme' };
	const eleven = Object.fromEntries([...'abcdefghijk'].map((name) => [name, 1]));
	const add = (labels: string, example = '') =>
		`add ${labels} under Lead Fields and drag the right column in${example}`;
	const addBoth = `Add ${name} and ${company} under Lead Fields and drag the right columns in`;
	const addName = `${add(name)}.`;
	const orName = `Complete the rows that lack it, or ${addName}`;

	it.each<[IDataObject, message: string, advice: string]>([
		[{ Kunde: 1, ...acme }, 'no name. The item has: Kunde, Company', `A${addName.slice(1)}`],
		[
			{ Ort: 'berlin', Kunde: 'Ada Lovelace', ...acme },
			'no name. The item has: Ort, Kunde, Company',
			`A${add(name, ', e.g. Kunde.').slice(1)}`,
		],
		[
			{ Host: 'acme.com', Kunde: 'Bo Lee', Chef: 'Eva May', Ort: 'New York' },
			'no name and no company. The item has: Host, Kunde, Chef, Ort',
			`${addBoth}, e.g. Kunde or Chef or Host.`,
		],
		[eleven, 'no name and no company. The item has: a, b, c, d, e, f, g, h, i, j', `${addBoth}.`],
		[{ ...acme, 'Last Name': 'García' }, 'no name (Last Name is only half a name)', orName],
		[{ ...acme, 'Full Name': 'Lovelace' }, 'no name (Full Name is only half a name)', orName],
		[
			{ ...acme, 'First Name': 'Maria', 'Last Name': 'L.' },
			'no name (Last Name is only an initial)',
			orName,
		],
		[
			{ ...acme, 'First Name': '', Surname: '' },
			'no name (First Name is empty in this row)',
			'Complete the rows that lack a name or a company.',
		],
		[
			{ Website: 'acme.com', Name: 'Acme GmbH' },
			"no name (Name may be a company's, as no other column is a person's)",
			orName,
		],
		[
			{ ...ada, Homepage: '', Customer: 'Acme' },
			'no company (Homepage is empty in this row)',
			'Complete the rows that lack a name or a company.',
		],
		[
			{},
			'no name and no company. The item has: nothing',
			'Check that the node before this one gives out your rows.',
		],
	])('%j, where it is recognized, says %s', (json, message, description) => {
		expect(read(findBulk, {}, json).outcome).toMatchObject({
			message: `Not sent: ${message}`,
			description,
		});
	});
});

it('says of a row in one column that the file was split at another sign', () => {
	const { outcome } = read(findBulk, {}, { 'Nombre;Apellidos;Web': 'Ada;Lovelace;acme.com' });
	expect(outcome).toMatchObject({ description: expect.stringContaining('set the Delimiter') });
});

it('a recognized item is looked up, passed on or refused by what its own fields hold', () => {
	const lead = { Name: 'Ada Lovelace', Title: '', Website: 'https://www.acme.com/about' };
	const sent = read(findBulk, {}, lead);
	expect([sent.query, sent.outcome]).toEqual([person, undefined]);
	expect(read(findBulk, {}, { ...lead, 'E-Mail': 'ada@acme.com' }).outcome).toMatchObject(ada);
	const both = { ...lead, 'E-Mail': 'Bo Lee bo@acme.com' };
	expect(read(findBulk, {}, both).outcome).toMatchObject(mixed('E-Mail'));
	expect(read(findBulk, {}, { ...lead, Name: '{{ $json.name }}' }).outcome).toMatchObject(
		refused('unevaluated_expression', 'Name holds an expression'),
	);
});

it.each<[string, 'isSimple' | 'wantsAllMatches' | 'includesInput']>([
	['simple', 'isSimple'],
	['returnAllMatches', 'wantsAllMatches'],
	['includeInputFields', 'includesInput'],
])('the switch %s is on where it is true, or by default, for a known item too', (name, own) => {
	const none = { isSimple: true, wantsAllMatches: false, includesInput: true };
	for (const item of [person, withEmail]) {
		for (const value of [true, false, 'true', undefined]) {
			const saved = value === undefined ? item : { ...item, [name]: value };
			const isOn = value === undefined ? none[own] : value === true;
			expect(finder(saved)).toMatchObject({ ...none, [own]: isOn });
		}
	}
});

describe('an item of the verifier', () => {
	const email = 'ada@acme.com';
	const known = (emailStatus: string) => ({ status: 'known', fields: { emailStatus } });
	const malformed = { results: [{ email_status: 'invalid' }] };
	const existing = (existingStatus: unknown) => ({ existingStatus });
	const unknown = existing('unknown');
	const old = { ...unknown, checkedAt: twoDaysAgo };

	it.each<Row>([
		['with a status of another vocabulary', existing('OKA'), known('catch-all')],
		// What comes first holds: known, skipped, incomplete, malformed.
		['with a status and no email', { email: '', ...existing('nok') }, known('invalid')],
		['with a status and no email of its own', { email: 'x', ...existing('ok') }, known('valid')],
		['without an email', { email: ' \u200b' }, skipped],
		['without an email, whose status fails', { email: '', ...existing(FAILS) }, skipped],
		['with something else than an email', { email: 'x', ...unknown }, malformed],
		['with an email and other text', { email: 'ann@acme.com Bo' }, mixed('Email')],
		['with both and a status', { email: 'Ann; a@b.com', ...existing('ok') }, known('valid')],
		['with a typing error for an email', { email: 'ann lee@acme.com' }, malformed],
		['whose status fails', existing(FAILS), refused(failing, 'Existing Status')],
		['with a list for a status', existing(['ok']), invalid('Existing Status')],
		['with an unknown status of now', { ...unknown, checkedAt: Date.now() }, known('unknown')],
		['with an unknown status of two days ago', old, undefined],
		['with a word that is no status', existing('odd'), undefined],
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
	expect(identity('ada@bücher.de')).toBe(identity('ada@xn--bcher-kva.de'));
	expect(identity('ada@acme.com')).not.toBe(identity('ida@acme.com'));
	expect(identity('ada@acme.com')).not.toBe(identity('ada@acme.com', true));
});
