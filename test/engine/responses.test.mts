/**
 * @file What a response says: whose a row is, whether it says anything, whether a job is over, whether there is more, what
 * a status code means, and what an account has.
 */

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';

import { ECHO, type Effect, type Fault, type Trigger } from '../emulator/faults.mts';
import { expectedVerification } from '../emulator/addresses.mts';
import type { Variants } from '../emulator/variants.mts';
import type { ServiceOptions } from '../emulator/world.mts';
import { listWithId, operationOf } from '../operations.mts';
import { known, list } from '../support/leads/expected.mts';
import {
	answerIn,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	requestsOf,
	runLookup,
	verify,
	verifyBulk,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { emits, looksUp, outputOf, toldBy } from '../support/node/chains.mts';
import { pollingTrigger } from '../support/node/contexts.mts';
import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode, runWorkflow, type NodeTest, type OurNode } from '../support/node/engine.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, openAccount, useService } from '../support/servers/service.mts';

const service = useService({ variants: { jobPolls: 1, jobResultShape: 'results' } });
useQuickClock();

/** Nobody has bought anything with its key before. */
let credential = credentialFor;
beforeEach(() => {
	const apiKey = openAccount(service());
	credential = (of, settings) => ({ ...credentialFor(of, settings), apiKey });
});

/** Leads who are found, and some among whom are misses. */
const six = paidAmong(find, 40).slice(0, 6);
const mixed = numbers(60);

/** What became of a lead, in a word. */
function wordOf(item: IDataObject, { answer, credits }: Lookup, number: number): string {
	const { lookupStatus: status, lookupReason: reason, email } = item;
	if (JSON.stringify(answerIn(item)) === JSON.stringify(answer(number))) return 'right';
	const { first: firstName, last: lastName, domain } = leadOf(number);
	const isOwn = service().ledger.isOf(String(email), { firstName, lastName, domain });
	if (credits === 'email' && (email ?? null) !== null && !isOwn) return 'of somebody else';
	return status === 'failed' ? `failed: ${String(reason)}` : String(status);
}

/** Things in words, those that are alike counted. */
function counted(words: string[]): string {
	return [...Map.groupBy(words, (word) => word)]
		.map(([word, { length }]) => `${length} ${word}`)
		.join(', ');
}

interface Given extends LookupTest {
	faults?: Fault[];
	variants?: Partial<Variants>;
	world?: ServiceOptions;
}

/** Looks leads up in such a service. */
async function lookUp(lookup: Lookup, wanted: number[], given: Given = {}) {
	const { faults = [], variants, world, options, ...test } = given;
	Object.assign(service().variants, variants);
	Object.assign(service().options, world);
	for (const fault of faults) service().faults.add(fault);
	const result = await runLookup(lookup, service(), wanted.map(lookup.item), {
		onError: 'continueRegularOutput',
		credential: credential(service()),
		options: { maxConcurrency: 1, ...options },
		...test,
	});
	const words = result.json.map((item, index) => wordOf(item, lookup, wanted[index]));
	return { ...result, came: counted(words) };
}

const sent = () => service().requests.length;
const submitted = () => requestsOf(service(), 'findBulk').length;

/** The most that was paid for one of the leads. */
const mostPaid = () => Math.max(0, ...service().ledger.bySubject().values());

const job = { bulkAnswer: 'job' } as const;
const jobOptions = { jobTimeout: 5 };

/** Leads whose job was not waited for. */
async function waitingLeads(): Promise<IDataObject[]> {
	const parameters = { includeInputFields: true };
	const waiting = { variants: job, options: { jobTimeout: 0 }, parameters };
	const { json } = await lookUp(findBulk, six, waiting);
	expect(json).toMatchObject(six.map(() => ({ lookupStatus: 'pending', lookupCredits: null })));
	return json;
}

/** Another execution, with the items that wait. */
async function collectLater(items: IDataObject[]) {
	return await runLookup(findBulk, service(), items, {
		credential: credential(service()),
		options: { jobTimeout: 0 },
		parameters: { includeInputFields: true },
		onError: 'continueRegularOutput',
	});
}

