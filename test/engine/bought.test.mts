/**
 * @file Which requests of an execution share one result, and which never do, while it runs. Over a Wait or a retry:
 * outlives.test.mts; bulk jobs: jobs.test.mts; for how long: test/unit/answers.test.mts.
 */

import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeParameters,
} from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import type { Fault } from '../emulator/faults.mts';
import { chain, emits, outputOf } from '../support/node/chains.mts';
import { runNode, runWorkflow, type NodeTest, type OurNode } from '../support/node/engine.mts';
import { operationOf } from '../operations.mts';
import { fixtures } from '../support/leads/expected.mts';
import {
	addressOf,
	answerIn,
	continues,
	everyLookup,
	expectAnswers,
	find,
	findBulk,
	hit,
	leadOf,
	numbers,
	paidAmong,
	runLookup,
	subjectsOf,
	verifyBulk,
	type AnyLookup,
} from '../support/leads/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/servers/ownServer.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { callTool } from '../support/node/tool.mts';

const service = useService();
useQuickClock();

/** An operation of a node, and its parameters. */
type Step = [node: OurNode, parameters: INodeParameters];

const [company, other] = fixtures.companies;
const companyNode = 'contactDataCompany';

/** What was asked, the rows of bulk requests one by one. */
const asked = () => service().requests.flatMap(({ query, body }) => Object(body ?? query));

async function run([node, parameters]: Step, test: Partial<NodeTest> = {}) {
	return await runNode({
		...{ node, parameters, credential: credentialFor(service()), ...continues },
		...test,
	});
}

/** Runs nodes one after the other, each for these items; gives what each gave out. */
async function inARow(
	items: IDataObject[],
	steps: Step[],
	credential: ICredentialDataDecryptedObject = credentialFor(service()),
): Promise<IDataObject[][]> {
	const nodes = steps.flatMap(([type, parameters], index) => [
		emits(index === 0 ? 'Start' : `Items ${index}`, items),
		{ name: `Node ${index}`, type, parameters },
	]);
	const ended = await runWorkflow(chain(nodes, credential));
	return steps.map((_, index) => outputOf(ended, `Node ${index}`));
}

describe('spellings that look alike are one lookup, and others are not', () => {
	const { name, domain } = company;
	const page = 'https://network.example/company/';
	const email = addressOf(hit);
	const names = [
		...['Jos\u00e9 Test', 'Jose\u0301 Test', ' Jos\u00e9 \t Test\n', 'Jos\u00e9\u00a0Test'],
		...['Jo\u200bs\u00e9 Test\ufeff', 'J\u00ados\u00e9 Te\u200est'],
		...['JOS\u00c9 TEST', 'jose\u0301 test'],
	];

	test.each<[string, string, alike: string[][], node?: OurNode]>([
		['find', 'fullName', [names]],
		['findBulk', 'fullName', [names, ['Jose Test']]],
		['getLeads', 'companyName', [names], companyNode],
		['find', 'domain', [[domain, `https://www.${domain.toUpperCase()}\u200b/x`], [other.domain]]],
		[
			'verify',
			'email',
			[
				[email, ` mailto:${email}`, `<${email}>`, email.replace('@', '\u200b@')],
				[email.replace('@', 'x@')],
			],
		],
		[
			'searchCompany',
			'keyword',
			[
				[domain, domain.toUpperCase(), `https://www.${domain}/`],
				[name, name.toUpperCase(), ` ${name}\u200b`],
				...[page, `${page}AbC`, `${page}aBc`, `sales@${domain}`].map((one) => [one]),
			],
		],
	])('%s by %s', async (operation, field, alike, node = operationOf(operation).node) => {
		const who = { fullName: 'Ann Test', domain: 'c1.bulk.example', companyWebsite: '' };
		const none = { existingEmail: '', existingStatus: '' };
		const parameters = { operation, ...who, ...none, [field]: '={{ $json.value }}' };
		const items = alike.flat().map((value) => ({ value }));
		await run([node, parameters], { items });
		expect(asked()).toHaveLength(alike.length);
	});
});

