/**
 * @file What comes out of a lookup: the node's own fields, put into the item by one rule. The rules are in itemAfter.mts,
 * which judges the random runs of chaos.test.mts, too; here each is written out once.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { expectedVerification } from '../emulator/addresses.mts';
import type { Fault } from '../emulator/faults.mts';
import type { Variants } from '../emulator/variants.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { companyFields, fixtures } from '../support/leads/expected.mts';
import { itemAfter } from '../support/leads/itemAfter.mts';
import {
	addressOf,
	find,
	hit,
	leadOf,
	lookups,
	miss,
	verify,
	type Lookup,
} from '../support/leads/lookups.mts';
import { picked, timeless } from '../support/leads/outcomes.mts';
import {
	runNode,
	runWorkflow,
	type NodeResult,
	type NodeTest,
	type OurNode,
} from '../support/node/engine.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();
// A job that is not known is asked for several times.
useQuickClock();

/** What a test runs a node with. */
interface Given extends Partial<Pick<NodeTest, 'onError'>> {
	fault?: Fault;
	variants?: Partial<Variants>;
	parameters?: INodeParameters;
	options?: INodeParameters;
}

/** Fields by which an item asks, and which no node writes; nothing is known unless a test says so. */
const asking: INodeParameters = {
	firstName: '={{ $json.first }}',
	lastName: '={{ $json.last }}',
	domain: '={{ $json.site }}',
	email: '={{ $json.to }}',
	keyword: '={{ $json.site }}',
	...{ fullName: '', company: '', existingEmail: '', existingStatus: '' },
};

/** An item that asks for the lead with a number. */
function ask(number: number): IDataObject {
	const { domain: site, ...name } = leadOf(number);
	return { ...name, site, to: addressOf(number), note: { by: 'Eve' } };
}

interface Operation {
	node: OurNode;
	operation: string;
}

async function run(
	{ node, operation }: Operation,
	items: IDataObject[],
	{ fault, variants, parameters, options, onError = 'continueRegularOutput' }: Given = {},
): Promise<NodeResult> {
	service().reset();
	forgetRecentAnswers();
	// The job that an item waits for is not there.
	const where = ({ operation }: WireRequest) => operation !== 'getBulkJob';
	if (fault) service().faults.add({ ...fault, on: { where } });
	Object.assign(service().variants, variants);
	const all = { maxRetries: 0, jobTimeout: 0, ...options };
	return await runNode({
		node,
		parameters: { ...asking, ...parameters, operation, options: all },
		items,
		credential: credentialFor(service()),
		onError,
	});
}

/** The only item that comes out, with the text "then" for when the service answered. */
async function one(...given: Parameters<typeof run>): Promise<IDataObject> {
	const { json } = await run(...given);
	expect(json).toHaveLength(1);
	return timeless(json)[0];
}

const other = addressOf(7);

/** What earlier runs have left, and what the user has. */
const bought = {
	...{ lookupStatus: 'found', email: 'old@acme.example', emailStatus: 'catch-all' },
	...{ mailboxType: 'webmail', personData: { title: 'CTO' }, checkedAt: '2020-01-01' },
	lookupCredits: 2,
};
const failed = {
	...{ ...bought, lookupStatus: 'failed', lookupReason: 'connection', lookupMessage: 'It failed' },
	...{ lookupJobId: 'J-1', lookupJobRow: 'B' },
};
const waiting = {
	...{ lookupStatus: 'pending', lookupReason: 'job_not_finished', lookupMessage: 'Not finished' },
	...{ lookupCredits: null, lookupJobId: '9001', lookupJobRow: 1, email: other },
};
const own = {
	...{ status: 'Customer', reason: 'inbound', message: 'Call back', credits: 9 },
	...{ jobId: 'J-1', jobRow: 7, response: { a: 1 }, email: bought.email },
};
const befores: IDataObject[] = [{}, own, bought, failed, waiting, { ...failed, row_number: 7 }];

/** Something that can become of an item: what it costs, and what the lookup says. */
type Outcome = [given: Given & { number?: number }, costs: number | null, says: IDataObject];