describe('whose a row is', () => {
	const right = '6 right';
	const failed = '6 failed: unexpected_answer';
	/** Whatever became of them, none has the email of another. */
	const own = /^\d right$|^(\d right, )?\d (failed: unexpected_answer|pending)/;

	const HALVES = ['firstName', 'lastName'];
	const NAMES = [...HALVES, 'name'];
	const inCyrillic = {
		...{ firstName: 'Анна', lastName: 'Тест', name: 'Анна Тест', company: 'Яндекс' },
	};
	const inCapitals = { firstName: 'ANN', lastName: 'TEST', name: '{firstName} TÉST' };
	const cases: Array<[string, Effect, came: string | RegExp, ofJob?: RegExp]> = [
		['numbers from 0', { rows: 'from zero' }, right],
		['numbers from 0, nothing echoed', { rows: 'from zero', without: ECHO }, own],
		['numbers swapped', { rows: 'swapped' }, right],
		['numbers swapped, the name echoed', { rows: 'swapped', without: ['domain'] }, right],
		[
			'numbers swapped, one text echoed',
			{ rows: 'swapped', set: { name: inCapitals.name }, without: ['firstName', 'lastName'] },
			right,
		],
		['no numbers', { rows: 'unnumbered' }, right],
		['no numbers, nothing echoed', { rows: 'unnumbered', without: ECHO }, right],
		['no numbers, in another order', { rows: ['unnumbered', 'shuffled'] }, right],
		['no numbers, a row is missing', { rows: ['unnumbered', 'missing'] }, /^5 right, 1 (f|p)/],
		[
			'no numbers, one missing, nothing echoed',
			{ rows: ['unnumbered', 'missing'], without: ECHO },
			own,
		],
		['decimals', { rows: 'decimal' }, right],
		['decimals, nothing echoed', { rows: 'decimal', without: ECHO }, right],
		['a stranger', { rows: 'stranger' }, /^1 (failed: unexpected_answer|pending), 5 right$/],
		['strangers', { rows: 'strangers' }, /^6 (failed: unexpected_answer|pending)$/],
		['strangers without numbers', { rows: ['unnumbered', 'strangers'] }, /^6 (failed|pending)/],
		['in another script', { set: { ...inCyrillic }, without: ['domain'] }, right],
		['with entities', { set: { lastName: '{lastName}&#39;', name: '{name}&#39;' } }, right],
		['longer', { set: { company: '{domain} International' }, without: NAMES }, right],
		['at www.', { set: { domain: 'www.{domain}' }, without: NAMES }, right],
		[
			'numbers shifted, with an initial',
			{ rows: 'shifted', set: { name: '{firstName} T. {lastName}' }, without: HALVES },
			right,
		],
		['enveloped', { rows: 'enveloped' }, failed],
		['the echo alone', { without: ['email', 'quality'] }, failed],
	];

	test.each(cases)('at once: %s', async (_, effect, came) => {
		const { came: words, json } = await lookUp(findBulk, six, {
			faults: [{ ...effect, on: { operation: 'findBulk' } }],
		});
		expect(words).toMatch(typeof came === 'string' ? new RegExp(`^${came}$`) : came);
		expect([sent(), mostPaid()]).toEqual([1, 1]);
		// Nobody knows what was paid for a row that is nobody's.
		for (const { lookupStatus, lookupCredits } of json)
			expect(lookupCredits).toBe(lookupStatus === 'found' ? 1 : null);
	});

	test.each(cases)('in a job: %s', async (_, effect, came) => {
		const faults: Fault[] = [{ ...effect, on: { operation: 'getBulkJob' } }];
		const given = { faults, variants: job, options: jobOptions };
		const { came: words } = await lookUp(findBulk, six, given);
		expect(words).toMatch(typeof came === 'string' ? new RegExp(`^${came}$`) : came);
		expect([submitted(), mostPaid()]).toEqual([1, 1]);
	});

	test.each(['swapped', 'stranger'] as const)(
		'in a job that is collected later: %s',
		async (rows) => {
			const pending = await waitingLeads();
			service().faults.add({ rows, on: { operation: 'getBulkJob' } });
			const { json } = await collectLater(pending);
			const words = json.map((item, index) => wordOf(item, findBulk, six[index]));
			expect(counted(words)).not.toContain('somebody else');
		},
	);

	test.each<[string, Effect]>([
		['strangers', { rows: 'strangers' }],
		['enveloped', { rows: 'enveloped' }],
		['none', { rows: 'none' }],
		['no body', { body: 'empty', charge: true }],
	])('2,500 leads, and in each request rows that are nobody’s: %s', async (_, effect) => {
		const { came } = await lookUp(findBulk, numbers(2_500), { faults: [effect] });
		expect(came).toBe('1000 failed: unexpected_answer, 1500 not_processed');
		expect([sent(), mostPaid()]).toEqual([10, 1]);
	});

	test('one email twice, in place of another one', async () => {
		service().faults.add({ rows: 'repeated' });
		const { came, json } = await lookUp(verifyBulk, six);
		expect(came).toBe('5 right, 1 failed: unexpected_answer');
		expect(json[1].emailStatus).toBeNull();
	});

	test('a single verification of an email at another host is none', async () => {
		service().faults.add({ set: { email: 'eve@else.example' } });
		const { came, json } = await lookUp(verify, six);
		expect(came).toBe('6 failed: unexpected_answer');
		expect(json).toMatchObject(six.map(() => ({ lookupCredits: null })));
	});

	test('emails in their normal form, by the address and else by the place', async () => {
		const emails = [
			...['lee+crm@acme.example', 'carl@acme.example', 'a.n.n@gmail.com', 'bob@googlemail.com'],
			...['lee+news@acme.example', 'lee@acme.example', 'dan@acme.example'],
		];
		service().faults.add({ rows: 'normalized' });
		const items = emails.map((email) => ({ email }));
		const { json } = await runLookup(verifyBulk, service(), items, {
			credential: credential(service()),
		});
		const answers = emails.map((email) => {
			const emailStatus = expectedVerification(email).email_status;
			return { lookupStatus: 'verified', email, emailStatus };
		});
		expect(json.map(answerIn)).toEqual(answers);
		expect([sent(), mostPaid()]).toEqual([1, 1]);
	});
});