const step = ({ node, parameters }: Pick<AnyLookup, 'node' | 'parameters'>): Step => [
	node,
	parameters,
];

describe('nodes of one execution', () => {
	const finds = (fields: INodeParameters): Step => [
		'contactDataFinder',
		{ operation: 'find', existingEmail: '', ...fields },
	];
	const email = 'ann.test@c1.bulk.example';
	const ann = { first: 'Ann', last: 'Test', domain: 'c1.bulk.example', email };

	/** The operation with its option, and without. */
	const withOption = (name: string, option: string) =>
		[true, false].map((on): Step => {
			const { node, parameters } = operationOf(name);
			return [node, { ...parameters, existingEmail: '', options: { [option]: on } }];
		});
	const [withCompany, withoutCompany] = withOption('find', 'includeCompanyData');
	const [withPerson, withoutPerson] = withOption('verify', 'enrich');

	test.each<[string, Step[], asked: number]>([
		['Include Company Data', [withCompany, withoutCompany, withCompany], 2],
		['Include Company Data later', [withoutCompany, withCompany, withoutCompany], 2],
		['Include Person Data', [withPerson, withoutPerson, withPerson], 2],
		['Include Person Data later', [withoutPerson, withPerson, withoutPerson], 2],
		[
			'other questions in the same words',
			[
				['contactDataVerifier', { operation: 'verify', email }],
				[companyNode, { operation: 'searchCompany', keyword: email }],
				[companyNode, { operation: 'searchCompany', keyword: JSON.stringify([email]) }],
				finds({ fullName: email, company: email, domain: '' }),
				finds({ fullName: email, domain: ann.domain }),
				finds({ firstName: 'Ann', lastName: 'Bee', company: 'C' }),
				finds({ firstName: 'Ann Bee', lastName: 'C', domain: 'c.example' }),
			],
			7,
		],
		[
			'a name in one part or two, a company beside its domain',
			[
				finds({ firstName: 'Ann', lastName: 'Bee', domain: 'c.example' }),
				finds({ fullName: 'ann bee', domain: 'c.example', company: 'C' }),
				finds({ fullName: 'Ann Bee', domain: 'c.example', company: 'C Inc' }),
			],
			1,
		],
	])('pay once for the same question: %s', async (_, steps, questions) => {
		const outputs = await inARow([ann], steps);
		expect(asked()).toHaveLength(questions);
		for (const [index, [, { options }]] of steps.entries()) {
			const hasExtra = ['companyData', 'personData'].some((name) => name in outputs[index][0]);
			if (options) expect(hasExtra).toBe(Object.values(options).includes(true));
			else if (questions === 1) expect(outputs[index]).toMatchObject([answerIn(outputs[0][0])]);
		}
	});

	test.each([find, findBulk, verifyBulk])(
		'$operation: another account is asked too',
		async ({ node, parameters, item, answer }) => {
			const items = ['test-key', 'second-key', 'test-key'].map((key) => ({ ...item(0), key }));
			const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
			const same: Step = [node, parameters];
			const outputs = await inARow(items, [same, same], credential);
			expect(outputs.flat().map(answerIn)).toEqual(numbers(6).map(() => answer(0)));
			const keys = service().requests.map(({ headers }) => headers['x-access-key']);
			expect(keys.toSorted()).toEqual(['second-key', 'test-key']);
		},
	);

	test('other interface settings are asked too: they may change the answer', async () => {
		const credential = credentialFor(service(), { companySearchPath: '={{ $json.path }}' });
		const [main, variant] = ['/company/search', '/lwh/company/search'];
		const items = [main, variant, main].map((path) => ({ path }));
		const search = { operation: 'searchCompany', keyword: company.domain };
		const [json] = await inARow(items, [[companyNode, search]], credential);
		expect(json).toMatchObject(
			['found', 'not_found', 'found'].map((companyStatus) => ({ companyStatus })),
		);
		expect(service().requests.map(({ path }) => path)).toEqual([main, variant]);
		expect(service().ledger.total()).toBe(1);
	});

	test('as tools at the same time share a result, but not the Max Credits of one', async () => {
		const [first, second, third] = paidAmong(find, 40);
		service().options.latencyMs = 200;
		const execution = createRunExecutionData();
		const ask = async (name: string, number: number, options: INodeParameters = {}) =>
			await callTool({
				...{ node: find.node, name, input: find.item(number), execution },
				parameters: {
					...find.parameters,
					fullName: '={{ $json.first }} {{ $json.last }}',
					options,
				},
				credential: credentialFor(service()),
			});
		const paying = ask('Capped', first, { maxCredits: 1 });
		await vi.waitUntil(() => service().requests.length > 0, { interval: 10 });
		const [paid, refused, free] = await Promise.all([
			paying,
			ask('Capped', second, { maxCredits: 1 }),
			ask('Free', second),
		]);
		expect([...paid, ...free].map(answerIn)).toEqual([first, second].map(find.answer));
		expect(refused).toMatchObject([
			{ lookupStatus: 'not_processed', lookupReason: 'credit_limit' },
		]);
		const shared = await Promise.all(['One', 'Two'].map((name) => ask(name, third)));
		expect(shared.flat().map(answerIn)).toEqual([third, third].map(find.answer));
		expect([service().requests.length, service().ledger.total()]).toEqual([3, 3]);
		const parameters = { operation: 'getLeads', companyWebsite: company.domain, limit: 1 };
		const asked = { node: companyNode, execution, credential: credentialFor(service()) } as const;
		const people = async (name: string) => await callTool({ ...asked, name, parameters });
		const [one, two] = await Promise.all([people('One'), people('Two')]);
		expect([one, service().requests.length]).toEqual([two, 4]);
	});
});

