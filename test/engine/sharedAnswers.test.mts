/** @file Which lookups of an execution share one answer, and which never do. */

import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeParameters,
} from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import type { WireRequest } from '../service/wireLog.mts';
import { answerIn, bulks, findBulk, numbers, verifyBulk } from '../support/bulk.mts';
import { runNode, runWorkflow, type OurNode } from '../support/engine.mts';
import { find, verify } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';
import { callTool } from '../support/tool.mts';

const service = useService();

/** A node of ours in a row of them. */
type Step = [node: OurNode, parameters: INodeParameters];

/** Runs nodes one after the other, each for the items of the start; gives what each gave out. */
async function inARow(
	items: IDataObject[],
	steps: Step[],
	credential: ICredentialDataDecryptedObject = credentialFor(service()),
): Promise<IDataObject[][]> {
	const start = { type: 'start', parameters: { items: JSON.stringify(items) } } as const;
	const run = await runWorkflow({
		nodes: [
			{ name: 'Start', ...start },
			...steps.flatMap(([type, parameters], index) => [
				{ name: `Node ${index}`, type, parameters },
				{ name: `Again ${index}`, ...start },
			]),
		],
		connections: steps.flatMap((_, index) => [
			`${index === 0 ? 'Start' : `Again ${index - 1}`} > Node ${index}`,
			`Node ${index} > Again ${index}`,
		]),
		credential,
	});
	return steps.map((_, index) => {
		const [output] = run.data.resultData.runData[`Node ${index}`]?.at(-1)?.data?.main ?? [];
		return (output ?? []).map(({ json }) => json);
	});
}

const sent = () => service().requests.map(({ operation }) => operation);

describe.each([
	{ single: find, bulk: findBulk },
	{ single: verify, bulk: verifyBulk },
])('$single.operation and $bulk.operation', ({ single, bulk }) => {
	const wanted = numbers(6);
	const items = wanted.map(bulk.item);
	const answers = wanted.map(bulk.answer);

	test('ask the same: whichever comes first is paid', async () => {
		for (const steps of [
			[single, bulk],
			[bulk, single],
		]) {
			const nodes = steps.map(({ node, parameters }): Step => [node, parameters]);
			const outputs = await inARow(items, nodes);
			expect(outputs.map((json) => json.map(answerIn))).toEqual([answers, answers]);
			expect(new Set(sent())).toEqual(new Set([steps[0].operation]));
			service().reset();
		}
	});
});

describe('a lookup that gives more than another', () => {
	const person = somebody();

	test.each([
		{
			what: 'company data',
			node: 'contactDataFinder' as const,
			parameters: (): INodeParameters => ({ operation: 'find', ...person.query() }),
			option: 'includeCompanyData',
			has: ({ companyData }: IDataObject) => companyData !== undefined,
		},
		{
			what: 'the person behind an email',
			node: 'contactDataVerifier' as const,
			parameters: (): INodeParameters => ({ operation: 'verify', email: person.email() }),
			option: 'enrich',
			has: ({ title }: IDataObject) => title !== undefined && title !== null,
		},
	])('with $what is not answered by one without', async ({ node, parameters, option, has }) => {
		for (const withIt of [
			[false, true],
			[true, false],
		]) {
			const steps = withIt.map((on): Step => {
				return [node, { ...parameters(), options: on ? { [option]: true } : {} }];
			});
			const outputs = await inARow([{}], steps);
			expect(outputs.map(([item]) => has(item))).toEqual(withIt);
			expect(sent()).toHaveLength(2);
			service().reset();
		}
	});

	/** Somebody of whom the service knows all. */
	function somebody() {
		const someone = () => {
			const known = service().fixtures.people.find(({ email }) => email !== null);
			if (!known?.email) throw new Error('The fixtures hold somebody with an address');
			return known;
		};
		return {
			query: () => ({ fullName: someone().full, domain: someone().company.domain }),
			email: () => someone().email ?? '',
		};
	}
});

