/** @file What a chaos run is made of: a random workflow over random items, in a random world. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Effect, Trigger } from '../../service/faults.mts';
import type { Variants } from '../../service/variants.mts';

export type Operation = 'find' | 'findBulk' | 'verify' | 'verifyBulk' | 'search';

/** A lookup of the workflow, and how its node is set. */
export interface Step {
	operation: Operation;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail: boolean;
	simple: boolean;
	includeInputFields: boolean;
	/** Whether it is given what the items bring along. */
	takesKnown: boolean;
	options: IDataObject;
	/** Whether Get Bulk Job collects what is pending, right behind it or after a Wait. */
	collected: 'at once' | 'later' | 'not';
	/** Whether the execution waits behind it. */
	waits: boolean;
}

/** An item, as a sheet with gaps has it. */
export interface Row {
	/** The number of the lead. */
	lead: number;
	/** Whether it is in another spelling. */
	twin: boolean;
	lacks: 'nothing' | 'name' | 'email' | 'all';
	/** What its email is like, if it is no plain one. */
	odd?: keyof typeof oddEmails;
	/** What it says of its email. */
	emailStatus?: string;
	checkedAt?: string;
}

/** Emails as they stand in sheets, made of a plain one. */
export const oddEmails = {
	accent: (email: string) => `é${email}`,
	blank: (email: string) => email.replace('@', ' @'),
	'no at sign': (email: string) => email.replace('@', ' at '),
	plus: (email: string) => email.replace('@', '+News@'),
	quoted: (email: string) => email.replace(/^(.*)@/, '"$1"@'),
};

/** A fault, and the requests that it hits. */
export interface Trouble {
	effect: Effect;
	on: Trigger;
}

export interface Plan {
	/** Executions of the workflow at once, each over leads of its own. */
	executions: Row[][];
	steps: Step[];
	/** Whether the first lookup runs once more, over the same items, as in a loop. */
	again: boolean;
	mode: 'trigger' | 'manual';
	/** How many accounts the items belong to. */
	accounts: number;
	variants: Partial<Variants>;
	latencyMs: number;
	/** What each account can spend of each kind; plenty if undefined. */
	creditsLeft: number | undefined;
	/** Keep Credits of every lookup, if any. */
	keepCredits: number | undefined;
	troubles: Trouble[];
	/** The first execution is stopped when so many requests have arrived. */
	stopAt: number | undefined;
	/** How often n8n's Retry button is pressed after a failure. */
	retries: number;
}

const OPERATIONS: Operation[] = ['find', 'findBulk', 'verify', 'verifyBulk', 'search'];

/** One time in so many. */
function seldom(times: number): fc.Arbitrary<boolean> {
	return fc.nat(times - 1).map((nth) => nth === 0);
}

