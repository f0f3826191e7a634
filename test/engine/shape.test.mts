/**
 * @file What comes out of a lookup: the node's own fields, put into the item, or into the object under Put
 * Result in Field, by one rule. What becomes of an item by its earlier status, and that nothing else of it is added,
 * changed or removed, whatever it is, is in chaos.test.mts.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedVerification } from '../emulator/addresses.mts';
import type { Fault } from '../emulator/faults.mts';
import type { Variants } from '../emulator/variants.mts';
import {
	runNode,
	runWorkflow,
	type NodeResult,
	type NodeTest,
	type OurNode,
} from '../support/node/engine.mts';
import { companyFields, fixtures } from '../support/leads/expected.mts';
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
import { objectOf } from '../support/node/operationRow.mts';
import { timeless } from '../support/leads/outcomes.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

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
	if (fault) service().faults.add(fault);
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

const isFinder = ({ credits }: Pick<Lookup, 'credits'>) => credits === 'email';

/** The fields that every item of a lookup has, where there is nothing to say. */
function ownOf(lookup: Lookup): IDataObject {
	const own = { status: null, email: null, emailStatus: null, credits: 0, checkedAt: null };
	return isFinder(lookup) ? own : { ...own, mailboxType: null };
}

/** What an earlier run has bought. Beside its status, the fields of a problem are the user's own. */
const bought = {
	...{ status: 'found', email: 'old@acme.example', emailStatus: 'catch-all' },
	...{ mailboxType: 'webmail', personData: { title: 'CTO' }, credits: 2, checkedAt: '2020-01-01' },
	...{ jobId: 'J-1', jobRow: 'B' },
};

/**
 * Something that can become of an item: what a new item has of it, what it costs, and what it changes in
 * {@link bought}, if not the same; `undefined` for what goes.
 */
type Outcome = [
	what: string,
	given: Given & { number?: number },
	cost: number | null,
	writes: IDataObject,
	changes?: IDataObject,
];

const email = (email: string): Given => ({ parameters: { email } });
const existing = (text: string): Given => ({
	parameters: { existingEmail: text, existingStatus: text },
});
const without = (status: string, reason: string) => ({ status, reason });
const known = (email: string) => ({ status: 'known', email });
const missed = { status: 'not_found', checkedAt: 'then' };
const verified = (email: string) => ({
	...{ status: 'verified', email, emailStatus: expectedVerification(email).email_status },
	...{ mailboxType: 'professional', checkedAt: 'then' },
});
const malformed = { status: 'verified', email: 'no-at-sign', emailStatus: 'invalid' };

const kept = { status: 'found' };
const asBefore = { checkedAt: bought.checkedAt };
const other = { mailboxType: null, personData: null };
const unknown = { ...other, checkedAt: null };

const ofFinder: Outcome[] = [
	['an answer', {}, 1, { ...find.answer(hit), checkedAt: 'then' }, other],
	['a miss', { number: miss }, 0, missed, asBefore],
	['its own email', existing(' <OLD@acme.example> '), 0, known('OLD@acme.example'), kept],
	[
		'another email that it has',
		existing(addressOf(7)),
		0,
		known(addressOf(7)),
		{ ...kept, email: bought.email },
	],
];

const itsStatus = { parameters: { existingStatus: 'OKA', email: bought.email } };
const ofVerifier: Outcome[] = [
	['an answer', email(` ${bought.email}`), 1, verified(bought.email)],
	['an answer about another email', {}, 1, verified(addressOf(hit)), { personData: null }],
	['no email address', email('no-at-sign'), 0, malformed, unknown],
	['no email', email(' '), 0, { status: 'skipped' }, kept],
	['its own status', itsStatus, 0, { ...known(bought.email), emailStatus: 'catch-all' }, kept],
];

const unevaluated = { parameters: { firstName: '{{ $json.x }}', email: '{{ $json.x }}' } };
const problems: Outcome[] = [
	['a 400', { fault: { status: 400 } }, 0, without('failed', 'bad_request')],
	['a 500', { fault: { status: 500 } }, 0, without('failed', 'service_unavailable')],
	['a 402', { fault: { status: 402 } }, 0, without('not_processed', 'out_of_credits')],
	['a cap', { options: { maxCredits: 0 } }, 0, without('not_processed', 'credit_limit')],
	['an expression', unevaluated, 0, without('invalid_input', 'unevaluated_expression')],
];
const job: Outcome = [
	'a job',
	{ variants: { bulkAnswer: 'job', jobPolls: 1_000_000 } },
	null,
	{ ...without('pending', 'job_not_finished'), jobId: '9001', jobRow: 1 },
];