describe('every two lookups, one after the other over the same items', () => {
	const wanted = numbers(12);
	const items = wanted.map((number) =>
		Object.assign({}, ...everyLookup.map(({ item }) => item(number))),
	);
	const pairs = everyLookup.flatMap((first) => everyLookup.map((second) => ({ first, second })));

	/** Whether they ask for the same: what the one has bought, the other has. */
	const isSame = (first: AnyLookup, second: AnyLookup) =>
		first.credits === second.credits &&
		wanted.every((number) => first.subject(number) === second.subject(number));

	test.each(pairs)('$first.operation, then $second.operation', async ({ first, second }) => {
		const both = [first, second];
		const outputs = await inARow(items, both.map(step));
		both.forEach((lookup, index) => expectAnswers(lookup, outputs[index], wanted));
		const paid = isSame(first, second) ? [first] : both;
		const subjects = paid.flatMap((lookup) => subjectsOf(lookup, wanted));
		const charged = service().ledger.charges.map(({ subject }) => subject);
		expect(charged.toSorted()).toEqual(subjects.toSorted());
	});
});

describe('verifications of emails that are nearly the same', () => {
	const server = useServer();
	const own = (pair: string[]) => (email: string) => [
		{ email, email_status: email === pair[0] ? 'valid' : 'invalid' },
	];
	const inTheFormOfTheSecond =
		([, email]: string[]) =>
		() => [{ email, email_status: 'valid' }];
	const onlyTheFirst =
		([first]: string[]) =>
		(email: string) =>
			email === first ? [{ email, email_status: 'valid' }] : [];

	/** What the service answers to each email of a pair, and what comes of it. */
	test.each<[pair: string[], typeof own, means: unknown[]]>([
		[['ada@exämple.com', 'ada@exämple.com?subject=hi'], own, ['valid', 'valid']],
		[['ada@exämple.com', 'eda@exämple.com'], own, ['valid', 'invalid']],
		[['ada@exämple.com', 'ada@exämple.com:80'], own, ['valid', 'invalid']],
		[['eve@\uff45xample.com', 'eve@example.com'], inTheFormOfTheSecond, ['valid', 'valid']],
		[['x@bücher.example', 'x@xn--bcher-kva.example'], inTheFormOfTheSecond, ['valid', 'valid']],
		[['x@bücher.example', 'x@BU\u0308CHER.example'], inTheFormOfTheSecond, ['valid', 'valid']],
		[['ada@acme.example', 'eda@acme.example'], onlyTheFirst, ['valid', null]],
		[['ada@üa.example', 'ada@ü%61.example'], onlyTheFirst, ['valid', 'invalid']],
	])('%j: each item has its own', async (pair, answersOf, means) => {
		const baseUrl = await server((request, response) => {
			giveJson(response, queryOf(request).getAll('email').flatMap(answersOf(pair)));
		});
		for (const emails of [pair, pair.toReversed()]) {
			const items = emails.map((email) => ({ email }));
			const credential = { baseUrl, apiKey: 'nearly-the-same' };
			const { json } = await run([verifyBulk.node, verifyBulk.parameters], { items, credential });
			const statuses = json.map(({ emailStatus }) => emailStatus);
			expect(emails === pair ? statuses : statuses.toReversed()).toEqual(means);
		}
	});
});