const email = (email: string): Given => ({ parameters: { email } });
const existing = (text: string): Given => ({
	parameters: { existingEmail: text, existingStatus: text },
});
const without = (lookupStatus: string, lookupReason: string) => ({
	...{ lookupStatus, lookupReason, lookupMessage: expect.any(String) },
});
const known = (email: string) => ({ lookupStatus: 'known', email });
const found = { ...find.answer(hit), checkedAt: 'then' };
const missed = { lookupStatus: 'not_found', checkedAt: 'then' };
const verified = (email: string) => ({
	...{ lookupStatus: 'verified', email, emailStatus: expectedVerification(email).email_status },
	...{ mailboxType: 'professional', checkedAt: 'then' },
});
const malformed = { lookupStatus: 'verified', email: 'no-at-sign', emailStatus: 'invalid' };

const ofFinder: Record<string, Outcome> = {
	'an answer': [{}, 1, found],
	'a miss': [{ number: miss }, 0, missed],
	'its own email': [existing(' <OLD@acme.example> '), 0, known('OLD@acme.example')],
	'another email': [existing(other), 0, known(other)],
};
const itsStatus = { parameters: { existingStatus: 'OKA', email: bought.email } };
const ofVerifier: Record<string, Outcome> = {
	'an answer': [email(` ${bought.email}`), 1, verified(bought.email)],
	'an answer about another email': [{}, 1, verified(addressOf(hit))],
	'no email address': [email('no-at-sign'), 0, malformed],
	'no email': [email(' '), 0, { lookupStatus: 'skipped' }],
	'its own status': [itsStatus, 0, { ...known(bought.email), emailStatus: 'catch-all' }],
};
const mixed = 'Ann Lee ann@acme.example';
const mixedCell = { parameters: { existingEmail: mixed, email: mixed } };
const unevaluated = { parameters: { firstName: '{{ $json.x }}', email: '{{ $json.x }}' } };
const problems: Record<string, Outcome> = {
	'a 400': [{ fault: { status: 400 } }, 0, without('failed', 'bad_request')],
	'a 500': [{ fault: { status: 500 } }, 0, without('failed', 'service_unavailable')],
	'a 402': [{ fault: { status: 402 } }, 0, without('not_processed', 'out_of_credits')],
	'a cap': [{ options: { maxCredits: 0 } }, 0, without('not_processed', 'credit_limit')],
	'an email and other text': [mixedCell, 0, without('invalid_input', 'invalid_value')],
	'an expression': [unevaluated, 0, without('invalid_input', 'unevaluated_expression')],
};
const ofJob = { ...without('pending', 'job_not_finished'), lookupJobId: '9001', lookupJobRow: 1 };
const job: Outcome = [{ variants: { bulkAnswer: 'job', jobPolls: 1_000_000 } }, null, ofJob];

const outcomes = lookups.flatMap((lookup) => {
	const { operation, perRequest, credits } = lookup;
	const lost = without('failed', perRequest > 1 ? 'unknown_outcome' : 'connection');
	const all: Record<string, Outcome> = {
		...(credits === 'email' ? ofFinder : ofVerifier),
		...problems,
		'a lost connection': [{ fault: { reset: 'after-charge' } }, null, lost],
		...(operation === 'findBulk' && { 'a job': job }),
	};
	return Object.entries(all).map(([what, outcome]) => ({ operation, what, lookup, outcome }));
});

/** The fields that every item of a lookup has, where there is nothing to say. */
const ownOf = ({ columns = [] }: Lookup) => Object.fromEntries(columns.map((name) => [name, null]));

describe.each(outcomes)('$operation: $what', ({ lookup, outcome }) => {
	const [given, costs, says] = outcome;
	const happened = { lookup, says, costs };
	const question = ask(given.number ?? hit);

	test('gives a new item its own fields, null where there is nothing', async () => {
		const json = await one(lookup, [question], given);
		expect(json).toStrictEqual({ ...question, ...ownOf(lookup), ...says, lookupCredits: costs });
		const onError = 'continueErrorOutput';
		const { errorItems } = await run(lookup, [question], { ...given, onError });
		const { lookupStatus: status, lookupReason: reason, lookupMessage: message } = says;
		const error = { status, reason, httpCode: given.fault?.status };
		const sent = { json: { ...question, message, error }, pairedItem: { item: 0 } };
		const isFailed = reason !== undefined && status !== 'pending';
		expect(errorItems).toEqual(isFailed ? [sent] : []);
		for (const { json } of errorItems) {
			expect(await one(lookup, [json])).not.toHaveProperty('message');
		}
	});

	test.each(befores)('changes of %j what the rules say', async (before) => {
		const item = { error: 'x', ...question, ...before };
		const json = await one(lookup, [item], given);
		expect(json).toEqual(itemAfter(item, happened));
		const why = 'lookupMessage' in json ? ['lookupMessage'] : [];
		// The name comes first, then what the lookup says, then the rest.
		const names = Object.keys(json);
		const start = names.indexOf('lookupStatus');
		expect(['first', 'last']).toEqual(expect.arrayContaining(names.slice(0, start)));
		expect(start).toBeGreaterThan(0);
		const rest = Object.keys(question).filter((name) => names.indexOf(name) > start);
		const first = ['lookupStatus', 'email', 'emailStatus', ...why, ...rest];
		expect(names.slice(start, start + first.length)).toEqual(first);
	});

	test('says without the input what was looked up, and what the lead has cost', async () => {
		const item = { ...question, ...own, ...bought };
		const parameters = { ...given.parameters, includeInputFields: false };
		const json = await one(lookup, [item], { ...given, parameters });
		const isPassedOn = ['known', 'skipped'].includes(String(says.lookupStatus));
		const before = isPassedOn ? item : picked(json, Object.keys(asking));
		expect(json).toEqual(itemAfter(before, happened, item));
	});
});

