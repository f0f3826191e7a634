/** @file When a run stops the workflow, and how it is summed up. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Outcome } from '../../nodes/shared/input/item.ts';
import type { Lookup } from '../../nodes/shared/lookups/lookup.ts';
import {
	type Counts,
	countsOf,
	type Facts,
	outcomeOf,
	summaryOf,
} from '../../nodes/shared/run/summary.ts';
import { reasonToStop } from '../../nodes/shared/output/onError.ts';
import {
	causesOf,
	Failure,
	invalidValue,
	notSent as unsent,
	ofJob,
	problemOf,
} from '../../nodes/shared/failures/failure.ts';
import type { InvalidReason, Reason } from '../../nodes/shared/failures/reasons.ts';
import { connectionError, unexpectedResponse } from '../../nodes/shared/http/errors.ts';
import { noName } from './thrown.mts';

const failed = problemOf(connectionError({ code: 'ECONNRESET' }));

const AT = 1_798_675_200_000;

const invalidOf = (reason: InvalidReason) =>
	problemOf(new Failure(reason, { message: 'Fails', description: 'Check it.' }));
const notSent = (reason: Reason) => problemOf(unsent(reason));
const noCredits = new Failure('out_of_credits', {
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
	skipped: { status: 'skipped', fields: {} },
	missing: problemOf(noName),
	expression: invalidOf('failing_expression'),
	unevaluated: invalidOf('unevaluated_expression'),
	invalid: problemOf(invalidValue('Email', 'Email must be text')),
	failed,
	failedJob: problemOf(ofJob('7', unexpectedResponse('a result for this item'))),
	pending: problemOf(ofJob('12')),
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

/** What an item lacks, or what cannot be right. */
const INVALID: Kind[] = ['missing', 'expression', 'unevaluated', 'invalid'];

/** What comes without a request in this run. */
const FREE: Kind[] = ['reused', 'local', 'known', 'skipped'];

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
		}
	}
	return counts;
}

const reasonOf = (kinds: Outcomes, failsWhenIncomplete: boolean, hasValue: boolean) =>
	reasonToStop(problemsOf(kinds), kinds.length, { failsWhenIncomplete, hasValue });

interface Figures {
	spent?: Partial<Ledger>;
	paused?: number;
	inAll?: number;
	cameIn?: Kind[];
	counts?: Partial<Counts>;
	readFrom?: string;
	facts?: Partial<Facts>;
}

type Ledger = { certain: number; uncertain: number };

