/** @file What a chaos run is made of: a random workflow over random items, in a random world. */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CODES } from '../../../nodes/shared/http/codes.ts';
import { ECHO, type Effect, type Trigger } from '../../emulator/faults.mts';
import type { Variants } from '../../emulator/variants.mts';
import { everyLookup, withJobs } from '../leads/lookups.mts';
import { STATUSES } from '../leads/outcomes.mts';

type Of<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
export type Plan = Of<typeof plan>;
export type Step = Of<typeof step>;
export type Row = Of<ReturnType<typeof row>>;

/** One time in so many. */
function seldom(times: number): fc.Arbitrary<boolean> {
	return fc.nat(times - 1).map((nth) => nth === 0);
}

function maybe<T>(value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> {
	return fc.option(value, { nil: undefined, freq });
}

const options = fc
	.record({
		maxConcurrency: fc.integer({ min: 1, max: 8 }),
		maxRetries: fc.nat(3),
		maxCredits: maybe(fc.nat(60), 4),
		incompleteRun: maybe(fc.constant('fail'), 5),
	})
	.map((set): INodeParameters => JSON.parse(JSON.stringify(set)));

/** A lookup of the workflow, and how its node is set. */
const step = fc.record({
	// What may leave a job has the longest way.
	lookup: fc.constantFrom(...everyLookup, ...withJobs),
	onError: fc.constantFrom(
		'stopWorkflow',
		'continueRegularOutput',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	retryOnFail: seldom(5),
	simple: seldom(6).map((isRaw) => !isRaw),
	includeInputFields: seldom(6).map((isLeftOut) => !isLeftOut),
	/** Whether Existing Email and Existing Status stay at their defaults, and Checked At is added; else they are empty. */
	takesKnown: fc.boolean(),
	/** Whether Look Up Only If goes by what an item says. */
	isConditional: seldom(4),
	/** Of a Finder. */
	keepEmailIf: maybe(fc.constantFrom('valid', 'notInvalid'), 3),
	/** Max Items in Manual Runs, where it is not left at its default. */
	manualLimit: maybe(fc.nat(20), 2),
	options,
	/** In minutes. */
	jobTimeout: fc.constantFrom(0, 0, 30),
	/** Whether the same lookup once more collects what is pending, right behind it or after a Wait. */
	collected: fc.constantFrom('at once', 'later', 'not'),
	/** Whether the execution waits behind it. */
	waits: seldom(4),
});

/** Emails as they stand in sheets, made of a plain one. */
export const oddEmails = {
	accent: (email: string) => `é${email}`,
	blank: (email: string) => email.replace('.', ' '),
	'no at sign': (email: string) => email.replace('@', ' at '),
	plus: (email: string) => email.replace('@', '+News@'),
	quoted: (email: string) => email.replace(/^(.*)@/, '"$1"@'),
	'beside a name': (email: string) => `Ann Lee ${email}`,
};

/** An item, as a sheet with gaps has it, of one of so many leads. */
const row = (first: number, many: number) =>
	fc.record({
		/** The number of the lead. */
		lead: fc.nat(many).map((number) => first + number),
		/** Whether it is in another spelling. */
		twin: seldom(3),
		lacks: fc.constantFrom('nothing', 'nothing', 'nothing', 'name', 'email', 'email', 'all'),
		odd: maybe(
			fc.constantFrom('accent', 'blank', 'no at sign', 'plus', 'quoted', 'beside a name'),
			8,
		),
		/** For Look Up Only If. */
		wanted: fc.constantFrom(true, true, 'true', false, ''),
		/** What it says of its email. */
		emailStatus: maybe(
			fc.constantFrom('valid', 'OK', 'nok', 'catch-all', 'unknown', 'who knows'),
			3,
		),
		checkedAt: maybe(fc.constantFrom('2020-01-01', '2099-12-31T00:00:00Z', 'no date'), 3),
		/** What earlier lookups have said. */
		earlier: maybe(
			fc.record({
				lookupStatus: fc.constantFrom(...STATUSES),
				lookupCredits: fc.constantFrom(0, 3, null),
				...{ lookupReason: fc.constant('forbidden'), lookupMessage: fc.constant('No plan') },
				// Of a job that this service does not know.
				lookupJobId: maybe(fc.constantFrom('777001', '777002'), 3),
				lookupJobRow: fc.constantFrom(1, 1, 2, 101),
				companyStatus: fc.constantFrom('found', 'not_found', 'failed'),
				companyCredits: fc.constantFrom(0, 3, null),
			}),
		),
		/** What else the user has in it. */
		others: fc.dictionary(
			fc.constantFrom(
				...['note', 'a.b', 'toString', 'constructor', '0'],
				...['status', 'reason', 'message', 'credits', 'jobId', 'jobRow', 'response'],
			),
			fc.jsonValue({ maxDepth: 1 }),
			{ maxKeys: 4 },
		),
	});

/** Mostly some items, now and then more than one request of a bulk lookup takes. */
function someRows(execution: number): fc.Arbitrary<Row[]> {
	const rows = (many: number) =>
		fc.array(row(execution * 1_000, many), { minLength: 1, maxLength: many, size: 'max' });
	return fc.oneof({ weight: 2, arbitrary: rows(15) }, { weight: 1, arbitrary: rows(130) });
}

const SAYING_NOTHING = [
	'{}',
	'{"success":false,"error":"Your plan has expired"}',
	'{"errors":[{"details":"No plan"}]}',
	'{"data":{"email":"ada@acme.com"}}',
];

const refusals = [400, 401, 402, 403, 404, 409, 413, 422, 500, 502, 504];
const rareCodes = [...CODES.keys(), 520, 521, 522, 523, 529].filter(
	(code) => !refusals.includes(code),
);

/** A gateway gives up; the service may go on. */
export const GATEWAYS = [408, 502, 504, 524];

const effect: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({
		status: fc.constantFrom(429, 429, 429, 503, 503, ...refusals, ...rareCodes),
		words: maybe(fc.constantFrom('Rate limit exceeded', 'No credits left'), 3),
		statedIn: maybe(fc.constantFrom('RateLimit-Reset', 'retry_after'), 3),
		retryAfter: fc.constantFrom('seconds', 'date', 'nonsense', undefined),
		// Now and then longer than a run waits.
		seconds: fc.constantFrom(0, 1, 2, 3, 3_600),
	}),
	fc.record({
		body: fc.constantFrom('truncated', 'cut-off', 'html', 'text', 'json-scalar'),
		charge: fc.boolean(),
	}),
	// A miss of a single lookup, which is free.
	fc.record({ body: fc.constant('empty'), status: fc.constantFrom(200, 204) }),
	fc.record({
		body: fc.constantFrom('NaN', 'line break', 'unreadable', 'miscoded'),
		charge: fc.constant(true),
	}),
	fc.constant({ body: 'sound', status: 202, charge: true }),
	fc.record({
		body: fc.constant('html'),
		status: fc.constantFrom(...GATEWAYS),
		charge: fc.boolean(),
	}),
	// A response that says nothing, whatever it has cost.
	fc.record({
		body: fc.record({ json: fc.constantFrom(...SAYING_NOTHING) }),
		charge: fc.boolean(),
	}),
	// Nobody charges for an error.
	fc.record({
		body: fc.constantFrom('html', 'text', 'empty', 'echo'),
		status: fc.constantFrom(400, 401, 403, 500, 503),
	}),
	{
		weight: 3,
		arbitrary: fc.record({ reset: fc.constantFrom('before-charge', 'after-charge') }),
	},
	fc.record({ delayMs: fc.nat(15) }),
);

/** What becomes of the rows of a bulk search: whose each of them is can be told, or that it is nobody's. */
const ofPeople: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({
		rows: fc.constantFrom(
			...(['missing', 'doubled', 'unknown', 'shuffled', 'none', 'half'] as const),
			...(['stranger', 'strangers', 'enveloped', 'swapped', 'swapped', 'from zero'] as const),
			...([['unnumbered', 'shuffled'], 'unnumbered', 'decimal'] as const).map((ways) =>
				[ways].flat(),
			),
		),
	}),
	fc.record({
		rows: fc.constantFrom('shuffled', 'unnumbered', 'decimal'),
		without: fc.constant(ECHO),
	}),
	// The number says whose it is: what else it repeats is spelt in another way.
	fc.record({
		set: fc.constantFrom<IDataObject>(
			{ firstName: 'Анна', lastName: 'Тест', name: 'Анна Тест', company: 'Яндекс' },
			{ firstName: '{firstName}&#39;', name: '{name}&#39;' },
			{ company: '{company} International Holding', name: 'A. {lastName}', firstName: 'A.' },
			{ domain: 'www.{domain}' },
		),
		without: fc.constantFrom([], ['domain'], ['firstName', 'lastName', 'name']),
	}),
	fc.constant({ set: { email: 'Ann Lee <{email}>' } }),
	fc.constant({ set: { email: null, quality: null, success: false } }),
);
const ofEmails: fc.Arbitrary<Effect> = fc.record({
	rows: fc.constantFrom('missing', 'doubled', 'unknown', 'shuffled', 'none', 'half', 'normalized'),
});