const outcomes = lookups.flatMap((lookup) => {
	const { operation, perRequest } = lookup;
	const lost = without('failed', perRequest > 1 ? 'unknown_outcome' : 'connection');
	const all: Outcome[] = [
		...(isFinder(lookup) ? ofFinder : ofVerifier),
		...problems,
		['a lost connection', { fault: { reset: 'after-charge' } }, null, lost],
		...(operation === 'findBulk' ? [job] : []),
	];
	return all.map(([what, ...outcome]) => ({ operation, what, lookup, outcome }));
});

/** The fields without the words of a problem, which it has to have. */
function wordless({ message, httpCode, ...json }: IDataObject): IDataObject {
	const isProblem = 'reason' in json;
	if (isProblem) expect(message).toEqual(expect.any(String));
	else expect([message, httpCode]).toEqual([undefined, undefined]);
	return json;
}

describe.each(outcomes)('$operation: $what', ({ lookup, outcome }) => {
	const [given, cost, writes, changes] = outcome;
	const own = ownOf(lookup);
	const question = ask(given.number ?? hit);
	const credits = cost === null ? null : bought.credits + cost;
	const changed = { ...bought, ...writes, ...changes, credits };

	test('gives a new item its own fields, null where there is nothing', async () => {
		const json = await one(lookup, [question], given);
		expect(wordless(json)).toStrictEqual({ ...question, ...own, ...writes, credits: cost });
		const onError = 'continueErrorOutput';
		const { errorItems } = await run(lookup, [question], { ...given, onError });
		const message = expect.any(String);
		const error = expect.objectContaining({ ...writes, message });
		const sent = { json: { ...question, message, error }, pairedItem: { item: 0 } };
		const isFailed = 'reason' in writes && writes.status !== 'pending';
		expect(errorItems).toEqual(isFailed ? [sent] : []);
		for (const { json } of errorItems) {
			expect(await one(lookup, [json])).toMatchObject({ message: null });
		}
	});

	test('changes nothing else of what was bought, in the order of the fields', async () => {
		const json = await one(lookup, [{ error: 'x', ...question, ...bought }], given);
		expect(wordless(json)).toEqual({ ...question, ...changed });
		const why = 'reason' in json ? ['message'] : [];
		const first = ['status', 'email', 'emailStatus', ...why, ...Object.keys(question)];
		expect(Object.keys(json).slice(0, first.length)).toEqual(first);
		expect(Object.keys(json)).toEqual(expect.arrayContaining(Object.keys(own)));
	});

	test('does the same under Put Result in Field, and leaves the item as it came', async () => {
		const crm = { ...question, status: 'new', email: 'crm@acme.example', credits: 9, jobRow: 5 };
		const options = { ...given.options, resultField: 'a look.up' };
		for (const includeInputFields of [true, false]) {
			const parameters = { ...given.parameters, includeInputFields };
			const item = { ...crm, 'a look.up': bought, error: 'x' };
			const json = await one(lookup, [item], { ...given, options, parameters });
			const { 'a look.up': target, ...left } = json;
			expect(wordless(objectOf(target))).toEqual(changed);
			if (includeInputFields) expect(left).toStrictEqual(crm);
			else for (const name of Object.keys(left)) expect(asking).toHaveProperty(name);
		}
	});
});

test.each<[IDataObject, IDataObject]>([
	[{ email: ['a@home.example', 'b@home.example'] }, { emailStatus: null }],
	[{ email: 'a@home.example', emailStatus: 'valid' }, {}],
	[
		{ email: 'ask the reception', emailStatus: 'invalid' },
		{ email: addressOf(7), emailStatus: null },
	],
	[
		{ email: '', emailStatus: 'invalid', checkedAt: 'x' },
		{ email: addressOf(7), emailStatus: null, checkedAt: null },
	],
	[{ emailStatus: 'valid', checkedAt: 'x' }, { email: addressOf(7) }],
	[{ email: `${addressOf(7)}; b@home.example` }, { emailStatus: null }],
])(
	'a known email of another field does not replace the own one of a lead: %j',
	async (lead, changes) => {
		const given = existing(addressOf(7));
		const own = { status: 'known', credits: 0 };
		expect(await one(find, [lead], given)).toMatchObject({ ...own, ...lead, ...changes });
	},
);