describe('not yet', () => {
	const polls = { operation: 'getBulkJob' } as const;
	const three: Trigger = { ...polls, times: 3 };

	test.each<[string, Effect, Trigger?]>([
		['404', { status: 404 }],
		['404 for five seconds', { status: 404 }, { ...polls, forMs: 5_000 }],
		...[400, 402, 403, 408, 409, 422, 425, 500, 520].map((status): [string, Effect] => [
			String(status),
			{ status },
		]),
		['202', { body: { json: '{}' }, status: 202 }],
		['204', { body: 'empty', status: 204 }],
		['{}', { body: { json: '{}' } }],
		['null', { body: { json: 'null' } }],
		['no body', { body: 'empty' }],
		['a web page', { body: 'html' }],
		['a 404 that is a web page', { body: 'html', status: 404 }],
		['completed without rows', { rows: 'none' }],
		['completed with half of the rows', { rows: 'half' }],
		['unreadable', { body: 'unreadable' }],
	])('a job that answers three times: %s', async (_, effect, on = three) => {
		const faults = [{ ...effect, on }];
		const { came } = await lookUp(findBulk, six, { faults, variants: job, options: jobOptions });
		expect(came).toBe('6 right');
		expect([submitted(), mostPaid()]).toEqual([1, 1]);
	});

	test('a job that stays without half of its rows', async () => {
		const faults: Fault[] = [{ rows: 'half', on: polls }];
		const given = { faults, variants: job, options: jobOptions };
		const { came, json } = await lookUp(findBulk, six, given);
		expect(came).toBe('3 right, 3 pending');
		expect(json[5]).toMatchObject({ lookupJobId: '9001', lookupJobRow: 6, lookupCredits: null });
	});

	test.each<[word: string, came: string]>([
		['PartiallyCompleted', '3 right, 3 pending'],
		['stopped', '3 right, 3 failed: job_failed'],
		['timed_out', '3 right, 3 failed: job_failed'],
	])('a job that ends as %s delivers whom it has', async (jobWord, came) => {
		service().options.jobWord = jobWord;
		const faults: Fault[] = [{ rows: 'half', on: polls }];
		const given = { faults, variants: job, options: jobOptions };
		expect((await lookUp(findBulk, six, given)).came).toBe(came);
	});

	test('a job whose id has another name', async () => {
		const accepted: Fault = {
			set: { job_id: '{id}' },
			without: ['id'],
			on: { operation: 'findBulk' },
		};
		const given = { faults: [accepted], variants: job, options: jobOptions };
		expect((await lookUp(findBulk, six, given)).came).toBe('6 right');
		expect([submitted(), mostPaid()]).toEqual([1, 1]);
	});

	test('a job that is gone ends the wait, and its items lose it', async () => {
		const faults: Fault[] = [{ status: 410, on: polls }];
		const given = { faults, variants: job, options: jobOptions };
		const { json, summary } = await lookUp(findBulk, six, given);
		const gone = {
			lookupStatus: 'failed',
			lookupMessage: expect.stringContaining('not exist any more'),
		};
		expect(json).toMatchObject(six.map(() => gone));
		expect(json.map(({ lookupJobId }) => lookupJobId ?? null)).toEqual(six.map(() => null));
		expect(summary).not.toContain('Nothing is lost');
		expect(requestsOf(service(), 'getBulkJob').length).toBeLessThanOrEqual(2);
	});

	test('one 404 does not take the job away from an item that waits for it', async () => {
		const pending = await waitingLeads();
		// In either form of a poll.
		service().faults.add({ status: 404, on: { ...polls, times: 2 } });
		const { json } = await collectLater(pending);
		expect(json).toMatchObject(six.map(() => ({ lookupStatus: 'found', lookupCredits: 1 })));
		expect(submitted()).toBe(1);
	});
});