const alone = { includeInputFields: false };
const knownAlone = { parameters: { ...existing(bought.email).parameters, ...alone } };
const tooOld = {
	number: miss,
	parameters: { existingEmail: '={{ $json["E-Mail"] }}' },
	options: { refreshAfterDays: 90 },
};
const readByName = {
	parameters: { leadFields: 'auto' },
};
const outcomesOf: Record<string, Outcome> = {
	...{ ...ofVerifier, ...ofFinder, ...problems },
	'no email, alone': [{ parameters: { email: ' ', ...alone } }, 0, { lookupStatus: 'skipped' }],
	'a known email, alone': [knownAlone, 0, known(bought.email)],
	'its old email': [email(other), 1, verified(other)],
	'a miss after an email': [tooOld, 0, { lookupStatus: 'not_found' }],
	'its own email again': [existing(other), 0, known(other)],
	'several emails': [readByName, 0, { ...known(other), emailStatus: 'valid' }],
};
const noEmail = { emailStatus: null, mailboxType: null, personData: null };
const noProblem = { lookupReason: null, lookupMessage: null };
const noJob = { lookupJobId: null, lookupJobRow: null };
const unsent = {
	...{ lookupStatus: 'not_processed', lookupReason: 'out_of_credits', lookupMessage: 'Not sent' },
};
const notMeant = without('invalid_input', 'unevaluated_expression');
const dated = { 'E-Mail': 'old@acme.example', checkedAt: '2020-01-01' };
const about = { emailStatus: 'valid', checkedAt: '2026-01-01', personData: { title: 'CTO' } };
const two = [{ value: other, primary: true }, { value: 'b@home.example' }];
const twoInText = `${other}; b@home.example`;
const addsUp = { ...noEmail, ...found, lookupCredits: 3 };
const free = { lookupCredits: 0 };
const nowKnown = { lookupStatus: 'known', ...free };