function summary(lookup: Lookup<IDataObject>, kinds: Kind[], given: Figures = {}) {
	const { paused = 0, readFrom, facts, cameIn: before = [], inAll = 0 } = given;
	const problems = problemsOf(kinds).map(({ problem }) => problem);
	const cameIn = problemsOf(before).map(({ problem }) => problem);
	const spent = { certain: 0, uncertain: 0, ...given.spent };
	const cost = { spent, inAll: { certain: inAll, uncertain: 0 }, paused };
	const counts = { ...countsIn(kinds), ...given.counts };
	const known = {
		...{ counts, items: kinds.length, causes: causesOf([...problems, ...cameIn]) },
		...{ toPick: () => 'pick it', retriesOnFail: false },
		...facts,
	};
	return summaryOf(known, outcomeOf(lookup, counts, problems, cameIn, cost), readFrom);
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
		expect(reasonOf(['missing', 'invalid', 'missing'], false, false)).toEqual({
			problem: {
				...missing,
				message: 'No item can be looked up: 2 without a name, 1 with a value that is not valid',
				description: 'The first one: no name. Fill in Full Name.',
			},
		});
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

	const again = 'then run again: what was found is free for a day.';

	it.each<[Kind[], Figures, string]>([
		[['found'], { spent: { certain: 1 } }, '1 item: 1 found. 1 credit used.'],
		[
			['found', 'known', 'known', 'cancelled'],
			{ counts: { duplicates: 1, earlier: 2 }, paused: 400 },
			'4 items: 1 found, 2 already with an email, 1 not sent (execution stopped). ' +
				'0 credits used; for free: 2 from earlier runs, 1 duplicate.<br>' +
				`Check why it was stopped, ${again}`,
		],
		[
			['missing', 'missing', 'expression', 'invalid', 'pending', 'pending'],
			{ spent: { certain: 3, uncertain: 1 }, paused: 8_400 },
			'6 items: 2 without a name, 1 with an expression that cannot be evaluated, ' +
				'1 with a value that is not valid, 2 waiting for a bulk job. ' +
				'Up to 4 credits used; waited 8 seconds for the rate limit.<br>' +
				'Fill in Full Name. Nothing is lost: run the Finder again later, and it collects what is waiting, for free. ' +
				'And 2 more: see the messages of the items.',
		],
		[
			['outOfCredits', 'outOfCredits', 'creditLimit'],
			{},
			'3 items: 2 not sent (out of credits), 1 not sent (Max Credits reached). 0 credits used.<br>' +
				`Add credits to the account of the credential. Raise Max Credits in the options, ${again}`,
		],
		[
			['found', 'notFound', 'missing'],
			{ spent: { certain: 1 }, readFrom: 'Read from: <Name>, E-Mail' },
			'3 items: 1 found, 1 not found, 1 without a name. 1 credit used.<br>' +
				'Fill in Full Name.<br>Read from: &lt;Name>, E-Mail.',
		],
	])('of %j', (kinds, figures, expected) => {
		expect(summary(finder, kinds, figures)[0]).toBe(expected);
	});

	it('of the verifier tells of local answers and why items are passed on, and no miss', () => {
		expect(summary(verifier, ['local', 'known', 'known', 'skipped'])[0]).toBe(
			'4 items: 1 verified, 2 already with a status, 1 without an email. ' +
				'0 credits used; for free: 1 not a valid email.',
		);
		expect(
			summary(verifier, ['known'], { cameIn: ['pending', 'manualLimit'], inAll: 3 })[0],
		).toMatch(
			/^3 items: 1 already with a status, 1 waiting for a bulk job, 1 not sent \(Max Items in Manual Runs reached\) before this node\. 0 credits used, 3 in this execution\./,
		);
		expect(summary(verifier, ['notFound'])[0]).toBe(
			'1 item: 0 verified, 1 not found. 0 credits used.',
		);
	});

	const wasted = { wasted: 2, wastedIn: new Set(['Post']) };
	const only404 = { responses: 10, notFound: 10 };

	it.each<[string, Kind[], Figures, said: string | undefined, isWarning: boolean]>([
		['nothing', ['found'], {}, undefined, false],
		[
			'money spent in vain before all',
			['unauthorized'],
			{ counts: wasted },
			'2 credits went to items that already had an email in Post',
			true,
		],
		['a path that may be wrong', ['missing'], { counts: only404 }, 'Every lookup got a 404', true],
		['a problem', ['found', 'missing'], {}, 'Fill in Full Name', true],
		['a trial', ['found', 'manualLimit'], {}, 'Raise Max Items in Manual Runs', false],
		[
			'that no email was read',
			['skipped'],
			{},
			'If your emails are in another column: pick it',
			true,
		],
		[
			'that all is there',
			['known', 'skipped'],
			{},
			'set the option Look Up Again After (Days) to 0',
			false,
		],
		[
			'nothing, of what this package has looked up',
			['known'],
			{ counts: { ofOthers: 0 } },
			undefined,
			false,
		],
		[
			'what came in without a result',
			['known'],
			{ counts: { ofOthers: 0 }, cameIn: ['outOfCredits'] },
			'Add credits to the account of the credential, then run again',
			true,
		],
		[
			'Retry On Fail',
			['found'],
			{ facts: { retriesOnFail: true } },
			'Turn Retry On Fail off',
			false,
		],
	])('says what is wrong: %s', (_, kinds, figures, said, isWarning) => {
		const [text, type] = summary(finder, kinds, figures);
		const [, advice, ...more] = text.split('<br>');
		expect(more).toEqual([]);
		if (said === undefined) expect(advice).toBeUndefined();
		else expect(advice).toContain(said);
		expect(type).toBe(isWarning ? 'warning' : 'info');
	});

	it('can be counted against the table: every item is in one of its numbers', () => {
		const names = fc.constantFrom(...kindsOf(outcomes));
		fc.assert(
			fc.property(fc.array(names, { minLength: 1, maxLength: 9 }), (kinds) => {
				const [said] = summary(finder, kinds);
				const [, items, table] = /^(\d+) items?: (.*?)\. \d+ credits? used/.exec(said) ?? [];
				const parts = table.split(', ');
				const numbers = parts.map((part) => Number.parseInt(part, 10));
				const sum = numbers.reduce((total, number) => total + number, 0);
				expect([sum, Number(items)]).toEqual([kinds.length, kinds.length]);
			}),
			{ numRuns: 300 },
		);
	});
});
