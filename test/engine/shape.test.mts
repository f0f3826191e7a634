/**
 * @file What comes out of a lookup: the node's own fields, put into the item, or into the object under Put
 * Result in Field, by one rule. The rules are in itemAfter.mts, which judges the random runs of chaos.test.mts, too; here
 * each is written out once.
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
import { timeless } from '../support/leads/outcomes.mts';
import {
	runNode,
	runWorkflow,
	type NodeResult,
	type NodeTest,
	type OurNode,
} from '../support/node/engine.mts';
import { acceptJob, objectOf } from '../support/node/operationRow.mts';
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

/** What earlier runs have left. Beside a status of a result, the fields of a problem are the user's own. */
const bought = {
	...{ status: 'found', email: 'old@acme.example', emailStatus: 'catch-all' },
	...{ mailboxType: 'webmail', personData: { title: 'CTO' }, credits: 2, checkedAt: '2020-01-01' },
	...{ jobId: 'J-1', jobRow: 'B' },
};
const failed = { ...bought, status: 'failed', reason: 'connection', message: 'It failed' };
const waiting = {
	...{ status: 'pending', reason: 'job_not_finished', message: 'Not finished', credits: null },
	...{ jobId: '9001', jobRow: 1, email: other },
};
const own = { status: 'Customer', credits: 9, reason: 'inbound', email: bought.email };
const befores: IDataObject[] = [{}, own, bought, failed, waiting, { ...failed, row_number: 7 }];

/** Something that can become of an item: what it costs, and what the lookup says. */
type Outcome = [given: Given & { number?: number }, costs: number | null, says: IDataObject];