describe('Get Company Leads', () => {
	const getLeads: Step = [companyNode, { operation: 'getLeads' }];
	const contacts = ({ domain }: { domain: string }) => numbers(20).map((id) => ({ id, domain }));
	const askFor = ({ domain: companyWebsite }: { domain: string }) =>
		expect.objectContaining({ companyWebsite, size: 10 });

	test('asks once for a company of 20 contacts, for 10 people each, in two nodes', async () => {
		// Each contact has the people only where they say whose they are.
		const [, parameters] = getLeads;
		const linked: Step = [companyNode, { ...parameters, includeInputFields: true }];
		const items = contacts(company);
		const { json, summary } = await run(getLeads, { items });
		expect(json).toHaveLength(10);
		expect(summary).toMatch(/^20 items: 1 company with 10 people, 19 duplicates\./);
		const outputs = await inARow(items, [linked, getLeads]);
		expect(asked()).toEqual([askFor(company)]);
		expect(outputs.map(({ length }) => length)).toEqual([200, 10]);
	});

	test('asks once for a website, whatever the company is called beside it', async () => {
		const byColumns: Step = [companyNode, { operation: 'getLeads', limit: 10 }];
		const names = ['Acme', '', 'Acme Inc'];
		const items = names.map((Company) => ({ Company, Website: `https://www.${company.domain}` }));
		await run(byColumns, { items });
		expect(asked()).toEqual([askFor(company)]);
		expect(asked()[0]).not.toHaveProperty('companyName');
	});

	test('delivers what it has bought, though another company fails', async () => {
		const items = [...contacts(company), ...contacts(other)];
		const on: Fault['on'] = { where: ({ rawQuery }) => rawQuery.includes(other.domain) };
		service().faults.add({ status: 400, on });
		const { json, summary } = await run(getLeads, { items, onError: 'stopWorkflow' });
		expect(json.filter(({ lookupStatus }) => lookupStatus === null)).toHaveLength(10);
		expect(summary).toMatch(/^40 items: 1 company with 10 people, 19 duplicates, 20 failed/);
	});

	const found = { name: 'Found Inc', domain: company.domain };

	const social = { domain: 'facebook.com/own' };
	const ofCompany = { companyWebsite: company.domain };
	const ofOther = { companyWebsite: other.domain };

	test.each<[what: string, item: IDataObject, sent: IDataObject]>([
		['the domain found', { Website: `shop.${company.domain}`, companyData: found }, ofCompany],
		['its own website', { Website: other.domain, companyData: found }, ofOther],
		['the name found', { companyData: { name: 'Found Inc' } }, { companyName: 'Found Inc' }],
		['a website beside', { Website: other.domain, companyData: { name: 'Found' } }, ofOther],
		['the website found', { companyData: { name: 'F', website: other.domain } }, ofOther],
		['no social page', { Company: 'Own', companyData: social }, { companyName: 'Own' }],
		['a host for a name', { Company: 'acme.com' }, { companyWebsite: 'acme.com' }],
		['a name with a dot', { Company: 'Node.js' }, { companyName: 'Node.js' }],
	])('of an item with what Search Company says asks for %s', async (_, item, sent) => {
		await run([companyNode, { operation: 'getLeads', leadFields: 'auto' }], { items: [item] });
		expect(asked()).toEqual([expect.objectContaining(sent)]);
		expect(asked()[0]).not.toHaveProperty(sent.companyName ? 'companyWebsite' : 'companyName');
	});

	test('asks for the company that is added, whatever Search Company says; for one without a value it does not count', async () => {
		const leadFields = { companyWebsite: '={{ $json.site }}' };
		const chosen: Step = [companyNode, { operation: 'getLeads', limit: 10, leadFields }];
		const unknown = { companyStatus: 'not_found', companyData: null };
		const { json } = await run(chosen, {
			items: [
				{ site: other.domain, companyStatus: 'found', companyData: found },
				{ site: other.domain.toUpperCase(), ...unknown },
				{ site: '', ...unknown },
			],
		});
		expect(asked()).toMatchObject([ofOther]);
		expect(json.at(-1)).toMatchObject({ lookupReason: 'company_not_found' });
	});

	test('passes on what Search Company does not know, with equal columns, and sums it up', async () => {
		const unknown = { companyStatus: 'not_found', companyData: null };
		const items = [
			{ companyStatus: 'found', companyData: found },
			unknown,
			{ Company: 'n/a' },
			{ companyStatus: 'not_found' },
		];
		const leads: Step = [companyNode, { operation: 'getLeads', leadFields: 'auto' }];
		const { json, summary } = await run(leads, { items });
		expect(asked()).toHaveLength(1);
		expect(json.slice(10)).toMatchObject([
			{ lookupStatus: 'skipped', lookupReason: 'company_not_found' },
			{ lookupStatus: 'invalid_input', lookupReason: 'missing_company' },
			{ lookupStatus: 'skipped', lookupReason: 'company_not_found' },
		]);
		// The columns of people come first.
		const [columns, ...others] = json.map((item) => Object.keys(item));
		expect(columns[0]).toBe('fullName');
		for (const one of others) expect(one).toEqual(columns);
		expect(summary).toMatch(
			/^4 items: 1 company with 10 people, 1 without a company, 2 not found by Search Company\..*Read from: companyData/,
		);
	});

	test.each([
		['n/a', 'Acme Inc', 'Acme Inc'],
		['ac me.example', 'N/A', 'ac me.example'],
		[' - ', 'none', undefined],
	])('by the website %j and the name %j asks for %j', async (website, name, companyName) => {
		const fields = { companyWebsite: website, companyName: name };
		const { json } = await run([companyNode, { ...getLeads[1], ...fields }]);
		if (companyName) expect(asked()).toMatchObject([{ companyName }]);
		else
			expect(json).toMatchObject([
				{ lookupStatus: 'invalid_input', lookupReason: 'missing_company' },
			]);
		for (const sent of asked()) expect(sent).not.toHaveProperty('companyWebsite');
	});
});

test.each<[reset: 'before-charge' | 'after-charge', then: number, said: IDataObject]>([
	['before-charge', 404, { lookupStatus: 'not_found', lookupCredits: null }],
	['after-charge', 404, { lookupStatus: 'not_found', lookupCredits: null }],
	['after-charge', 400, { lookupReason: 'bad_request', lookupCredits: null }],
	// It may have been charged, so it counts as sent.
	['after-charge', 402, { lookupReason: 'connection', lookupCredits: null }],
])('a connection is lost %s, then a %i: nobody knows the cost', async (reset, status, said) => {
	service().faults.add({ reset, on: { nth: 1 } });
	service().faults.add({ status, on: { nth: 2 } });
	const test = status === 404 ? {} : continues;
	const { json, error } = await runLookup(find, service(), [leadOf(hit)], test);
	// A miss stops no workflow.
	expect([error, asked().length]).toEqual([undefined, 2]);
	expect(json).toMatchObject([said]);
});