/** Rows that are changed, in about a third of the bulk requests. */
const changed = maybe(
	fc.record({
		found: ofPeople,
		collected: ofPeople,
		verified: ofEmails,
		every: fc.constantFrom(1, 1, 1, 2),
	}),
	3,
);

/** The requests that a fault hits. */
const hits: fc.Arbitrary<Trigger> = fc.oneof(
	fc.record({ nth: fc.integer({ min: 1, max: 12 }) }),
	fc.record({ every: fc.integer({ min: 1, max: 4 }), times: fc.integer({ min: 1, max: 8 }) }),
);

const variants: fc.Arbitrary<Partial<Variants>> = fc.record({
	accountShape: fc.constantFrom('full', 'credits'),
	finderVocabulary: fc.constantFrom('current', 'earlier'),
	finderLetterCase: fc.constantFrom('lower', 'upper', 'capital'),
	finderExtras: fc.boolean(),
	finderMiss: fc.constantFrom('not-found', 'empty', 'null', 'missing'),
	bulkIdType: fc.constantFrom('as-sent', 'number', 'text'),
	bulkAnswer: fc.constantFrom('rows', 'job', 'job'),
	jobPollForm: fc.constantFrom('path', 'query'),
	jobPollRefusal: fc.constantFrom(404, 405),
	jobPolls: fc.constantFrom(0, 1, 1, 2, 3),
	jobProgress: fc.constantFrom('hidden', 'empty', 'some'),
	jobResultShape: fc.constantFrom('bare', 'results', 'people', 'data', 'rows'),
	bulkStatusMessage: fc.boolean(),
	companyId: fc.boolean(),
	paymentWording: fc.constantFrom('insufficient', 'refused'),
});