test('the job of a pending lead is still to be collected, whatever the Verifier says of its old email', async () => {
	const waiting = { status: 'pending', reason: 'job_not_finished', jobId: '9001', jobRow: 1 };
	const lead = { ...ask(hit), ...waiting, message: 'Not finished', email: addressOf(7) };
	const parameters = { email: addressOf(7) };
	const verified = await one(verify, [lead], { parameters });
	expect(verified).toMatchObject({ status: 'verified', jobId: '9001', jobRow: 1 });
	expect(verified).toMatchObject({ reason: null, message: null });
	expect(await one(find, [verified])).toMatchObject({ status: 'found', email: addressOf(hit) });
	expect(await one(find, [lead])).toMatchObject({ jobId: null, jobRow: null });
});

test('what is passed on keeps all that it came with, also where the input is off', async () => {
	const parameters = { includeInputFields: false };
	const found = { ...leadOf(hit), ...bought };
	const given = existing(bought.email);
	const known = await one(find, [found], { parameters: { ...given.parameters, ...parameters } });
	expect(known).toMatchObject({ ...found, email: bought.email, credits: bought.credits });
	const waiting = { ...ask(miss), status: 'pending', jobId: '9001', jobRow: 1, email: '' };
	const nobody = { parameters: { ...parameters, email: '' } };
	expect(await one(verify, [waiting], nobody)).toMatchObject(waiting);
	const own = { ...ask(hit), status: 'Customer' };
	const { json, hints } = await runNode({
		...{ node: 'contactDataFinder', credential: credentialFor(service()), items: [found, own] },
		parameters: { operation: 'getBulkJob', ...parameters, jobId: '' },
	});
	expect(json).toMatchObject([found, { ...own, status: 'skipped' }]);
	const said = '1 item had fields of its own that are replaced (status)';
	expect(hints).toMatchObject([{ message: expect.stringContaining(said) }]);
	// What the lead has cost so far is told with it, and without it.
	const unsure = { ...found, emailStatus: 'unknown', credits: 1, to: bought.email };
	for (const includeInputFields of [true, false]) {
		const again = await one(verify, [unsure], { parameters: { includeInputFields } });
		expect(again).toMatchObject({ status: 'verified', credits: 2 });
	}
});

test.each([
	[[{ value: addressOf(7), primary: true }, { value: 'b@home.example' }]],
	[`${addressOf(7)}; b@home.example`],
])(
	'a Verifier that passes a lead on leaves several emails, and what is said of them: %j',
	async (email) => {
		const about = { emailStatus: 'valid', checkedAt: '2026-01-01', personData: { title: 'CTO' } };
		const options = { maxAgeDays: 10_000, checkedAt: '={{ $json.checkedAt }}' };
		const parameters = { leadFields: 'auto' };
		const result = await one(verify, [{ email, ...about }], { parameters, options });
		expect(result).toMatchObject({ status: 'known', email, ...about });
	},
);

test('a `response` from elsewhere is the own one of the lead, whatever email is found', async () => {
	for (const response of ['Call on Monday', { answer: 'Call on Monday' }]) {
		const lead = { ...ask(hit), response, email: 'old@acme.example' };
		expect(await one(find, [lead])).toMatchObject({ response });
	}
});

test.each(['', 'lookup'])(
	'beside an item without a result all have its fields, so that no table has holes (field: "%s")',
	async (resultField) => {
		const rows = [ask(hit), { ...ask(miss), message: 'call back' }, { ...asking, first: '' }];
		const keysOf = async (onError: Given['onError'], items = rows) => {
			const { json } = await run(find, items, { options: { resultField }, onError });
			return json.map((one) => Object.keys(resultField ? objectOf(one[resultField]) : one));
		};
		const own = Object.keys(ownOf(find));
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

const search: Operation = { node: 'contactDataCompany', operation: 'search' };
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
		['replaces the whole object', {}, before, { ...result, credits: 3 }],
		['leaves the fields that were there at a miss', nobody, before, { ...before, ...missed }],
		[
			'leaves them at a 402',
			{ fault: { status: 402 } },
			before,
			{ ...before, status: 'not_processed', reason: 'out_of_credits' },
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
			expect(wordless(objectOf(target))).toEqual({ ...nothing, ...expected });
			expect(left).toStrictEqual({ ...lead, site: domain });
		}
	});

	test('leaves a lead alone that the same field holds', async () => {
		const held = { ...before, email: 'ada@acme.example', emailStatus: 'valid' };
		const item = { site: domain, lookup: held };
		const { lookup } = await one(search, [item], { options: { resultField: 'lookup' } });
		const { email, emailStatus } = held;
		expect(lookup).toMatchObject({ name: company.name, email, emailStatus, credits: 3 });
		expect(lookup).not.toHaveProperty('response');
	});

	test('keeps the company that a sheet has made a text of, where it is not found again', async () => {
		const item = { site: domain, companyData: JSON.stringify(before) };
		const { companyData } = await one(search, [item], { fault: { status: 402 } });
		expect(companyData).toMatchObject({ ...before, status: 'not_processed' });
	});

	test('leaves to the lead what it has, behind an error output of its own', async () => {
		for (const own of [lead, { status: 'customer', reason: 'inbound', credits: 7 }]) {
			const item = { ...own, site: domain };
			const onError = 'continueErrorOutput';
			const { errorItems } = await run(search, [item], { fault: { status: 400 }, onError });
			const { companyData, message, ...left } = await one(search, [errorItems[0].json]);
			expect(companyData).toMatchObject({ ...result, credits: 1 });
			expect([left, message]).toStrictEqual([item, null]);
		}
	});

	test('gives an item for each match, of which the first did cost something', async () => {
		const parameters = { keyword: 'north', returnAllMatches: true };
		const { items } = await run(search, [lead], { parameters });
		const matches = fixtures.companies.filter(({ name }) => /north/i.test(name));
		expect(matches.length).toBeGreaterThan(1);
		const costs = matches.map(({ id }, index) => ({ id, credits: index === 0 ? 1 : 0 }));
		expect(items).toMatchObject(
			costs.map((companyData) => ({ json: { ...lead, companyData }, pairedItem: { item: 0 } })),
		);
	});
});

