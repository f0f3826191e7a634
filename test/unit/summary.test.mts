/** @file When a run stops the workflow, and how it is summed up. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Lookup } from '../../nodes/shared/lookups/lookup.ts';
import type { Outcome } from '../../nodes/shared/input/item.ts';
import {
	nothingLookedUp,
	summaryOf,
	Tally,
	type Figures,
} from '../../nodes/shared/lookups/summary.ts';
import {
	InvalidInput,
	invalidValue,
	JobProblem,
	NotProcessed,
	problemOf,
} from '../../nodes/shared/failures/failure.ts';
import type { InvalidReason, NotSentReason } from '../../nodes/shared/failures/reasons.ts';
import { connectionError, ServiceError, unexpectedAnswer } from '../../nodes/shared/http/errors.ts';
import { noName } from './thrown.mts';

const failed = problemOf(connectionError({ code: 'ECONNRESET' }));

const AT = 1_798_675_200_000;

const invalidOf = (reason: InvalidReason) =>
	problemOf(new InvalidInput({ reason, message: 'Fails', description: 'Check it.' }));
const notSent = (reason: NotSentReason) => problemOf(new NotProcessed(reason));
const noCredits = new ServiceError('out_of_credits', {
	message: 'A',
	description: 'B',
	httpCode: 402,
});

/** Everything that may become of an item. */
const outcomes = {
	found: { results: [{ email: 'ada@acme.com' }], at: AT },
	notFound: { results: [], at: AT },
	/** What the execution had from an earlier run. */
	reused: { results: [{ email: 'ada@acme.com' }], at: AT },
	local: { results: [{ email_status: 'invalid' }] },
	known: { status: 'known', fields: { email: 'ada@acme.com' } },
	undated: { status: 'known', fields: { email: 'ada@acme.com' }, isUndated: true },
	skipped: { status: 'skipped', fields: {} },
	missing: problemOf(noName),
	expression: invalidOf('failing_expression'),
	unevaluated: invalidOf('unevaluated_expression'),
	invalid: problemOf(invalidValue('Email', 'Email must be text')),
	failed,
	failedJob: problemOf(new JobProblem('7', unexpectedAnswer('a result for this item').problem)),
	pending: problemOf(new JobProblem('12')),
	outOfCredits: notSent('out_of_credits'),
	refusedForCredits: problemOf(noCredits),
	unauthorized: notSent('unauthorized'),
	serviceDown: notSent('service_down'),
	rateLimited: notSent('rate_limited'),
	accountUnreadable: notSent('account_unreadable'),
	creditLimit: notSent('credit_limit'),
	creditFloor: notSent('credit_floor'),
	manualLimit: notSent('manual_limit'),
	cancelled: notSent('cancelled'),
} satisfies Record<string, Outcome>;

type Kind = keyof typeof outcomes;

const kindsOf = (all: typeof outcomes) =>
	Object.keys(all).filter((kind): kind is Kind => kind in all);

/** What an item lacks, or what cannot be meant. */
const INVALID: Kind[] = ['missing', 'expression', 'unevaluated', 'invalid'];

/** What comes without a request in this run. */
const FREE: Kind[] = ['reused', 'local', 'known', 'undated', 'skipped'];

function tallyOf(kinds: Kind[]): Tally {
	const tally = new Tally();
	kinds.forEach((kind, item) => tally.count(item, outcomes[kind]));
	return tally;
}