/** The rules, each written out: what happens to an item, and what that changes of it. */
test.each<[what: string, before: IDataObject, changes: IDataObject, by?: Lookup]>([
	// Nothing is left of an earlier result, and credits add up. What the user has stays.
	['an answer', bought, addsUp],
	['an answer', failed, { ...addsUp, ...noProblem, ...noJob }],
	['an answer', own, { ...found, lookupCredits: 1 }],
	[
		'its old email',
		{ ...bought, email: `Ann <${other}>` },
		{ ...noEmail, ...verified(other), lookupCredits: 3 },
		verify,
	],
	// Without a result, what is known of an email stays.
	['a miss', { ...bought, lookupStatus: 'known' }, { lookupStatus: 'not_found' }],
	['a 402', bought, without('not_processed', 'out_of_credits')],
	['a miss', { ...bought, email: '' }, { ...noEmail, ...missed }],
	// Nothing better than an email of an earlier lookup.
	['a miss', bought, {}],
	['a miss', { ...bought, lookupStatus: 'verified' }, {}],
	// An email that is too old keeps its date, wherever it stands.
	['a miss', dated, { ...missed, ...free }],
	['a miss after an email', dated, { lookupStatus: 'not_found', ...free }],
	// n8n leaves a cell of a sheet as it is for `null`.
	[
		'an answer',
		{ lookupStatus: 'failed', lookupReason: 'x', lookupCredits: '', row_number: 7 },
		{ ...found, lookupReason: '', lookupCredits: null },
	],
	['no email', { ...bought, ...missed, email: '' }, {}, verify],
	// A job is still to be collected, until a Finder has its result.
	['its old email', waiting, { ...verified(other), ...noProblem }, verify],
	['an answer', { ...waiting, lookupStatus: 'verified' }, { ...found, ...noProblem, ...noJob }],
	['its own email again', { ...waiting, ...unsent }, { lookupStatus: 'known', ...noProblem }],
	['a 402', { ...waiting, ...unsent }, without('not_processed', 'out_of_credits'), verify],
	['an expression', { ...waiting, ...without('failed', 'connection') }, notMeant],
	['a cap', waiting, without('not_processed', 'credit_limit')],
	['an answer', { ...waiting, ...unsent }, { ...found, ...noProblem, ...noJob }],
	['an answer', waiting, { ...found, ...noProblem, ...noJob }],
	['a miss', waiting, { lookupStatus: 'not_found', ...noProblem }],
	// What is passed on keeps what it came with.
	['a known email, alone', { ...bought, message: 'Hi' }, {}],
	['no email, alone', waiting, {}, verify],
	['several emails', { email: twoInText, ...about }, nowKnown, verify],
	// A known email of another field does not replace the own one.
	['another email', { email: two, ...about }, nowKnown],
	['another email', bought, {}],
	['another email', { email: ['a@b.example', 'c@d.example'] }, { ...nowKnown, emailStatus: null }],
	['another email', { email: 'a@home.example', ...about }, nowKnown],
	['another email', { email: mixed }, { ...nowKnown, emailStatus: null }],
	['another email', about, { ...nowKnown, email: other }],
	['another email', { email: 'ask', ...about }, { ...nowKnown, email: other }],
	[
		'another email',
		{ ...bought, lookupStatus: 'known', email: '' },
		{ ...noEmail, checkedAt: null, ...known(other) },
	],
	// What can be no email was not checked.
	['no email address', bought, { ...noEmail, ...malformed, checkedAt: null }, verify],
	// A result writes all of its fields anew.
	['an answer', { ...bought, lookupResponse: { a: 1 } }, { ...addsUp, lookupResponse: null }],
	['an answer', { mailboxType: 'shared' }, { ...found, mailboxType: null, lookupCredits: 1 }],
])('%s, before it %j: changes %j', async (what, before, changes, lookup = find) => {
	const [given, costs, says] = outcomesOf[what];
	const item = { ...ask(given.number ?? hit), ...before };
	const after = { ...ownOf(lookup), ...item, ...changes };
	expect(await one(lookup, [item], given)).toEqual(after);
	expect(itemAfter(item, { lookup, says, costs })).toEqual(after);
});

test('no table has holes beside an item without a result', async () => {
	const rows = [ask(hit), ask(miss), { ...asking, first: '' }];
	const keysOf = async (onError: Given['onError'], items = rows) => {
		const { json } = await run(find, items, { onError });
		return json.map((one) => Object.keys(one));
	};
	const why = ['lookupReason', 'lookupMessage'];
	for (const keys of await keysOf('continueRegularOutput')) {
		expect(keys).toEqual(expect.arrayContaining([...(find.columns ?? []), ...why]));
	}
	for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
		const isAll = onError === 'continueErrorOutput';
		const [first] = await keysOf(onError, isAll ? rows : rows.slice(0, 2));
		for (const name of why) expect(first).not.toContain(name);
	}
});

/** A company of the fixtures. */
const [{ domain, id }] = fixtures.companies;
const company = companyFields(fixtures.companies[0]);

const search: Operation = { node: 'contactDataCompany', operation: 'searchCompany' };
const getLeads: Operation = { node: 'contactDataCompany', operation: 'getLeads' };

describe('Search Company', () => {
	const lead = { id: 1, site: domain, ...own, ...bought };
	const before = {
		...{ companyStatus: 'found', companyData: { name: 'Old', own: 1 }, companyResponse: {} },
		...{ companyCredits: 2, companyCheckedAt: 'x' },
	};
	const result = {
		...{ companyStatus: 'found', companyData: company },
		...{ companyCredits: 1, companyCheckedAt: 'then' },
	};
	const nobody: Given = { parameters: { keyword: 'nobody has such a name' } };
	const missed = { companyStatus: 'not_found', companyCheckedAt: 'then' };

	test.each<[string, Given, before: IDataObject, IDataObject]>([
		['adds it', {}, {}, result],
		['replaces what is no object', {}, { companyData: 'Acme' }, result],
		[
			'has the same fields at a miss',
			nobody,
			{},
			{ companyData: null, companyCredits: 0, ...missed },
		],
		[
			'replaces the one before',
			{},
			before,
			{ ...result, companyResponse: null, companyCredits: 3 },
		],
		['leaves the one before at a miss', nobody, before, { ...before, ...missed }],
		[
			'leaves it at a 402',
			{ fault: { status: 402 } },
			before,
			{
				...{ ...before, companyStatus: 'not_processed', companyReason: 'out_of_credits' },
				companyMessage: expect.any(String),
			},
		],
		[
			'adds the response with Simplify off',
			{ parameters: { simple: false } },
			{},
			{ ...result, companyResponse: expect.objectContaining({ lid: id }) },
		],
	])('%s, beside the lead', async (_, given, before, expected) => {
		const json = await one(search, [{ ...lead, ...before }], given);
		expect(json).toStrictEqual({ ...lead, ...expected });
	});
});