/** A node of a test, as n8n describes it. */
const oddNode = {
	...{ displayName: 'Odd', name: 'other', group: ['transform'], version: 1, description: '' },
	...{ defaults: { name: 'Odd' }, inputs: ['main'], outputs: ['main'], properties: [] },
};

describe('found, nothing, or nothing said', () => {
	const words = 'Plan has expired';
	const empty = { email: null, quality: null };
	const refusals: Array<[string, Effect, said: string]> = [
		['success: false', { set: { ...empty, success: false } }, ''],
		['ok: false', { set: { ...empty, ok: false } }, ''],
		['status: "error"', { set: { ...empty, status: 'error' } }, ''],
		['error', { set: { ...empty, error: words } }, words],
		['errors', { set: { ...empty, errors: [words] } }, words],
		['errors, deep', { set: { ...empty, errors: [{ of: { plan: { text: words } } }] } }, words],
		['error in a status', { set: { email_status: 'error', error: words } }, words],
	];
	const each = lookups.flatMap((lookup) =>
		refusals
			.filter(([what]) => (what === 'error in a status') === (lookup.credits === 'verifier'))
			.map((refusal) => [lookup.operation, ...refusal, lookup] as const),
	);

	test.each(each)('%s, a refusal beside an empty result: %s', async (...given) => {
		const [, , effect, said, lookup] = given;
		const faults = [{ ...effect, charge: false }];
		const { came, json } = await lookUp(lookup, six, { faults });
		expect(came).toBe('6 failed: unexpected_answer');
		for (const { lookupMessage } of json) expect(lookupMessage).toContain(said);
	});

	test.each([find, findBulk])('$operation, an email within text', async (lookup) => {
		const faults = [{ set: { email: 'Ann Lee <{email}>' } }];
		const { came } = await lookUp(lookup, six, { faults });
		expect(came).toBe('6 right');
	});

	test.each([find, findBulk])('$operation, a text with an @ that is no email', async (lookup) => {
		const faults = [{ set: { email: 'a b@c d@e' } }];
		const { came, json } = await lookUp(lookup, six, { faults });
		expect(came).toBe('6 failed: unexpected_answer');
		expect(json).toMatchObject(six.map(() => ({ lookupCredits: null })));
	});

	test.each(lookups)('$operation, JSON in a text', async (lookup) => {
		const faults: Fault[] = [{ body: 'in a text', charge: true }];
		expect((await lookUp(lookup, six, { faults })).came).toBe('6 right');
	});

	test.each([
		['deliverable', 'valid'],
		['accept_all', 'catch-all'],
		['Risky', 'catch-all'],
		['undeliverable', 'invalid'],
		['mystery', 'unknown'],
	])(
		'a status in a word of the trade, %s, and the Verifier behind it',
		async (word, emailStatus) => {
			service().faults.add({ set: { quality: { status: word }, email_status: word } });
			const run = await runWorkflow({
				nodes: [
					emits('Start', six.map(leadOf)),
					looksUp('Find', findBulk),
					{ name: 'Verify', type: 'contactDataVerifier', parameters: { operation: 'verifyBulk' } },
				],
				connections: ['Start > Find', 'Find > Verify'],
				credential: credential(service()),
			});
			expect(outputOf(run, 'Verify')).toMatchObject(six.map(() => ({ emailStatus })));
			const isKnown = emailStatus !== 'unknown';
			expect(requestsOf(service(), 'verifyBulk')).toHaveLength(isKnown ? 0 : 1);
		},
	);

	test.each(lookups)('$operation, JSON that is not certain', async (lookup) => {
		const faults: Fault[] = [{ body: { json: '{"email": oops}' }, charge: true }];
		const { came, json } = await lookUp(lookup, six, { faults });
		expect(came).toBe('6 failed: unexpected_answer');
		expect(json).toMatchObject(six.map(() => ({ lookupCredits: null })));
	});

	const noPeople = { meta: { total_all: 0, total_results: 0 }, company: null, results: null };

	test.each<[OurNode, operation: string, answer: object | null]>([
		['contactDataList', 'getAll', null],
		['contactDataList', 'getLeads', { count_results: 0, next_start: 0, data: null }],
		['contactDataList', 'exportLeads', null],
		['contactDataCompany', 'getLeads', noPeople],
		['contactDataCompany', 'searchCompany', { results: null }],
	])('%s %s, null for a list: nothing was found', async (type, operation, answer) => {
		service().faults.add({ body: { json: JSON.stringify(answer) } });
		const { node, parameters } = operationOf(operation, type);
		const result = await runNode({ node, parameters, credential: credential(service()) });
		expect(result.error).toBeUndefined();
		expect(result.json.map(outcomeIn)).toEqual(
			operation === 'searchCompany' ? [expect.objectContaining({ lookupStatus: 'not_found' })] : [],
		);
	});

	const jobJson = '{"id":7,"status":"processing","total":1}';

	test.each<[string, Effect, came: string]>([
		['its answer', { body: 'sound', status: 202, charge: true }, '12 right'],
		['nothing', { body: { json: '{}' }, status: 202 }, '1 failed: unexpected_answer, 11 right'],
		['no body', { body: 'empty', status: 202 }, '1 not_found, 11 right'],
		['a job', { body: { json: jobJson }, status: 202 }, '1 pending, 11 right'],
	])('a 202 for a single lookup, with %s', async (_, effect, came) => {
		const wanted = paidAmong(find, 60).slice(0, 12);
		const faults = [{ ...effect, on: { nth: 1 } }];
		expect((await lookUp(find, wanted, { faults })).came).toBe(came);
	});

	test('what a failed job says is shown', async () => {
		const faults: Fault[] = [{ set: { error: words }, on: { operation: 'getBulkJob' } }];
		const variants = { ...job, jobOutcome: 'failed' } as const;
		const { came, json } = await lookUp(findBulk, six, { faults, variants, options: jobOptions });
		expect(came).toBe('6 failed: job_failed');
		for (const { lookupMessage } of json) expect(lookupMessage).toContain(words);
	});

	test('an item without json, behind one that was paid for', async () => {
		const type: INodeType = {
			description: Object(oddNode),
			async execute() {
				const [lead, nothing]: Array<{ json: IDataObject }> = [
					{ json: leadOf(six[0]) },
					Object({}),
				];
				return [[lead, nothing]];
			},
		};
		const run = await runWorkflow({
			nodes: [emits('Start', [{}]), { name: 'Odd', type: 'other' }, looksUp('Find', find)],
			connections: ['Start > Odd', 'Odd > Find'],
			credential: credential(service()),
			types: { other: type },
		});
		const [task] = run.data.resultData.runData.Find;
		const json = (task.data?.main[0] ?? []).map((item) => item.json);
		expect(json.map((item) => item.lookupStatus)).toEqual(['found', 'invalid_input']);
	});
});

