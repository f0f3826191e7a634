/** @file When a run stops the workflow, and how it is summed up. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Lookup } from '../../nodes/shared/lookups/lookup.ts';
import type { Outcome } from '../../nodes/shared/lookups/item.ts';
import { summaryOf, Tally } from '../../nodes/shared/lookups/summary.ts';
import {
	invalidValue,
	JobFailed,
	JobPending,
	missing,
	problemOf,
} from '../../nodes/shared/output/problem.ts';
import { FailingExpression } from '../../nodes/shared/host/parameters.ts';
import {
	connectionError,
	NotProcessed,
	ServiceError,
	unexpectedAnswer,
} from '../../nodes/shared/http/errors.ts';

const failed = problemOf(connectionError({ code: 'ECONNRESET' }));

const AT = 1_798_675_200_000;

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
	missing: problemOf(missing('Email')),
	expression: problemOf(new FailingExpression('Email', new Error('fails'))),
	failed,
	failedJob: problemOf(new JobFailed('7', unexpectedAnswer('a result for this item'))),
	pending: problemOf(new JobPending('12')),
	outOfCredits: problemOf(new NotProcessed('out_of_credits')),
	refusedForCredits: problemOf(
		new ServiceError('out_of_credits', { message: 'A', description: 'B', httpCode: 402 }),
	),
	unauthorized: problemOf(new NotProcessed('unauthorized')),
	serviceDown: problemOf(new NotProcessed('service_down')),
	creditLimit: problemOf(new NotProcessed('credit_limit')),
	manualLimit: problemOf(new NotProcessed('manual_limit')),
	cancelled: problemOf(new NotProcessed('cancelled')),
} satisfies Record<string, Outcome>;

type Kind = keyof typeof outcomes;

/** What comes without a request in this run. */
const FREE: Kind[] = ['reused', 'local', 'known', 'undated', 'skipped'];

function tallyOf(kinds: Kind[]): Tally {
	const tally = new Tally();
	kinds.forEach((kind, item) => tally.count(item, outcomes[kind], !FREE.includes(kind)));
	return tally;
}

const returning = false;

const failing = true;