test('lookups whose fields look alike, but ask for something else, share nothing', async () => {
	const email = 'ann.test@c1.bulk.example';
	const text = JSON.stringify({ email });
	const steps: Step[] = [
		['contactDataVerifier', { operation: 'verify', email }],
		['contactDataCompany', { operation: 'search', keyword: email }],
		['contactDataCompany', { operation: 'search', keyword: text }],
		['contactDataFinder', { operation: 'find', fullName: email, company: email }],
		['contactDataFinder', { operation: 'find', fullName: email, domain: 'c1.bulk.example' }],
		['contactDataFinder', { operation: 'find', firstName: 'Ann', lastName: 'Bee', company: 'C' }],
		['contactDataFinder', { operation: 'find', fullName: 'Ann Bee', company: 'C' }],
		[
			'contactDataFinder',
			{ operation: 'findBulk', firstName: 'Ann Bee', lastName: 'C', domain: 'C' },
		],
	];
	await inARow([{}], steps);
	expect(sent()).toHaveLength(steps.length);
});

describe('the settings of the credential', () => {
	const wanted = numbers(8);
	const keyOf = ({ headers }: WireRequest) => headers['x-access-key'];

	test.each([find, ...bulks])(
		'$operation: another account is asked anew, in the next node too',
		async ({ node, parameters, item, answer }) => {
			const items = wanted.map((number) => ({
				...item(0),
				key: number % 2 === 0 ? 'test-key' : 'second-key',
			}));
			const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
			const outputs = await inARow(
				items,
				[
					[node, parameters],
					[node, parameters],
				],
				credential,
			);
			expect(outputs.map((json) => json.map(answerIn))).toEqual(
				[0, 1].map(() => items.map(() => answer(0))),
			);
			expect(service().requests.map(keyOf).toSorted()).toEqual(['second-key', 'test-key']);
		},
	);

	test('other interface settings are asked anew: they may change the answer', async () => {
		const credential = credentialFor(service(), { companySearchPath: '={{ $json.path }}' });
		const [company] = service().fixtures.companies;
		const [main, other] = ['/company/search', '/lwh/company/search'];
		const items = [main, other, main].map((path) => ({ path }));
		const search = { operation: 'search', keyword: company.domain };
		const [json] = await inARow(items, [['contactDataCompany', search]], credential);
		expect(json.map(({ status }) => status)).toEqual(['found', 'not_found', 'found']);
		expect(service().requests.map(({ path }) => path)).toEqual([main, other]);
		expect(service().ledger.total()).toBe(1);
	});
});

describe('tools that one execution calls at the same time', () => {
	const [first, second] = numbers(40).filter((number) => find.subject(number) !== null);

	test('the Max Credits of one do not refuse another the same question', async () => {
		service().options.latencyMs = 300;
		const execution = createRunExecutionData();
		const ask = async (name: string, number: number, options: INodeParameters) =>
			await callTool({
				node: find.node,
				name,
				parameters: { ...find.parameters, options },
				credential: credentialFor(service()),
				input: find.item(number),
				execution,
			});
		const paying = ask('Capped', first, { maxCredits: 1 });
		await vi.waitUntil(() => service().requests.length > 0, { interval: 10 });
		const [paid, refused, free] = await Promise.all([
			paying,
			ask('Capped', second, { maxCredits: 1 }),
			ask('Free', second, {}),
		]);
		expect(paid.map(answerIn)).toEqual([find.answer(first)]);
		expect(refused).toMatchObject([{ status: 'not_processed', reason: 'credit_limit' }]);
		expect(free.map(answerIn)).toEqual([find.answer(second)]);
		expect(service().requests).toHaveLength(2);
		expect(service().ledger.total()).toBe(2);
	});
});

test('the same company in other letters, or as a URL, is searched for once', async () => {
	const [{ domain, name }] = service().fixtures.companies;
	const spellings = [domain, domain.toUpperCase(), `https://www.${domain}/`];
	const names = [name, name.toUpperCase()];
	const { json } = await runNode({
		node: 'contactDataCompany',
		parameters: { operation: 'search', keyword: '={{ $json.company }}' },
		items: [...spellings, ...names].map((company) => ({ company })),
		credential: credentialFor(service()),
	});
	expect(json.map((item) => [item.domain, item.credits])).toEqual([
		[domain, 1],
		[domain, 0],
		[domain, 0],
		[domain, 1],
		[domain, 0],
	]);
	expect(service().requests).toHaveLength(2);
});

test('two pages of one website are two companies', async () => {
	const pages = [
		'https://network.example/company/acme',
		'https://network.example/company/AbC',
		'https://network.example/company/aBc',
	];
	await runNode({
		node: 'contactDataCompany',
		parameters: { operation: 'search', keyword: '={{ $json.company }}' },
		items: [...pages, 'sales@acme.example', 'acme.example'].map((company) => ({ company })),
		credential: credentialFor(service()),
	});
	expect(service().requests).toHaveLength(5);
});