describe('which company', () => {
	const results = [
		{ name: 'Acme Brick', domain: 'brick.example' },
		{ name: 'Acme', website: 'https://www.acme.example/en' },
	];

	test.each([
		['acme.example', 'Acme', ''],
		['https://shop.acme.example', 'Acme', ''],
		['Acme', 'Acme', ''],
		['acme.test', 'Acme Brick', "1 found (1 with another website than the lead's). 1 credit used"],
	])('for %s it is %s', async (keyword, name, said) => {
		service().faults.add({ body: { json: JSON.stringify({ results }) }, charge: true });
		const { json, summary } = await runNode({
			node: 'contactDataCompany',
			parameters: { operation: 'searchCompany', keyword },
			credential: credential(service()),
		});
		expect(json).toMatchObject([{ companyStatus: 'found', companyData: { name } }]);
		expect(summary).toContain(said || '1 found. 1 credit used');
	});
});

describe('is there more', () => {
	const cursors: Array<[string, Fault]> = [
		['a URL', { cursor: 'url' }],
		['a URL, by the name of its field', { cursor: 'url of its field' }],
		['a text', { cursor: 'text' }],
		['a total that counts the page', { countsPage: true }],
		['an empty page in the middle', { emptyPage: true, on: { nth: 2 } }],
		['both', { emptyPage: true, countsPage: true }],
	];
	const leads = { operation: 'getLeads', returnAll: true };

	async function read(node: NodeTest['node'], parameters: INodeParameters, effects: Fault[]) {
		for (const fault of effects) service().faults.add(fault);
		const result = await runNode({
			node,
			parameters,
			credential: credential(service(), { listPageSize: 10 }),
			onError: 'continueRegularOutput',
		});
		const said = result.summary || (result.error?.message ?? '');
		return { ...result, said };
	}

	test.each(cursors)('leads of a list: %s', async (_, effect) => {
		const parameters = { ...leads, listId: listWithId('102') };
		const { json } = await read('contactDataList', parameters, [effect]);
		expect(json.map(({ id }) => id)).toEqual(
			list(102)
				.leads.map(({ id }) => id)
				.toReversed(),
		);
	});

	test.each(cursors)('people of a company: %s', async (_, effect) => {
		const [company] = service().fixtures.companies;
		const parameters = { ...leads, companyWebsite: company.domain };
		const { json } = await read('contactDataCompany', parameters, [effect]);
		const all = service()
			.fixtures.peopleOf(company)
			.map(({ full }) => full);
		expect(json.map(({ fullName }) => fullName)).toEqual(all);
	});

	test.each([-1, 'null', 'None', 'end', true, false])(
		'the last page says %j',
		async (lastCursor) => {
			const { json } = await read('contactDataList', { ...leads, listId: listWithId('102') }, [
				{ lastCursor },
			]);
			expect(json.map(({ id }) => id)).toEqual(
				list(102)
					.leads.map(({ id }) => id)
					.toReversed(),
			);
			const [company] = service().fixtures.companies;
			service().faults.clear();
			const parameters = { ...leads, companyWebsite: company.domain };
			const people = await read('contactDataCompany', parameters, [{ lastCursor }]);
			expect(people.json).toHaveLength(service().fixtures.peopleOf(company).length);
			expect(people.json.every(({ lookupStatus }) => lookupStatus === undefined)).toBe(true);
		},
	);

	test('a page of people that comes again, changed and under another cursor', async () => {
		const [company] = service().fixtures.companies;
		const parameters = { ...leads, companyWebsite: company.domain };
		const { json } = await read('contactDataCompany', parameters, [{ samePage: true }]);
		const people = json.flatMap(({ fullName }) => fullName ?? []);
		expect(people).toEqual(
			service()
				.fixtures.peopleOf(company)
				.slice(0, 150)
				.map(({ full }) => full),
		);
		expect(sent()).toBe(2);
	});

	test('a cursor that cannot be used makes the read incomplete, and that is said', async () => {
		const parameters = { ...leads, listId: listWithId('102') };
		const { json, said } = await read('contactDataList', parameters, [{ cursor: 'unusable' }]);
		expect(json.length).toBeGreaterThanOrEqual(10);
		expect(said).not.toBe('');
	});

	const parameters = { event: 'newLead', listId: listWithId('102'), simple: true };
	const many = 250;

	/** Leads that are saved, and what the trigger gives of them in two polls. */
	async function poll(effect: Fault, world: ServiceOptions = {}) {
		Object.assign(service().options, world, { pageCap: 100 });
		const trigger = pollingTrigger(parameters, credential(service()));
		await trigger.poll();
		const saved = saveLeads(known(service().fixtures.list(102)), many);
		service().faults.add(effect);
		const given: unknown[] = [];
		const pollOnce = async () => {
			const items = await trigger.poll().catch(() => []);
			given.push(...items.map(({ json }) => json.id));
		};
		await pollOnce();
		await pollOnce();
		return { saved, given, pollOnce };
	}

	test.each(cursors)('the trigger: %s', async (_, effect) => {
		const { saved, given } = await poll(effect);
		expect(given).toEqual(saved);
	});

	test('the trigger stays where it is at a cursor that cannot be used', async () => {
		const { saved, given, pollOnce } = await poll({ cursor: 'unusable' });
		service().faults.clear();
		await pollOnce();
		expect(given.toSorted()).toEqual(saved);
	});

	test('the trigger, with ids in texts', async () => {
		const { given } = await poll({}, { ids: 'text' });
		expect([given.length, new Set(given.map(String)).size]).toEqual([many, many]);
	});

	test('the trigger says that it needs other ids', async () => {
		service().options.ids = 'huge';
		const trigger = pollingTrigger(parameters, credential(service()));
		await expect(trigger.poll()).rejects.toThrow('lead IDs that are numbers');
	});
});