export const plan = fc.record({
	/** Executions of the workflow at once, each over leads of its own. */
	executions: fc.oneof(
		{ weight: 6, arbitrary: fc.tuple(someRows(0)) },
		{ weight: 2, arbitrary: fc.tuple(someRows(0), someRows(1)) },
		{ weight: 1, arbitrary: fc.tuple(someRows(0), someRows(1), someRows(2)) },
	),
	/** What a job says once it is over. */
	jobWord: seldom(4).map((isOdd) => (isOdd ? 'PartiallyCompleted' : 'completed')),
	/** Whether the first of them runs twice, as where a trigger fires twice. */
	isDoubled: seldom(4),
	/** How often somebody runs the first one again, over the same items, when all are over; and whether all is well then. */
	clicks: fc.constantFrom(0, 0, 1, 2),
	isWell: fc.boolean(),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
	/** Whether the first lookup runs once more, over the same items, as in a loop. */
	again: seldom(4),
	mode: fc.constantFrom('trigger', 'trigger', 'manual'),
	/** How many accounts the items belong to. */
	accounts: fc.constantFrom(1, 1, 2),
	variants,
	latencyMs: fc.nat(2),
	/** What each account can spend of each kind; plenty if undefined. */
	creditsLeft: maybe(fc.nat(120), 3),
	/** Leave Credits in Account of every lookup, if any. */
	keepCredits: maybe(fc.nat(40), 4),
	/** Faults, and the requests that they hit. */
	troubles: fc.array(fc.record({ effect, on: hits }), { maxLength: 4 }),
	changed,
	/** The ids of jobs. */
	ids: maybe(fc.constant('huge'), 3),
	/** Whether the account has no quota, if nothing else is said of its credits. */
	isUnlimited: seldom(4),
	/** The first execution, or its double, is stopped when so many requests have arrived. */
	stopAt: maybe(fc.integer({ min: 1, max: 12 }), 5),
	stopped: fc.constantFrom('first', 'double'),
	/** How long n8n lets an execution take, in seconds. */
	timeout: maybe(fc.constantFrom(0.5, 2.5, 3, 4, 6), 5),
	/** How often n8n's Retry button is pressed after a failure. */
	retries: fc.nat(2),
});