const email = (email: string): Given => ({ parameters: { email } });
const existing = (text: string): Given => ({
	parameters: { existingEmail: text, existingStatus: text },
});
const without = (status: string, reason: string, httpCode: number | null = null) => ({
	...{ status, reason, httpCode, message: expect.any(String) },
});
const known = (email: string) => ({ status: 'known', email });
const found = { ...find.answer(hit), checkedAt: 'then' };
const missed = { status: 'not_found', checkedAt: 'then' };
const verified = (email: string) => ({
	...{ status: 'verified', email, emailStatus: expectedVerification(email).email_status },
	...{ mailboxType: 'professional', checkedAt: 'then' },
});
const malformed = { status: 'verified', email: 'no-at-sign', emailStatus: 'invalid' };

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
	'no email': [email(' '), 0, { status: 'skipped' }],
	'its own status': [itsStatus, 0, { ...known(bought.email), emailStatus: 'catch-all' }],
};
const mixed = 'Ann Lee ann@acme.example';
const mixedCell = { parameters: { existingEmail: mixed, email: mixed } };
const unevaluated = { parameters: { firstName: '{{ $json.x }}', email: '{{ $json.x }}' } };
const problems: Record<string, Outcome> = {
	'a 400': [{ fault: { status: 400 } }, 0, without('failed', 'bad_request', 400)],
	'a 500': [{ fault: { status: 500 } }, 0, without('failed', 'service_unavailable', 500)],
	'a 402': [{ fault: { status: 402 } }, 0, without('not_processed', 'out_of_credits', 402)],
	'a cap': [{ options: { maxCredits: 0 } }, 0, without('not_processed', 'credit_limit')],
	'an email and other text': [mixedCell, 0, without('invalid_input', 'invalid_value')],
	'an expression': [unevaluated, 0, without('invalid_input', 'unevaluated_expression')],
};
const ofJob = { ...without('pending', 'job_not_finished'), jobId: '9001', jobRow: 1 };
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
		expect(json).toStrictEqual({ ...question, ...ownOf(lookup), ...says, credits: costs });
		const onError = 'continueErrorOutput';
		const { errorItems } = await run(lookup, [question], { ...given, onError });
		const { httpCode: _, ...told } = says;
		const error = expect.objectContaining(told);
		const sent = { json: { ...question, message: told.message, error }, pairedItem: { item: 0 } };
		const isFailed = 'reason' in says && says.status !== 'pending';
		expect(errorItems).toEqual(isFailed ? [sent] : []);
		for (const { json } of errorItems) {
			expect(await one(lookup, [json])).toMatchObject({ message: null });
		}
	});

	test.each(befores)('changes of %j what the rules say', async (before) => {
		const item = { error: 'x', ...question, ...before };
		const json = await one(lookup, [item], given);
		expect(json).toEqual(itemAfter(item, happened));
		const why = json.message ? ['message'] : [];
		const first = ['status', 'email', 'emailStatus', ...why, ...Object.keys(question)];
		expect(Object.keys(json).slice(0, first.length)).toEqual(first);
	});

	test('does the same under Put Result in Field, and leaves the item as it came', async () => {
		const crm = { ...question, status: 'new', email: 'crm@acme.example', credits: 9, jobRow: 5 };
		const options = { ...given.options, resultField: 'a look.up' };
		for (const includeInputFields of [true, false]) {
			const parameters = { ...given.parameters, includeInputFields };
			const item = { ...crm, 'a look.up': bought, error: 'x' };
			const json = await one(lookup, [item], { ...given, options, parameters });
			const { 'a look.up': target, ...left } = json;
			expect(target).toEqual(itemAfter(bought, happened));
			if (includeInputFields) expect(left).toStrictEqual(crm);
			else for (const name of Object.keys(left)) expect(asking).toHaveProperty(name);
		}
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
	'no email, alone': [{ parameters: { email: ' ', ...alone } }, 0, { status: 'skipped' }],
	'a known email, alone': [knownAlone, 0, known(bought.email)],
	'its old email': [email(other), 1, verified(other)],
	'a miss after an email': [tooOld, 0, { status: 'not_found' }],
	'its own email again': [existing(other), 0, known(other)],
	'several emails': [readByName, 0, { ...known(other), emailStatus: 'valid' }],
};
const noEmail = { emailStatus: null, mailboxType: null, personData: null };
const noProblem = { reason: null, message: null };
const noJob = { jobId: null, jobRow: null };
const unsent = { status: 'not_processed', reason: 'out_of_credits', message: 'Not sent' };
const notMeant = without('invalid_input', 'unevaluated_expression');
const dated = { 'E-Mail': 'old@acme.example', checkedAt: '2020-01-01' };
const about = { emailStatus: 'valid', checkedAt: '2026-01-01', personData: { title: 'CTO' } };
const two = [{ value: other, primary: true }, { value: 'b@home.example' }];
const twoInText = `${other}; b@home.example`;
const addsUp = { ...noEmail, ...found, credits: 3 };
const free = { credits: 0 };
const nowKnown = { status: 'known', ...free };

/** The rules, each written out: what happens to an item, and what that changes of it. */
test.each<[what: string, before: IDataObject, changes: IDataObject, by?: Lookup]>([
	// Nothing is left of an earlier result, and credits add up. A status of the user is replaced.
	['an answer', bought, addsUp],
	['an answer', failed, { ...addsUp, ...noProblem, ...noJob }],
	['an answer', own, { ...found, credits: 1 }],
	[
		'its old email',
		{ ...bought, email: `Ann <${other}>` },
		{ ...noEmail, ...verified(other), credits: 3 },
		verify,
	],
	// Without a result, what is known of an email stays.
	['a miss', { ...bought, status: 'known' }, { status: 'not_found' }],
	['a 402', bought, without('not_processed', 'out_of_credits', 402)],
	['a miss', { ...bought, email: '' }, { ...noEmail, ...missed }],
	// Nothing better than an email of an earlier lookup.
	['a miss', bought, {}],
	['a miss', { ...bought, status: 'verified' }, {}],
	// An email that is too old keeps its date, wherever it stands.
	['a miss', dated, { ...missed, ...free }],
	['a miss after an email', dated, { status: 'not_found', ...free }],
	// n8n leaves a cell of a sheet as it is for `null`.
	[
		'an answer',
		{ status: 'failed', reason: 'x', credits: '', row_number: 7 },
		{ ...found, reason: '', credits: null },
	],
	['no email', { ...bought, ...missed, email: '' }, {}, verify],
	// A job is still to be collected, until a Finder has its result.
	['its old email', waiting, { ...verified(other), ...noProblem }, verify],
	['an answer', { ...waiting, status: 'verified' }, { ...found, ...noProblem, ...noJob }],
	['its own email again', { ...waiting, ...unsent }, { status: 'known', ...noProblem }],
	['a 402', { ...waiting, ...unsent }, without('not_processed', 'out_of_credits', 402), verify],
	['an expression', { ...waiting, ...without('failed', 'connection') }, notMeant],
	['a cap', waiting, without('not_processed', 'credit_limit')],
	['an answer', { ...waiting, ...unsent }, { ...found, ...noProblem, ...noJob }],
	['an answer', waiting, { ...found, ...noProblem, ...noJob }],
	['a miss', waiting, { status: 'not_found', ...noProblem }],
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
		{ ...bought, status: 'known', email: '' },
		{ ...noEmail, checkedAt: null, status: 'known', email: other },
	],
	// What can be no email was not checked.
	['no email address', bought, { ...noEmail, ...malformed, checkedAt: null }, verify],
	// What only an option writes is left alone without it.
	['an answer', { response: { a: 1 }, source: 'Expo' }, { ...found, credits: 1 }],
	['an answer', { mailboxType: 'shared', personData: 'Ada' }, { ...found, credits: 1 }],
])('%s, before it %j: changes %j', async (what, before, changes, lookup = find) => {
	const [given, costs, says] = outcomesOf[what];
	const item = { ...ask(given.number ?? hit), ...before };
	const after = { ...ownOf(lookup), ...item, ...changes };
	expect(await one(lookup, [item], given)).toEqual(after);
	expect(itemAfter(item, { lookup, says, costs })).toEqual(after);
});