test('ids of leads beyond 2^53', async () => {
	service().options.ids = 'huge';
	const { json } = await runNode({
		node: 'contactDataList',
		parameters: { operation: 'getLeads', returnAll: true, listId: listWithId('102') },
		credential: credential(service(), { listPageSize: 10 }),
	});
	const ids = list(102).leads.map(({ id }) => `92233720368500${id}`);
	expect(json.map(({ id }) => String(id))).toEqual(ids.toReversed());
});

describe('what a code means', () => {
	const outages = [408, 421, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 529, 530, 599];

	test.each(outages)('%i for five seconds is an outage', async (status) => {
		const faults: Fault[] = [{ status, on: { forMs: 5_000 } }];
		const options = { maxConcurrency: 5, maxRetries: 10 };
		const { came } = await lookUp(find, mixed, { faults, options });
		expect(came).toBe('60 right');
		expect(mostPaid()).toBe(1);
	});

	test('a page of a firewall for three seconds', async () => {
		const faults: Fault[] = [{ status: 403, body: 'html', on: { forMs: 3_000 } }];
		const { came } = await lookUp(find, mixed, { faults, options: { maxConcurrency: 5 } });
		expect([came, mostPaid()]).toEqual(['60 right', 1]);
	});

	test.each<[status: number, words: string, reason: string, atMost: number]>([
		[400, 'Your credit balance is too low', 'out_of_credits', 1],
		[422, 'Monthly quota exceeded', 'out_of_credits', 1],
		[403, "You don't have enough credits", 'out_of_credits', 1],
		[403, 'You have used all your credits', 'out_of_credits', 1],
		[403, 'Upgrade your plan to get more credits.', 'out_of_credits', 1],
		[403, 'Invalid API key', 'unauthorized', 1],
		[403, 'API key is missing the permission for this', 'forbidden', 1],
		[422, 'Company "Smith Corporate Limited" not found', 'bad_request', 120],
		[422, 'The domain credit-suisse.com could not be reached', 'bad_request', 120],
		[422, 'Insufficient data for Ada at Credit Suisse', 'bad_request', 120],
		[422, 'newbalance.com: max retries reached', 'bad_request', 120],
		[400, 'Access key missing', 'unauthorized', 1],
		[403, 'This API key has no access to this feature', 'forbidden', 1],
		[422, 'Credit Suisse is not valid', 'bad_request', 120],
	])('a %i that says %j is %s', async (status, words, reason, atMost) => {
		const { json } = await lookUp(findBulk, mixed, { faults: [{ status, words }] });
		expect(json.map(({ lookupReason }) => lookupReason)).toEqual(mixed.map(() => reason));
		expect(sent()).toBeLessThanOrEqual(atMost);
	});

	const gateways = [408, 502, 504, 524];
	const charged = (status: number, on: Trigger = {}): Fault => ({
		...{ body: 'html', status, charge: true, on },
	});

	test.each(gateways)('a bulk request that was charged, and ends in %i', async (status) => {
		const { came, json, run } = await lookUp(findBulk, six, { faults: [charged(status)] });
		expect(came).toMatch(/^6 failed: \w+$/);
		expect(sent()).toBeLessThanOrEqual(2);
		expect(json).toMatchObject(six.map(() => ({ lookupCredits: null })));
		expect(toldBy(run)).toMatch(/^0 to \d+ credits spent$/);
	});

	test.each(gateways)(
		'a bulk request that ends in %i, and asks to come back later',
		async (status) => {
			const later = { retryAfter: 'seconds', seconds: 1 } as const;
			const { json, run } = await lookUp(findBulk, six, { faults: [{ status, ...later }] });
			expect(json).toMatchObject(six.map(() => ({ lookupStatus: 'failed', lookupCredits: null })));
			expect(sent()).toBe(2);
			expect(toldBy(run)).toBe('0 to 12 credits spent');
		},
	);

	test.each(gateways)('a single lookup that was charged, and ends in %i', async (status) => {
		const { json } = await lookUp(find, [six[0]], { faults: [charged(status)] });
		expect(json).toMatchObject([{ lookupStatus: 'failed', lookupCredits: null }]);
		expect(sent()).toBeLessThanOrEqual(2);
	});

	const unreadable = (['unreadable', 'miscoded'] as const).flatMap((body) =>
		lookups.map((lookup) => [lookup.operation, body, lookup] as const),
	);

	test.each(unreadable)('%s, a response that cannot be read was sent: %s', async (...given) => {
		const [, body, lookup] = given;
		const { json } = await lookUp(lookup, [six[0]], { faults: [{ body, charge: true }] });
		expect(json).toMatchObject([{ lookupStatus: 'failed', lookupCredits: null }]);
		expect([sent(), mostPaid()]).toEqual([1, 1]);
	});
});