test('what a sheet or a file has made of Put Result in Field is not bought again', async () => {
	const options = { resultField: 'lookup' };
	const person = { 'First Name': leadOf(hit).first, Surname: leadOf(hit).last };
	const lead = { ...person, Website: leadOf(hit).domain };
	const byColumns = async (node: OurNode, operation: string, item: IDataObject) => {
		const parameters = { operation, options };
		const credential = credentialFor(service());
		return (await runNode({ node, parameters, items: [item], credential })).json[0];
	};
	const found = await byColumns('contactDataFinder', 'findBulk', lead);
	expect(objectOf(found.lookup)).toMatchObject({ ...find.answer(hit), credits: 1 });
	const inSheet = { ...lead, lookup: JSON.stringify(found.lookup) };
	// n8n makes columns of the fields inside when it writes a file.
	const columns = Object.entries(objectOf(found.lookup)).map(([name, value]) => [
		`lookup.${name}`,
		String(value ?? ''),
	]);
	const inFile = { ...Object.fromEntries(columns), ...lead };
	service().reset();
	for (const row of [inSheet, inFile]) {
		const again = await byColumns('contactDataFinder', 'findBulk', row);
		expect(again).toStrictEqual(row === inSheet ? found : { ...lead, lookup: expect.any(Object) });
		expect(objectOf(again.lookup)).toMatchObject({ ...find.answer(hit), credits: 1 });
		const verified = await byColumns('contactDataVerifier', 'verifyBulk', row);
		expect(objectOf(verified.lookup)).toMatchObject({ ...find.answer(hit), credits: 1 });
	}
	expect(service().requests).toEqual([]);
	// A job that nobody collects by such a text is still known afterwards.
	const pending = { status: 'pending', jobId: '9001', jobRow: 1, credits: null };
	const waits = { ...lead, lookup: JSON.stringify(pending) };
	const passedOn = await byColumns('contactDataFinder', 'getBulkJob', waits);
	expect(passedOn.lookup).toMatchObject(pending);
});

test('what a file has made of an earlier result does not replace a newer one', async () => {
	const options = { resultField: 'lookup' };
	const old = { 'lookup.status': 'not_processed', 'lookup.email': '', 'lookup.message': 'x' };
	const first = await one(find, [{ ...ask(hit), ...old }], { options });
	expect(first.lookup).toMatchObject({ status: 'found', credits: 1 });
	// Merged with the rows as they were, or written to their sheet.
	for (const lookup of [first.lookup, JSON.stringify(first.lookup)]) {
		const both = { ...ask(hit), ...old, lookup };
		const { requests } = service();
		const before = requests.length;
		const { json } = await runNode({
			...{ node: 'contactDataVerifier', credential: credentialFor(service()), items: [both] },
			parameters: { operation: 'verifyBulk', options },
		});
		expect(json[0].lookup).toMatchObject({ ...find.answer(hit), credits: 1 });
		expect(requests).toHaveLength(before);
		expect(json[0]).toMatchObject(old);
	}
});