describe('a run that delivers what it has', () => {
	it.each<[Kind[]]>([
		[[]],
		[['found', 'notFound', 'local']],
		[['known', 'skipped']],
		[['known', 'missing']],
		[['skipped', 'missing']],
		[['known', 'creditLimit']],
		[['found', 'failed', 'outOfCredits', 'unauthorized', 'serviceDown']],
		// A miss is an answer, too.
		[['notFound', 'failed']],
		[['failed', 'pending']],
		[['outOfCredits', 'pending']],
		[['creditLimit', 'creditLimit']],
		[['creditLimit', 'local']],
		[['cancelled']],
		[['missing', 'creditLimit']],
		[['missing', 'local']],
		[['missing', 'cancelled']],
		[['missing', 'pending']],
		[['found', 'missing', 'failed']],
	])('goes on after %j', (kinds) => {
		expect(tallyOf(kinds).reasonToStop(returning)).toBeUndefined();
	});

	it.each<[Kind[], number]>([
		[['failed'], 0],
		[['missing', 'failed', 'failed'], 1],
		[['creditLimit', 'outOfCredits'], 1],
		[['refusedForCredits', 'outOfCredits'], 0],
		[['cancelled', 'unauthorized'], 1],
		[['serviceDown'], 0],
		[['failedJob'], 0],
		// What was answered here says nothing of the service: a revoked key cannot hide behind it.
		[['local', 'local', 'unauthorized'], 2],
		[['known', 'known', 'unauthorized'], 2],
		[['skipped', 'undated', 'outOfCredits'], 2],
		[['reused', 'failed'], 1],
		[['missing'], 0],
		[['missing', 'expression'], 0],
	])('stops after %j with the problem of item %i', (kinds, item) => {
		expect(tallyOf(kinds).reasonToStop(returning)).toEqual({
			problem: outcomes[kinds[item]],
			item,
		});
	});

	it('stops exactly where the contract says so', () => {
		const names = fc.constantFrom<Kind>(
			'found',
			'notFound',
			'reused',
			'local',
			'known',
			'undated',
			'skipped',
			'missing',
			'expression',
			'failed',
			'failedJob',
			'pending',
			'outOfCredits',
			'refusedForCredits',
			'unauthorized',
			'serviceDown',
			'creditLimit',
			'cancelled',
		);
		const byService: Kind[] = [
			'failed',
			'failedJob',
			'outOfCredits',
			'refusedForCredits',
			'unauthorized',
			'serviceDown',
		];
		const seen = { stopped: 0, went: 0 };
		fc.assert(
			fc.property(fc.array(names, { maxLength: 5 }), (kinds) => {
				const has = (...some: Kind[]) => kinds.some((kind) => some.includes(kind));
				const all = kinds.length > 0 && kinds.every((kind) => /missing|expression/.test(kind));
				const stops = all || (has(...byService) && !has('found', 'notFound', 'pending'));
				const reason = tallyOf(kinds).reasonToStop(returning);
				expect(reason !== undefined).toBe(stops);
				seen[stops ? 'stopped' : 'went']++;
				if (!reason) return;
				const isReason = (kind: Kind) => all || byService.includes(kind);
				expect(reason.item).toBe(kinds.findIndex(isReason));
				expect(reason.problem).toBe(outcomes[kinds[reason.item]]);
			}),
			{ numRuns: 1_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
	});

	it('does not take a refused item, which could be answered here, from the answers of the service', () => {
		const tally = tallyOf(['found', 'failed']);
		// An empty email lacks the field, and could not be one either.
		tally.count(2, outcomes.missing, false);
		tally.count(3, outcomes.cancelled, false);
		expect([tally.counts.local, tally.reasonToStop(returning)]).toEqual([0, undefined]);
	});

	it('names the first item, in whatever order the answers come', () => {
		const tally = new Tally();
		for (const item of [2, 0, 1]) tally.count(item, outcomes.failed, true);
		expect(tally.reasonToStop(returning)?.item).toBe(0);
	});
});

describe('a run that is to be complete', () => {
	it('goes on where every item has its answer', () => {
		const tally = tallyOf(['found', 'notFound', 'local', 'known', 'skipped']);
		expect(tally.reasonToStop(failing)).toBeUndefined();
	});

	it.each([
		['missing'],
		['failed'],
		['pending'],
		['outOfCredits'],
		['unauthorized'],
		['serviceDown'],
		['creditLimit'],
	] as const)('stops for a single item that is %s, and says how far it got', (kind) => {
		const problem = outcomes[kind];
		expect(tallyOf(['found', 'notFound', kind, 'found']).reasonToStop(failing)).toMatchObject({
			item: 2,
			problem: {
				...problem,
				description: expect.stringContaining(`3 of 4 items are done. ${problem.description}`),
			},
		});
	});

	it('names the jobs that are pending, each once, which a retry collects', () => {
		const tally = tallyOf(['creditLimit', 'pending', 'pending', 'failedJob', 'found']);
		tally.count(5, problemOf(new JobPending('13')), true);
		expect(tally.reasonToStop(failing)?.problem.description).toBe(
			`1 of 6 items are done. ${outcomes.creditLimit.description} Unfinished jobs: 12, 13.`,
		);
	});

	it('says so of one item as of many', () => {
		const descriptionOf = (...kinds: Kind[]) =>
			tallyOf(kinds).reasonToStop(failing)?.problem.description;
		expect(descriptionOf('failed')).toBe(`0 of 1 item is done. ${failed.description}`);
		expect(descriptionOf('found', 'failed')).toBe(`1 of 2 items are done. ${failed.description}`);
	});

	it('takes what a manual run was not to look up for no problem, but names it', () => {
		const tally = tallyOf(['found', 'manualLimit', 'failed']);
		expect(tally.unwanted).toEqual([{ problem: failed, item: 2 }]);
		expect(tally.problems).toHaveLength(2);
		expect(tallyOf(['found', 'manualLimit']).reasonToStop(failing)).toBeUndefined();
	});
});

describe('summaryOf', () => {
	const lookup: Lookup<IDataObject> = {
		option: { name: 'Find Email', value: 'find' },
		fields: [],
		answered: 'found',
		kind: 'email',
		perRequest: 1,
		prepare: () => ({ query: {} }),
		ask: async () => ({ results: [] }),
		simplify: (result) => result,
	};

	const nothing = { duplicates: 0, spent: 0, paused: 0 };

	it('says what came out, what did not, what it cost, and how long it waited', () => {
		const kinds: Kind[] = [
			...['found', 'found', 'found', 'notFound', 'local'],
			...['missing', 'missing', 'expression'],
			...['pending', 'pending', 'failed', 'failed', 'failedJob'],
			...['creditLimit', 'outOfCredits', 'cancelled', 'unauthorized', 'serviceDown'],
		].filter((kind): kind is Kind => kind in outcomes);
		expect(
			summaryOf(lookup, tallyOf(kinds), {
				duplicates: 2,
				spent: 4,
				isUncertain: true,
				paused: 8_400,
			}),
		).toBe(
			'18 items: 4 found, 1 not found. Up to 4 credits used. ' +
				'3 items cost nothing (duplicate or not a valid email). ' +
				'2 missing a required field. 1 with an expression that cannot be evaluated. ' +
				'2 waiting for a bulk job. 2 failed (connection). 1 failed (unexpected_answer). ' +
				'1 not sent (Max Credits reached). 1 not sent (out of credits). ' +
				'1 not sent (execution stopped). 1 not sent (API key not accepted). ' +
				'1 not sent (service not responding). Waited 8 seconds for the rate limit.',
		);
	});

	it('says no more than there is to say', () => {
		expect(summaryOf(lookup, tallyOf(['found']), { ...nothing, spent: 1 })).toBe(
			'1 item: 1 found, 0 not found. 1 credit used.',
		);
		expect(summaryOf(lookup, tallyOf(['found', 'found']), { ...nothing, duplicates: 1 })).toContain(
			'1 item cost nothing (duplicate).',
		);
		expect(summaryOf(lookup, tallyOf(['found']), { ...nothing, paused: 400 })).not.toContain(
			'Waited',
		);
		expect(summaryOf({ ...lookup, answered: 'verified' }, tallyOf(['local']), nothing)).toBe(
			'1 item: 1 verified. 0 credits used. 1 item cost nothing (not a valid email).',
		);
	});

	it('says what was passed on, and whose date could not be read', () => {
		const kinds: Kind[] = ['known', 'found', 'undated', 'skipped', 'undated', 'known'];
		expect(summaryOf(lookup, tallyOf(kinds), { ...nothing, spent: 1 })).toBe(
			'6 items: 1 found, 0 not found, 4 already known, 1 skipped. 1 credit used. ' +
				'2 known items without a valid date in Checked At.',
		);
		expect(summaryOf(lookup, tallyOf(['undated']), nothing)).toBe(
			'1 item: 0 found, 0 not found, 1 already known. 0 credits used. ' +
				'1 known item without a valid date in Checked At.',
		);
	});

	it.each<[Kind[]]>([
		[['known', 'skipped']],
		[['failed', 'failed']],
		[['cancelled', 'cancelled']],
		[['missing', 'missing']],
	])('does not take %j, which were never sent, for duplicates', (kinds) => {
		expect(summaryOf(lookup, tallyOf(kinds), nothing)).not.toContain('cost nothing');
	});

	it('does not say of a value that is not valid that it is missing', () => {
		const tally = new Tally();
		const refused = problemOf(invalidValue('Max Credits', 'Max Credits must be a number'));
		tally.count(0, refused, false);
		const summary = summaryOf(lookup, tally, nothing);
		expect(summary).toContain('1 with a value that is not valid');
		expect(summary).not.toContain('missing');
	});
});