test.each(['', 'lookup'])(
	'no table has holes beside an item without a result: "%s"',
	async (resultField) => {
		const rows = [ask(hit), { ...ask(miss), message: 'call back' }, { ...asking, first: '' }];
		const keysOf = async (onError: Given['onError'], items = rows) => {
			const { json } = await run(find, items, { options: { resultField }, onError });
			return json.map((one) => Object.keys(resultField ? objectOf(one[resultField]) : one));
		};
		const own = find.columns ?? [];
		const why = ['reason', 'message', 'httpCode'];
		for (const keys of await keysOf('continueRegularOutput')) {
			expect(keys).toEqual(expect.arrayContaining([...own, ...why]));
		}
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const isAll = onError === 'continueErrorOutput';
			const [first] = await keysOf(onError, isAll ? rows : rows.slice(0, 2));
			for (const name of why) expect(first).not.toContain(name);
		}
	},
);

/** A company of the fixtures. */
const [{ domain }] = fixtures.companies;
const company = companyFields(fixtures.companies[0]);

const search: Operation = { node: 'contactDataCompany', operation: 'searchCompany' };
const getLeads: Operation = { node: 'contactDataCompany', operation: 'getLeads' };

describe('Search Company', () => {
	const lead = { id: 1, status: 'found', email: 'ada@acme.example', credits: 4, checkedAt: 'x' };
	const before = { status: 'found', name: 'Old', own: 1, response: {}, credits: 2, checkedAt: 'x' };
	const result = { status: 'found', ...company, credits: 1, checkedAt: 'then' };
	const nobody: Given = { parameters: { keyword: 'nobody has such a name' } };
	const nothing = Object.fromEntries(Object.keys(company).map((name) => [name, null]));

	test.each<[string, Given, IDataObject | string | undefined, IDataObject]>([
		['adds it', {}, undefined, result],
		['replaces what is no object', {}, 'Acme', result],
		['has the same fields at a miss', nobody, undefined, { ...missed, credits: 0 }],
		['replaces each of its fields', {}, before, { own: 1, response: {}, ...result, credits: 3 }],
		['leaves the fields that were there at a miss', nobody, before, { ...before, ...missed }],
		[
			'leaves them at a 402',
			{ fault: { status: 402 } },
			before,
			{ ...before, ...without('not_processed', 'out_of_credits', 402) },
		],
		[
			'adds the response with Simplify off',
			{ parameters: { simple: false } },
			undefined,
			{ ...result, response: expect.objectContaining({ lid: company.id }) },
		],
	])('%s, in one object', async (_, given, companyData, expected) => {
		for (const field of ['companyData', 'co.of it']) {
			const item: IDataObject = { ...lead, site: domain, [field]: companyData };
			const options = { resultField: field === 'companyData' ? '' : field };
			const { [field]: target, ...left } = await one(search, [item], { ...given, options });
			expect(target).toEqual({ ...nothing, ...expected });
			expect(left).toStrictEqual({ ...lead, site: domain });
		}
	});

	test('leaves a lead alone that the same field holds', async () => {
		const held = { ...before, email: 'ada@acme.example', emailStatus: 'valid' };
		const item = { site: domain, lookup: held };
		const { lookup } = await one(search, [item], { options: { resultField: 'lookup' } });
		const { email, emailStatus } = held;
		expect(lookup).toMatchObject({ name: company.name, email, emailStatus, credits: 3 });
	});
});