describe('a run', () => {
	it('stops exactly where the contract says so, and says how far it got if it is to be complete', () => {
		const names = fc.constantFrom(...kindsOf(outcomes));
		const refused: Kind[] = ['outOfCredits', 'refusedForCredits', 'unauthorized'];
		const down: Kind[] = ['failed', 'failedJob', 'serviceDown', 'rateLimited'];
		const byService: Kind[] = [...refused, ...down, 'accountUnreadable'];
		const isDone = (kind: Kind) => ['found', 'notFound', 'manualLimit', ...FREE].includes(kind);
		const seen = { stopped: 0, went: 0, stoppedIncomplete: 0, complete: 0 };
		fc.assert(
			fc.property(fc.array(names, { maxLength: 5 }), fc.boolean(), fc.boolean(), (...given) => {
				const [kinds, isToBeComplete, hasBought] = given;
				const has = (...some: Kind[]) => kinds.some((kind) => some.includes(kind));
				const all = kinds.length > 0 && kinds.every((kind) => INVALID.includes(kind));
				const stops = isToBeComplete
					? !kinds.every(isDone)
					: !hasBought && (all || has(...byService));
				const reason = tallyOf(kinds).reasonToStop(isToBeComplete, hasBought);
				expect(reason !== undefined).toBe(stops);
				if (isToBeComplete) seen[stops ? 'stoppedIncomplete' : 'complete']++;
				else seen[stops ? 'stopped' : 'went']++;
				if (!reason) return;
				const isReason = (kind: Kind) =>
					isToBeComplete ? !isDone(kind) : all || byService.includes(kind);
				const index = kinds.findIndex(isReason);
				const problem = outcomes[kinds[index]];
				// What the service causes, and what all items lack, is no matter of one item.
				expect(reason.item).toBe(isToBeComplete ? index : undefined);
				const done = kinds.filter((kind) => isDone(kind) && kind !== 'manualLimit').length;
				const farGot = `${done} of ${kinds.length} item${kinds.length === 1 ? ' is' : 's are'} done. `;
				const description = expect.stringContaining(farGot);
				if (isToBeComplete) expect(reason.problem).toMatchObject({ ...problem, description });
				else if (!all) expect(reason.problem).toBe(problem);
				else expect(reason.problem).toMatchObject({ status: 'invalid_input' });
			}),
			{ numRuns: 2_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
	});

	it('says of all items what they lack, and shows the first as an example', () => {
		const { missing, invalid } = outcomes;
		expect(tallyOf(['missing', 'missing']).reasonToStop(false, false)).toEqual({
			problem: missing,
		});
		expect(tallyOf(['missing', 'invalid', 'missing']).reasonToStop(false, false)).toEqual({
			problem: {
				...missing,
				message: 'No item can be looked up: 2 without a name, 1 with a value that is not valid',
				description: 'The first one: no name. Fill in Full Name.',
			},
		});
		// Two that lack the same may be told of in different words.
		const tally = tallyOf(['missing']);
		tally.count(1, { ...missing, message: 'Not sent: no name (Surname is empty)' });
		expect(tally.reasonToStop(false, false)?.problem.message).toBe(
			'No item can be looked up: 2 without a name',
		);
		expect(tallyOf(['missing', 'known']).reasonToStop(false, false)).toBeUndefined();
		expect(tallyOf(['known', 'invalid']).reasonToStop(true, true)).toMatchObject({
			item: 1,
			problem: { message: 'message' in invalid && invalid.message },
		});
	});

	it('names the jobs that are pending, each once, which a retry collects', () => {
		const tally = tallyOf(['creditLimit', 'pending', 'pending', 'failedJob', 'found']);
		tally.count(5, problemOf(new JobProblem('13')));
		expect(tally.reasonToStop(true, true)?.problem.description).toBe(
			`1 of 6 items are done. ${outcomes.creditLimit.description} Unfinished jobs: 12, 13.`,
		);
	});
});

describe('the summary', () => {
	const lookup = (answered: string, label: string, what: string) =>
		({ answered, existing: { label, what } }) as Lookup<IDataObject>;
	const finder = lookup('found', 'Existing Email', 'an email');
	const verifier = lookup('verified', 'Existing Status', 'a status');
	const nothing = { duplicates: 0, spent: 0, paused: 0 };

	it.each<[Kind[], Partial<Figures>, string]>([
		[['found'], { spent: 1 }, '1 item: 1 found, 0 not found. 1 credit used.'],
		[
			['found', 'known', 'undated', 'undated', 'cancelled'],
			{ duplicates: 1, paused: 400 },
			'5 items: 1 found, 0 not found. 3 passed on: 3 have an email already. ' +
				'1 not sent (execution stopped). 0 credits used. 1 item cost nothing (duplicate). ' +
				'2 known items without a valid date in Checked At. ' +
				'Check why it was stopped, then run the remaining items again.',
		],
		// What to do is told twice at most, and the same once.
		[
			['missing', 'missing', 'expression', 'unevaluated', 'invalid', 'pending', 'pending'],
			{ spent: 4, isUncertain: true, paused: 8_400 },
			'7 items: 0 found, 0 not found. 2 without a name, ' +
				'1 with an expression that cannot be evaluated, 1 with an expression that was not evaluated, ' +
				'1 with a value that is not valid, 2 waiting for a bulk job. Up to 4 credits used. ' +
				'Waited 8 seconds for the rate limit. Nothing is lost: collect the results later with Get Bulk Job. Fill in Full Name.',
		],
		[
			['failed', 'failed', 'failedJob', 'creditLimit', 'unauthorized', 'manualLimit'],
			{ duplicates: 2 },
			'6 items: 0 found, 0 not found. 2 failed (connection lost), 1 failed (incomplete response), ' +
				'1 not sent (Max Credits reached), 1 not sent (API key not accepted), ' +
				'1 not sent (Max Items in Manual Runs reached). 0 credits used. ' +
				'2 items cost nothing (duplicate). Run the item again later (ECONNRESET). ' +
				'If it happens each time, run Check API of Contact Data Account.',
		],
		[
			['found', 'notFound', 'missing'],
			{ spent: 1, readFrom: 'Read from: Name, E-Mail' },
			'3 items: 1 found, 1 not found. 1 without a name. 1 credit used. ' +
				'Read from: Name, E-Mail. Fill in Full Name.',
		],
	])('of %j', (kinds, figures, summary) => {
		expect(summaryOf(finder, tallyOf(kinds), { ...nothing, ...figures })).toBe(summary);
	});

	it('of the verifier tells of local answers and why items are passed on, and no miss', () => {
		const told = (...kinds: Kind[]) => summaryOf(verifier, tallyOf(kinds), nothing);
		expect(told('local', 'known', 'known', 'skipped')).toBe(
			'4 items: 1 verified. 3 passed on: 2 have a status already, 1 has no email. ' +
				'0 credits used. 1 item cost nothing (not a valid email).',
		);
		expect(told('known', 'skipped', 'skipped')).toBe(
			'3 items: 0 verified. 3 passed on: 1 has a status already, 2 have no email. 0 credits used.',
		);
		expect(told('notFound')).toBe('1 item: 0 verified, 1 not found. 0 credits used.');
	});

	it('can be counted against the table: every item is in one of its numbers', () => {
		const names = fc.constantFrom(...kindsOf(outcomes));
		fc.assert(
			fc.property(fc.array(names, { minLength: 1, maxLength: 9 }), (kinds) => {
				const summary = summaryOf(finder, tallyOf(kinds), nothing);
				const [, items, table] = /^(\d+) items?: (.*?)\. \d+ credits? used\./.exec(summary) ?? [];
				const parts = table.replace(/passed on: [^.]*/, 'passed on').split(/[,.] /);
				const numbers = parts.map((part) => Number.parseInt(part, 10));
				const sum = numbers.reduce((total, number) => total + number, 0);
				expect([sum, Number(items)]).toEqual([kinds.length, kinds.length]);
			}),
			{ numRuns: 300 },
		);
	});

	const had = 'Nothing had to be looked up: every item already has an email';
	const none = 'Nothing was looked up: no item has an email. If your emails are in another column';
	const choose = 'set Lead Fields to Choose Below and';

	it.each<[Kind[], string | undefined]>([
		[
			['known', 'undated'],
			`${had}. To look up again what it has, ${choose} leave Existing Email empty.`,
		],
		[['known', 'skipped'], `${had}, or no email. To look`],
		[['skipped', 'skipped'], `${none}, ${choose} drag it onto Email.`],
		[['known', 'found'], undefined],
		[['skipped', 'local'], undefined],
		[['known', 'missing'], undefined],
		[[], undefined],
	])('says where nothing was looked up: %j', (kinds, hint) => {
		const told = nothingLookedUp(finder, tallyOf(kinds));
		if (hint === undefined) expect(told).toBeUndefined();
		else expect(told).toContain(hint);
		const chosen = nothingLookedUp(finder, tallyOf(kinds), true);
		expect(chosen?.toLowerCase()).toBe(
			told?.replace('set Lead Fields to Choose Below and ', '').toLowerCase(),
		);
	});
});
