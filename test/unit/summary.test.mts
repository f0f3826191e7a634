/** @file When a run stops the workflow, and how it is summed up. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Outcome } from '../../nodes/shared/input/item.ts';
import type { Lookup } from '../../nodes/shared/lookups/lookup.ts';
import {
	type RunCost,
	countsOf,
	outcomeOf,
	warningsOf,
} from '../../nodes/shared/lookups/summary.ts';
import { summaryOf } from '../../nodes/shared/run/summary.ts';
import { reasonToStop } from '../../nodes/shared/output/onError.ts';
import {
	adviceOn,
	InvalidInput,
	invalidValue,
	JobProblem,
	NotProcessed,
	problemOf,
} from '../../nodes/shared/failures/failure.ts';
import type { InvalidReason, NotSentReason } from '../../nodes/shared/failures/reasons.ts';
import {
	connectionError,
	ServiceError,
	unexpectedResponse,
} from '../../nodes/shared/http/errors.ts';
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
	failedJob: problemOf(new JobProblem('7', unexpectedResponse('a result for this item').problem)),
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

type Outcomes = Array<Kind | Outcome>;

const outcomesOf = (kinds: Outcomes): Outcome[] =>
	kinds.map((kind) => (typeof kind === 'string' ? outcomes[kind] : kind));

/** The problems of a run whose items come to this. */
const problemsOf = (kinds: Outcomes) =>
	outcomesOf(kinds).flatMap((problem, item) => ('reason' in problem ? [{ problem, item }] : []));

/** What the other items come to, counted as their kinds say. */
function countsIn(kinds: Outcomes) {
	const counts = countsOf();
	for (const outcome of outcomesOf(kinds)) {
		if ('results' in outcome) {
			counts[outcome.results.length > 0 ? 'hits' : 'misses']++;
			if (!('at' in outcome)) counts.local++;
		} else if ('fields' in outcome) {
			counts[outcome.status]++;
			counts.ofOthers++;
			if (outcome.isUndated) counts.undated++;
		}
	}
	return counts;
}

const reasonOf = (kinds: Outcomes, failsWhenIncomplete: boolean, hasValue: boolean) =>
	reasonToStop(problemsOf(kinds), kinds.length, { failsWhenIncomplete, hasValue });

type Figures = Partial<RunCost> & { duplicates?: number; earlier?: number; readFrom?: string };

function summary(
	lookup: Lookup<IDataObject>,
	kinds: Kind[],
	{ readFrom, duplicates = 0, earlier = 0, ...cost }: Figures = {},
): string {
	const problems = problemsOf(kinds).map(({ problem }) => problem);
	const spent = { certain: 0, uncertain: 0, ...cost.spent };
	const counts = { ...countsIn(kinds), duplicates, earlier };
	const outcome = outcomeOf(lookup, counts, problems, {
		...{ spentInAll: spent, paused: 0 },
		...cost,
		spent,
	});
	const warnings = warningsOf(lookup, counts, kinds.length, false);
	return summaryOf(outcome, [...adviceOn(problems), ...warnings], readFrom);
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
					: !hasBought && !has('pending') && (all || has(...byService));
				const reason = reasonOf(kinds, isToBeComplete, hasBought);
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
		expect(reasonOf(['missing', 'missing'], false, false)).toEqual({
			problem: missing,
		});
		expect(reasonOf(['missing', 'invalid', 'missing'], false, false)).toEqual({
			problem: {
				...missing,
				message: 'No item can be looked up: 2 without a name, 1 with a value that is not valid',
				description: 'The first one: no name. Fill in Full Name.',
			},
		});
		// Two that lack the same may be told of in different words.
		const inOtherWords = { ...missing, message: 'Not sent: no name (Surname is empty)' };
		expect(reasonOf(['missing', inOtherWords], false, false)?.problem.message).toBe(
			'No item can be looked up: 2 without a name',
		);
		expect(reasonOf(['missing', 'known'], false, false)).toBeUndefined();
		expect(reasonOf(['known', 'invalid'], true, true)).toMatchObject({
			item: 1,
			problem: { message: 'message' in invalid && invalid.message },
		});
	});
});