describe('what an account has', () => {
	const of = (email: IDataObject) =>
		({ set: { credit: { email } }, on: { operation: 'getAccount' } }) as const;

	test.each<[string, IDataObject, remaining: unknown]>([
		['a quota of -1', { quota: -1, used: 40 }, null],
		['unlimited', { quota: 'unlimited', used: 40 }, null],
		['unlimited: true', { quota: 0, used: 0, unlimited: true }, null],
		['a counter of what remains', { used: 40, remaining: 60 }, 60],
		['a part of a credit', { quota: 100, used: 0.3 }, expect.closeTo(99.7, 0)],
	])('%s: Leave Credits in Account', async (_, email, remaining) => {
		const fault = of(email);
		const given = { faults: [fault], options: { keepCredits: 20 } };
		const { came } = await lookUp(find, six, given);
		expect(came).toBe('6 right');
		const { json } = await runNode({
			node: 'contactDataAccount',
			parameters: { operation: 'get' },
			credential: credential(service()),
		});
		expect(json).toMatchObject([{ credits: { email: { remaining } } }]);
	});

	test('what remains is less than Leave Credits in Account', async () => {
		const faults = [of({ quota: 100, used: 40, remaining: 10 })];
		const { came } = await lookUp(find, six, { faults, options: { keepCredits: 10 } });
		expect(came).toBe('6 not_processed');
	});
});