describe('what a sheet or a file has made of Put Result in Field', () => {
	const { first, last, domain } = leadOf(hit);
	const lead = { 'First Name': first, Surname: last, Website: domain };
	const answered = { ...find.answer(hit), credits: 1 };

	async function lookUp(operation: string, item: IDataObject): Promise<IDataObject> {
		const node = operation === 'verifyBulk' ? 'contactDataVerifier' : 'contactDataFinder';
		const parameters = { operation, options: { resultField: 'lookup' } };
		const credential = credentialFor(service());
		return (await runNode({ node, parameters, items: [item], credential })).json[0];
	}

	test('is not bought again', async () => {
		const found = await lookUp('findBulk', lead);
		expect(found.lookup).toMatchObject(answered);
		const inSheet = { ...lead, lookup: JSON.stringify(found.lookup) };
		// n8n makes columns of the fields inside when it writes a file.
		const columns = Object.entries(objectOf(found.lookup)).map(([name, value]) => [
			`lookup.${name}`,
			String(value ?? ''),
		]);
		const inFile = { ...Object.fromEntries(columns), ...lead };
		service().reset();
		expect(await lookUp('findBulk', inSheet)).toStrictEqual(found);
		const again = await lookUp('findBulk', inFile);
		expect(again).toStrictEqual({ ...lead, lookup: expect.objectContaining(answered) });
		for (const row of [inSheet, inFile]) {
			expect((await lookUp('verifyBulk', row)).lookup).toMatchObject(answered);
		}
		expect(service().requests).toEqual([]);
	});

	test('still names the job that has its result', async () => {
		await acceptJob(service(), { tId: 1, firstName: first, lastName: last, domain });
		const pending = { status: 'pending', jobId: '9001', jobRow: 1, credits: null };
		const columns = { 'lookup.status': 'pending', 'lookup.jobId': 9001, 'lookup.jobRow': '1' };
		for (const row of [{ lookup: JSON.stringify(pending) }, { ...columns, 'lookup.credits': '' }]) {
			forgetRecentAnswers();
			const { lookup } = await lookUp('findBulk', { ...lead, ...row });
			expect(lookup).toMatchObject({ ...answered, jobId: null, jobRow: null });
		}
		const sent = service().requests.map(({ operation }) => operation);
		expect(sent).toEqual(['findBulk', 'getBulkJob', 'getBulkJob']);
	});

	test('does not replace a newer result', async () => {
		const old = { 'lookup.status': 'not_processed', 'lookup.email': '', 'lookup.message': 'x' };
		const first = await lookUp('findBulk', { ...lead, ...old });
		expect(first.lookup).toMatchObject(answered);
		service().reset();
		// Merged with the rows as they were, or written to their sheet.
		for (const lookup of [first.lookup, JSON.stringify(first.lookup)]) {
			const again = await lookUp('verifyBulk', { ...lead, ...old, lookup });
			expect(again).toMatchObject({ ...old, lookup: answered });
		}
		expect(service().requests).toEqual([]);
	});
});

test('columns of the user that begin with the name of Put Result in Field are none of ours', async () => {
	const own = { 'lookup.status': 'Customer', 'lookup.credits': 12, 'lookup.owner': 'Eve' };
	const { lookup, ...others } = await one(find, [{ ...ask(hit), ...own }], {
		options: { resultField: 'lookup' },
	});
	expect(lookup).toMatchObject({ status: 'found', credits: 1 });
	expect(others).toStrictEqual({ ...ask(hit), ...own });
});

test('a CSV file that n8n wrote and reads again has our own status in its first column; a status of the user stays', async () => {
	const { status, ...others } = { ...leadOf(hit), ...bought, status: 'found', credits: '1' };
	const given: Given = { parameters: { existingEmail: '={{ $json.email }}' } };
	const known = await one(find, [{ '\uFEFFstatus': status, ...others }], given);
	expect(known).toMatchObject({ status: 'found', credits: 1 });
	expect(known).not.toHaveProperty('\uFEFFstatus');
	const own = await one(find, [{ '\uFEFFstatus': 'Hot', ...others }], given);
	expect(own).toMatchObject({ '\uFEFFstatus': 'Hot', status: 'known' });
});

const ofFailure = { message: 'It failed', error: { status: 'failed', reason: 'bad_request' } };

const statuses = ['Hot', 'found', '', 'Lost'].map((status) => ({ status }));

const replaced = (names: string) => `Fields of your own were replaced (${names})`;

test.each<[IDataObject[], said?: string]>([
	[statuses, replaced('status')],
	[[{ message: 'Hi', credits: 500, first: '' }, {}], replaced('message, credits')],
	[[{ status: 'failed', message: 'Hi', first: '' }]],
	[[{ status: null, message: 'Hi' }]],
	// Of a file, and of an error output.
	[[{ ...failed, status: undefined, '\uFEFFstatus': 'failed' }]],
	[[ofFailure]],
	[[{ ...ofFailure, status: 'Hot', credits: 40 }], replaced('status, credits')],
])('of the fields %j the summary says that %s', async (fields, said) => {
	// What it is found for has no other column with its email.
	const items = fields.map((own) => ({ ...ask(hit), to: null, ...own }));
	const summaries = async (options: INodeParameters, given: Given = {}) => {
		return (await run(find, items, { options, ...given })).summary;
	};
	if (said) expect(await summaries({})).toContain(`${said}: to keep them, add the option`);
	else expect(await summaries({})).not.toContain('were replaced');
	expect(await summaries({ resultField: 'lookup' })).not.toContain('were replaced');
	// What goes to the error output keeps its own.
	const refused: Given = { fault: { status: 400 }, onError: 'continueErrorOutput' };
	expect(await summaries({}, refused)).not.toContain('were replaced');
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