test('columns of the user that begin with the name of Put Result in Field are none of ours', async () => {
	const own = { 'lookup.status': 'Customer', 'lookup.credits': 12, 'lookup.owner': 'Eve' };
	const { lookup, ...others } = await one(find, [{ ...ask(hit), ...own }], {
		options: { resultField: 'lookup' },
	});
	expect(lookup).toMatchObject({ status: 'found', credits: 1 });
	expect(others).toStrictEqual({ ...ask(hit), ...own });
});

test('where there is no email any more, a miss leaves nothing that was said of one', async () => {
	// n8n would leave the cells of a sheet as they are for `null`.
	for (const [nothing, place] of [
		[null, {}],
		['', { row_number: 7 }],
	] as const) {
		const emptied = { ...ask(miss), ...bought, ...place, email: '' };
		const missed = await one(find, [emptied]);
		const gone = { emailStatus: nothing, mailboxType: nothing, personData: nothing };
		expect(missed).toMatchObject({ status: 'not_found', email: '', ...gone, checkedAt: 'then' });
		const verified = await run(verify, [missed], { parameters: { email: '={{ $json.email }}' } });
		expect(verified.json).toMatchObject([{ status: 'not_found', emailStatus: nothing }]);
	}
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

test('what a lead has cost stays unknown in the row of a sheet, which has no null', async () => {
	const row = { ...ask(hit), status: 'failed', reason: 'unknown_outcome', credits: '' };
	expect(await one(find, [row])).toMatchObject({ status: 'found', credits: null });
});

test.each<[IDataObject[], string?]>([
	[
		[{ status: 'Hot' }, { status: 'found' }, { status: '' }, { status: 'Lost', message: 'Hi' }],
		'2 items had fields of their own that are replaced (status)',
	],
	[
		[{ message: 'Hi', credits: 500, first: '' }, {}],
		'1 item had fields of its own that are replaced (credits, message)',
	],
	[
		[{ mailboxType: 'shared', email: 'old@acme.example' }],
		'1 item had fields of its own that are replaced (mailboxType)',
	],
	[
		[
			{ status: 'failed', message: 'Hi', first: '' },
			{ status: null, message: 'Hi' },
		],
	],
])('of the fields %j the summary says that %s', async (fields, said) => {
	const items = fields.map((own) => ({ ...ask(hit), ...own }));
	const summaries = async (options: INodeParameters, given: Given = {}) => {
		const { hints = [] } = await run(find, items, { options, ...given });
		return hints.map(({ message }) => message).join();
	};
	if (said) expect(await summaries({})).toContain(`${said}: to keep them, add the option`);
	else expect(await summaries({})).not.toContain('that are replaced');
	expect(await summaries({ resultField: 'lookup' })).not.toContain('that are replaced');
	// What goes to the error output keeps its own.
	const refused: Given = { fault: { status: 400 }, onError: 'continueErrorOutput' };
	expect(await summaries({}, refused)).not.toContain('that are replaced');
});

test('fields of this package are not told as the user’s own: of a file, and of an error output', async () => {
	const { status, ...others } = { ...leadOf(hit), ...bought, status: 'failed', credits: 2 };
	const ofFile = { '\uFEFFstatus': status, ...others, message: 'It failed', reason: 'unexpected' };
	const refused: Given = { fault: { status: 400 }, onError: 'continueErrorOutput' };
	const { errorItems } = await run(find, [ask(hit)], refused);
	expect(errorItems).toMatchObject([{ json: { message: expect.stringContaining('not accept') } }]);
	for (const item of [ofFile, errorItems[0].json]) {
		const { hints = [], json } = await run(find, [{ ...ask(hit), ...item }]);
		expect(json).toMatchObject([{ status: 'found', message: null }]);
		expect(hints.map(({ message }) => message).join()).not.toContain('that are replaced');
	}
});

test('fields of the user’s own are told behind an error output, and beside a status of an earlier node', async () => {
	const refused: Given = { fault: { status: 400 }, onError: 'continueErrorOutput' };
	const { errorItems } = await run(find, [{ ...ask(hit), status: 'Hot', credits: 40 }], refused);
	const { hints: second = [] } = await run(find, [errorItems[0].json]);
	expect(second.map(({ message }) => message).join()).toContain('are replaced (status, credits)');
	const found = await one(find, [{ ...ask(hit), message: 'Call me' }]);
	expect(found).toMatchObject({ status: 'found', message: 'Call me' });
	const noCredits: Given = { fault: { status: 402 } };
	const { hints: third = [] } = await run(verify, [{ ...found, to: 'ada@acme.com' }], noCredits);
	expect(third.map(({ message }) => message).join()).toContain('are replaced (message)');
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