describe('the summary', () => {
	const lookup = (hitStatus: 'found' | 'verified', what: string) =>
		({ hitStatus, existing: { what } }) as Lookup<IDataObject>;
	const finder = lookup('found', 'an email');
	const verifier = lookup('verified', 'a status');

	it.each<[Kind[], Figures, string]>([
		[
			['found'],
			{ spent: { certain: 1, uncertain: 0 } },
			'1 item: 1 found, 0 not found. 1 credit used.',
		],
		[
			['found', 'known', 'undated', 'undated', 'cancelled'],
			{ duplicates: 1, paused: 400 },
			'5 items: 1 found, 0 not found, 3 have an email already, 1 not sent (execution stopped). ' +
				'0 credits used; for free: 1 duplicate.<br>' +
				'Check why it was stopped, then run again: what was found is free for a day. ' +
				"2 have an email without a date in 'checkedAt', and count as new enough.",
		],
		[
			['found', 'found'],
			{
				earlier: 1,
				spent: { certain: 2, uncertain: 0 },
				spentInAll: { certain: 259, uncertain: 2 },
			},
			'2 items: 2 found, 0 not found. 2 credits used, up to 261 in this execution; for free: 1 from earlier runs.',
		],
		// What to do is told twice at most, and the same once.
		[
			['missing', 'missing', 'expression', 'unevaluated', 'invalid', 'pending', 'pending'],
			{ spent: { certain: 3, uncertain: 1 }, paused: 8_400 },
			'7 items: 2 without a name, 1 with an expression that cannot be evaluated, ' +
				'1 with an expression that was not evaluated, 1 with a value that is not valid, ' +
				'2 waiting for a bulk job. Up to 4 credits used; waited 8 seconds for the rate limit.<br>' +
				'Nothing is lost: run the Finder again later, and it collects what is waiting, for free. ' +
				'Fill in Full Name.',
		],
		[
			['failed', 'failed', 'failedJob', 'creditLimit', 'unauthorized', 'manualLimit'],
			{ duplicates: 2 },
			'6 items: 2 failed (connection lost), 1 failed (incomplete response), ' +
				'1 not sent (Max Credits reached), 1 not sent (API key not accepted), ' +
				'1 not sent (Max Items in Manual Runs reached). 0 credits used; for free: 2 duplicates.<br>' +
				'Run again later (ECONNRESET). ' +
				'If it happens each time, run Check API of Contact Data Account.',
		],
		[
			['creditLimit', 'unauthorized'],
			{},
			'2 items: 1 not sent (Max Credits reached), 1 not sent (API key not accepted). 0 credits used.<br>' +
				'Raise Max Credits in the options; Check the API Key of the credential, ' +
				'then run again: what was found is free for a day.',
		],
		[
			['found', 'notFound', 'missing'],
			{ spent: { certain: 1, uncertain: 0 }, readFrom: 'Read from: <Name>, E-Mail' },
			'3 items: 1 found, 1 not found, 1 without a name. 1 credit used.<br>' +
				'Fill in Full Name.<br>Read from: &lt;Name>, E-Mail.',
		],
	])('of %j', (kinds, figures, expected) => {
		expect(summary(finder, kinds, figures)).toBe(expected);
	});

	it('has five sentences at most beside what was read, which comes last', () => {
		const toDo = ['First', 'Second', 'Third', 'Fourth'];
		expect(summaryOf(['One', 'Two'], toDo, 'Read')).toBe(
			'One. Two.<br>First. Second. Third.<br>Read.',
		);
	});

	it('of the verifier tells of local answers and why items are passed on, and no miss', () => {
		const told = (...kinds: Kind[]) => summary(verifier, kinds);
		expect(told('local', 'known', 'known', 'skipped')).toBe(
			'4 items: 1 verified, 2 have a status already, 1 has no email. ' +
				'0 credits used; for free: 1 not a valid email.',
		);
		expect(told('known', 'skipped', 'skipped')).toContain(
			'3 items: 1 has a status already, 2 have no email. 0 credits used.<br>',
		);
		expect(told('notFound')).toBe('1 item: 0 verified, 1 not found. 0 credits used.');
	});

	it('can be counted against the table: every item is in one of its numbers', () => {
		const names = fc.constantFrom(...kindsOf(outcomes));
		fc.assert(
			fc.property(fc.array(names, { minLength: 1, maxLength: 9 }), (kinds) => {
				const said = summary(finder, kinds);
				const [, items, table] = /^(\d+) items?: (.*?)\. \d+ credits? used/.exec(said) ?? [];
				const parts = table.split(', ');
				const numbers = parts.map((part) => Number.parseInt(part, 10));
				const sum = numbers.reduce((total, number) => total + number, 0);
				expect([sum, Number(items)]).toEqual([kinds.length, kinds.length]);
			}),
			{ numRuns: 300 },
		);
	});

	const again =
		'To look up, and pay for, what is there already, add the option Look Up Again After';
	const none = 'If your emails are in another column: ';
	const choose = 'set Lead Fields to Choose Below, drag your columns in, and ';

	it.each<[Kind[], string | undefined]>([
		[['known', 'known'], again],
		[['known', 'skipped'], again],
		[['skipped', 'skipped'], `${none}${choose}drag it onto Email`],
		[['known', 'found'], undefined],
		[['skipped', 'local'], undefined],
		[['known', 'missing'], undefined],
		[[], undefined],
	])('says what to do where nothing was looked up: %j', (kinds, advice) => {
		const told = (isChosen: boolean) =>
			warningsOf(finder, countsIn(kinds), kinds.length, isChosen).join();
		expect(told(false)).toContain(advice ?? '');
		if (advice === undefined) expect(told(false)).toBe('');
		expect(told(true)).toBe(told(false).replace(choose, ''));
	});
});