describe('what a sheet or a file has made of a result', () => {
	const { first, last, domain } = leadOf(hit);
	const lead = { 'First Name': first, Surname: last, Website: domain };
	const answered = { ...find.answer(hit), lookupCredits: 1 };

	async function lookUp(operation: string, item: IDataObject): Promise<IDataObject> {
		const node = operation === 'verifyBulk' ? 'contactDataVerifier' : 'contactDataFinder';
		const credential = credentialFor(service());
		return (await runNode({ node, parameters: { operation }, items: [item], credential })).json[0];
	}

	test('is not bought again', async () => {
		const found = await lookUp('findBulk', lead);
		expect(found).toMatchObject(answered);
		const texts = Object.entries(found).map(([name, value]) => [name, String(value ?? '')]);
		const inFile = { ...Object.fromEntries(texts), ...lead };
		service().reset();
		for (const operation of ['findBulk', 'verifyBulk']) {
			expect(await lookUp(operation, inFile)).toMatchObject(found);
		}
		expect(service().requests).toEqual([]);
	});

	test('still names the job that has its result', async () => {
		await acceptJob(service(), { tId: 1, firstName: first, lastName: last, domain });
		const row = {
			lookupStatus: 'pending',
			lookupJobId: 9001,
			lookupJobRow: '1',
			lookupCredits: '',
		};
		expect(await lookUp('findBulk', { ...lead, ...row })).toMatchObject({ ...answered, ...noJob });
		const sent = service().requests.map(({ operation }) => operation);
		expect(sent).toEqual(['findBulk', 'getBulkJob']);
	});
});

test('a CSV file that n8n wrote and reads again has our own status in its first column; a status of the user stays', async () => {
	const { lookupStatus, ...others } = { ...leadOf(hit), ...bought };
	const given: Given = { parameters: { existingEmail: '={{ $json.email }}' } };
	const known = await one(find, [{ '\uFEFFlookupStatus': lookupStatus, ...others }], given);
	expect(known).toEqual({ lookupStatus, ...others });
	const marked = { '\uFEFFcompanyStatus': 'found', site: domain, companyCredits: '1' };
	const company = await one(search, [marked]);
	expect(company).toMatchObject({ companyStatus: 'found', companyCredits: 2 });
	expect(company).not.toHaveProperty('\uFEFFcompanyStatus');
	const own = await one(find, [{ '\uFEFFstatus': 'Hot', ...others }], given);
	expect(own).toMatchObject({ '\uFEFFstatus': 'Hot', lookupStatus: 'known' });
});

test.each([...lookups, search, getLeads])('binary data comes along by $operation', async (one) => {
	const file = { data: { data: 'QWRh', fileName: 'card.txt', mimeType: 'text/plain' } };
	const items = [
		{ ...ask(hit), site: domain },
		{ to: '{{ $json.x }}', site: '{{ $json.x }}' },
	];
	for (const includeInputFields of [true, false]) {
		const own = { companyWebsite: '={{ $json.site }}', limit: 2, includeInputFields };
		const parameters = { ...asking, operation: one.operation, ...own };
		const start = { items: JSON.stringify(items), file: 'QWRh' };
		const { data } = await runWorkflow({
			nodes: [
				{ name: 'Start', type: 'start', parameters: start },
				{ name: 'Node', type: one.node, parameters, onError: 'continueErrorOutput' },
			],
			connections: ['Start > Node'],
			credential: credentialFor(service()),
		});
		const [output, errors] = data.resultData.runData.Node[0].data?.main ?? [];
		expect(output?.[0].binary).toEqual(includeInputFields ? file : undefined);
		expect(errors).toMatchObject([{ json: items[1], binary: file }]);
	}
});