function maybe<T>(value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> {
	return fc.option(value, { nil: undefined, freq });
}

const options: fc.Arbitrary<IDataObject> = fc
	.record({
		maxConcurrency: fc.integer({ min: 1, max: 8 }),
		maxRetries: fc.nat(3),
		maxCredits: maybe(fc.nat(60), 4),
		manualLimit: maybe(fc.nat(20), 4),
		incompleteRun: maybe(fc.constant('fail'), 5),
		resultField: maybe(fc.constant('result'), 6),
	})
	.map(dropUndefined);

function dropUndefined(record: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

const step: fc.Arbitrary<Step> = fc.record({
	operation: fc.constantFrom(...OPERATIONS),
	onError: fc.constantFrom(
		'stopWorkflow',
		'continueRegularOutput',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	retryOnFail: seldom(5),
	simple: seldom(6).map((isRaw) => !isRaw),
	includeInputFields: seldom(6).map((isLeftOut) => !isLeftOut),
	takesKnown: fc.boolean(),
	options,
	collected: fc.constantFrom('at once', 'later', 'not'),
	waits: seldom(4),
});

const ODD: Array<keyof typeof oddEmails> = ['accent', 'blank', 'no at sign', 'plus', 'quoted'];
const STATUSES = ['valid', 'OK', 'nok', 'catch-all', 'unknown', 'who knows'];
const MOMENTS = ['2020-01-01', '2099-12-31T00:00:00Z', 'no date'];

function rows(first: number, many: number): fc.Arbitrary<Row[]> {
	const row = fc.record({
		lead: fc.nat(many).map((number) => first + number),
		twin: seldom(3),
		lacks: fc.constantFrom<Row['lacks'][]>(
			'nothing',
			'nothing',
			'nothing',
			'name',
			'email',
			'email',
			'all',
		),
		odd: maybe(fc.constantFrom(...ODD), 8),
		emailStatus: maybe(fc.constantFrom(...STATUSES), 3),
		checkedAt: maybe(fc.constantFrom(...MOMENTS), 3),
	});
	return fc.array(row, { minLength: 1, maxLength: many, size: 'max' });
}

/** Mostly some items, now and then more than one request of a bulk lookup takes. */
function someRows(execution: number): fc.Arbitrary<Row[]> {
	const first = execution * 1_000;
	return fc.oneof(
		{ weight: 2, arbitrary: rows(first, 15) },
		{ weight: 1, arbitrary: rows(first, 130) },
	);
}

const effect: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({
		status: fc.constantFrom(
			429,
			429,
			429,
			500,
			502,
			503,
			503,
			504,
			400,
			401,
			402,
			403,
			404,
			409,
			413,
			422,
		),
		retryAfter: fc.constantFrom('seconds', 'date', 'nonsense', undefined),
		seconds: fc.nat(3),
	}),
	fc.record({
		body: fc.constantFrom('truncated', 'cut-off', 'html', 'text', 'json-scalar', 'empty'),
		charge: fc.boolean(),
	}),
	// Nobody charges for an error.
	fc.record({
		body: fc.constantFrom('html', 'text', 'empty', 'echo'),
		status: fc.constantFrom(400, 401, 403, 500, 503),
	}),
	fc.record({ reset: fc.constantFrom('before-charge', 'after-charge') }),
	fc.record({ rows: fc.constantFrom('missing', 'doubled', 'unknown', 'shuffled') }),
	fc.record({ delayMs: fc.nat(15) }),
);

const trouble: fc.Arbitrary<Trouble> = fc.record({
	effect,
	on: fc.oneof(
		fc.record({ nth: fc.integer({ min: 1, max: 12 }) }),
		fc.record({ every: fc.integer({ min: 1, max: 4 }), times: fc.integer({ min: 1, max: 8 }) }),
	),
});

const variants: fc.Arbitrary<Partial<Variants>> = fc.record({
	accountShape: fc.constantFrom('full', 'credits'),
	finderVocabulary: fc.constantFrom('current', 'earlier'),
	finderLetterCase: fc.constantFrom('lower', 'upper', 'capital'),
	finderExtras: fc.boolean(),
	finderMiss: fc.constantFrom('not-found', 'empty', 'null', 'missing'),
	bulkIdType: fc.constantFrom('as-sent', 'number', 'text'),
	bulkAnswer: fc.constantFrom('rows', 'job'),
	jobPollForm: fc.constantFrom('path', 'query'),
	jobPollRefusal: fc.constantFrom(404, 405),
	jobPolls: fc.nat(3),
	jobProgress: fc.constantFrom('hidden', 'empty', 'some'),
	jobResultShape: fc.constantFrom('bare', 'results', 'people', 'data', 'rows'),
	bulkStatusMessage: fc.boolean(),
	companyId: fc.boolean(),
	paymentWording: fc.constantFrom('insufficient', 'refused'),
});

export const plan: fc.Arbitrary<Plan> = fc.record({
	executions: fc.oneof(
		{ weight: 3, arbitrary: fc.tuple(someRows(0)) },
		{ weight: 1, arbitrary: fc.tuple(someRows(0), someRows(1)) },
	),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
	again: seldom(4),
	mode: fc.constantFrom('trigger', 'trigger', 'manual'),
	accounts: fc.constantFrom(1, 1, 2),
	variants,
	latencyMs: fc.nat(2),
	creditsLeft: maybe(fc.nat(120), 3),
	keepCredits: maybe(fc.nat(40), 4),
	troubles: fc.array(trouble, { maxLength: 4 }),
	stopAt: maybe(fc.integer({ min: 1, max: 12 }), 5),
	retries: fc.nat(2),
});