describe('a limit is read where it is stated', () => {
	const seconds = 30;
	const at = { retryAfter: 'seconds', seconds } as const;

	test.each<[string, Effect]>([
		['Retry-After', { ...at, status: 429 }],
		['RateLimit-Reset', { ...at, status: 429, statedIn: 'RateLimit-Reset' }],
		['X-RateLimit-Reset', { ...at, status: 429, statedIn: 'X-RateLimit-Reset' }],
		['a moment', { ...at, retryAfter: 'epoch', status: 429, statedIn: 'X-RateLimit-Reset' }],
		['retry_after', { ...at, status: 429, statedIn: 'retry_after' }],
		['retry_after_seconds', { ...at, status: 429, statedIn: 'retry_after_seconds' }],
		['a 403', { ...at, status: 403, words: 'Rate limit exceeded' }],
		[
			'Retry-After: 0 beside it',
			{ ...at, status: 429, statedIn: 'RateLimit-Reset', headers: { 'Retry-After': '0' } },
		],
		['retry-after-ms', { status: 429, headers: { 'retry-after-ms': `${seconds}000` } }],
		['RateLimit', { status: 429, headers: { RateLimit: `"default";r=0;t=${seconds}` } }],
		['a 420', { ...at, status: 420, statedIn: 'RateLimit-Reset' }],
	])('%s', async (_, effect) => {
		const { came } = await lookUp(find, six, { faults: [{ ...effect, on: { nth: 1 } }] });
		expect(came).toBe('6 right');
		const [refused, next] = service().requests.map(({ startedAt }) => startedAt);
		expect(next - refused).toBeGreaterThanOrEqual(seconds * 1_000);
	});
});
