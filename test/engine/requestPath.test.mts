import v8 from 'node:v8';
import vm from 'node:vm';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedEmail } from '../service/addresses.mts';
import type { Service } from '../service/service.mts';
import { runNode, runWorkflow, type NodeTest } from '../support/engine.mts';
import { sentAfterwards, whenSent } from '../support/lookups.mts';
import { useServer } from '../support/ownServer.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const domain = 'acme.bulk.example';

/** Leads of whom about 70 % have an address, each with a name of its own. */
function leads(number: number, first = 'Ada'): IDataObject[] {
	return Array.from({ length: number }, (_, index) => ({ first, last: `Lead${index}` }));
}

function emailOf({ first, last }: IDataObject): string | null {
	return expectedEmail(String(first), String(last), domain)?.email ?? null;
}

function hitsAmong(items: IDataObject[]): number {
	return items.filter((item) => emailOf(item) !== null).length;
}

/** Find Email for each lead. */
function finder(
	items: IDataObject[],
	options: INodeParameters = {},
	test: Partial<NodeTest> = {},
): NodeTest {
	return {
		node: 'contactDataFinder',
		parameters: {
			operation: 'find',
			firstName: '={{ $json.first }}',
			lastName: '={{ $json.last }}',
			domain,
			includeInputFields: false,
			options,
		},
		items,
		credential: credentialFor(service()),
		...test,
	};
}

const statuses = (items: IDataObject[]) => items.map(({ status }) => status);

const server = useServer();

describe('the pace of the service', () => {
	test('never more requests at once than Max Concurrency, and as many where there is work', async () => {
		service().options.latencyMs = 5;
		const items = leads(60);
		const { json } = await runNode(finder(items, { maxConcurrency: 3 }));
		expect(json.map(({ email }) => email)).toEqual(items.map(emailOf));
		expect(service().maxInFlight).toBe(3);
	});

	test('the gate is one for all workflows that use the account', async () => {
		service().options.latencyMs = 5;
		await Promise.all(
			['Ada', 'Bea', 'Cleo'].map(async (name) => await runNode(finder(leads(20, name)))),
		);
		expect(service().requests).toHaveLength(60);
		expect(service().maxInFlight).toBe(5);
	});

	test.each(['seconds', 'date'] as const)(
		'a 429 with Retry-After as %s closes the gate for everyone until the wait is over',
		async (retryAfter) => {
			service().options.latencyMs = 5;
			service().faults.add({ on: { nth: 8 }, status: 429, retryAfter, seconds: 1 });
			const items = leads(30);
			const { json } = await runNode(finder(items));
			expect(json.map(({ email }) => email)).toEqual(items.map(emailOf));

			const requests = [...service().requests];
			const refused = requests.find(({ status }) => status === 429);
			const answeredAt = refused?.finishedAt ?? Number.NaN;
			const early = requests.filter(
				({ startedAt }) => startedAt > answeredAt && startedAt < answeredAt + 950,
			);
			// No more than what was on the way already when the refusal came.
			expect(early.length).toBeLessThanOrEqual(4);
			expect(requests).toHaveLength(31);
			expect(service().ledger.total()).toBe(hitsAmong(items));
		},
	);

	test('after a 429 half as many requests go out at once, and the number grows back', async () => {
		service().options.latencyMs = 20;
		service().faults.add({ on: { nth: 10 }, status: 429, retryAfter: 'seconds', seconds: 0 });
		const credential = { ...credentialFor(service()), apiKey: 'second-key' };
		await runNode(finder(leads(80), { maxConcurrency: 8 }, { credential }));
		const requests = [...service().requests];
		const refused = requests.findIndex(({ status }) => status === 429);
		const after = requests.slice(refused + 8).map(({ inFlight }) => inFlight);
		expect(Math.max(...requests.slice(0, refused).map(({ inFlight }) => inFlight))).toBe(8);
		expect(Math.max(...after.slice(0, 4))).toBeLessThanOrEqual(5);
		expect(Math.max(...after.slice(-10))).toBeGreaterThan(5);
	});

	test.each([500, 502, 503, 504])('a %i is repeated', async (status) => {
		service().faults.add({ on: { times: 2 }, status, retryAfter: 'seconds', seconds: 0 });
		const [lead] = leads(1);
		const { json } = await runNode(finder([lead]));
		expect(json[0].email).toBe(emailOf(lead));
		expect(service().requests.map((request) => request.status)).toEqual([status, status, 200]);
	});

	test('a connection that is lost before the charge is repeated', async () => {
		service().faults.add({ on: { times: 1 }, reset: 'before-charge' });
		const [lead] = leads(1);
		const { json } = await runNode(finder([lead]));
		expect(json[0].email).toBe(emailOf(lead));
		expect(service().ledger.total()).toBe(1);
	});

	test.each([400, 403, 409, 422])('a %i is not repeated', async (status) => {
		service().faults.add({ status });
		const { json } = await runNode(finder(leads(1), {}, { onError: 'continueRegularOutput' }));
		expect(json[0]).toMatchObject({ status: 'failed', httpCode: status });
		expect(service().requests).toHaveLength(1);
	});

	test('Max Retries bounds the repetitions of one request', async () => {
		service().faults.add({ status: 503, retryAfter: 'seconds', seconds: 0 });
		const { json } = await runNode(
			finder(leads(1), { maxRetries: 2 }, { onError: 'continueRegularOutput' }),
		);
		expect(json[0]).toMatchObject({
			status: 'failed',
			reason: 'service_unavailable',
			httpCode: 503,
		});
		expect(json[0].message).toContain('(sent 3 times)');
		expect(service().requests).toHaveLength(3);
	});
});

describe('nothing is paid twice', () => {
	test('identical lookups of a run are asked once, whoever waits for them', async () => {
		service().options.latencyMs = 5;
		const items = [...leads(4), ...leads(4), ...leads(4)];
		const { json } = await runNode(finder(items));
		expect(json.map(({ email }) => email)).toEqual(items.map(emailOf));
		expect(service().requests).toHaveLength(4);
	});

	test('misses are asked once too', async () => {
		const miss = leads(30).find((lead) => emailOf(lead) === null) ?? {};
		const { json } = await runNode(finder([miss, miss]));
		expect(statuses(json)).toEqual(['not_found', 'not_found']);
		expect(service().requests).toHaveLength(1);
	});

	test('Retry On Fail sends only what has no answer yet', async () => {
		service().faults.add({
			on: { where: ({ rawQuery }) => rawQuery.includes('Lead7&'), times: 1 },
			status: 503,
		});
		const items = leads(10);
		const options = { maxRetries: 0, maxConcurrency: 1, incompleteRun: 'fail' };
		const { json, error } = await runNode(
			finder(items, options, { retryOnFail: true, maxTries: 3 }),
		);
		expect(error).toBeUndefined();
		expect(json.map(({ email }) => email)).toEqual(items.map(emailOf));
		expect(service().requests).toHaveLength(11);
		expect(service().ledger.total()).toBe(hitsAmong(items));
	});

	test('another node of the same execution reuses the answers, another execution does not', async () => {
		const { parameters, credential } = finder(leads(5));
		const node = { type: 'contactDataFinder', parameters } as const;
		const start = {
			name: 'Start',
			type: 'start',
			parameters: { items: JSON.stringify(leads(5)) },
		} as const;
		const once = async () =>
			await runWorkflow({
				nodes: [start, { name: 'First', ...node }, { name: 'Second', ...node, parameters: second }],
				connections: ['Start > First', 'First > Second'],
				credential,
			});
		const second = {
			...parameters,
			firstName: "={{ $('Start').item.json.first }}",
			lastName: "={{ $('Start').item.json.last }}",
		};
		const run = await once();
		expect(run.data.resultData.runData.Second?.[0].data?.main[0]).toHaveLength(5);
		expect(service().requests).toHaveLength(5);
		await once();
		expect(service().requests).toHaveLength(10);
	});
});

describe('memory', () => {
	/** The object of n8n that the answers of an execution hang on. */
	async function contextOfRun(): Promise<WeakRef<object>> {
		const { run } = await runNode(finder(leads(50)));
		const context = run.data.executionData?.contextData.flow;
		if (!context) throw new Error('The execution has no context');
		return new WeakRef(context);
	}

	test('the answers are given back when n8n drops the execution', async () => {
		v8.setFlagsFromString('--expose-gc');
		const collectGarbage: unknown = vm.runInNewContext('gc');
		if (typeof collectGarbage !== 'function') throw new Error('No garbage collection on demand');
		const context = await contextOfRun();
		// The expression engine of n8n keeps the last execution that it has seen.
		await runNode(finder(leads(1)));
		await expect
			.poll(() => {
				collectGarbage();
				return context.deref();
			})
			.toBeUndefined();
	});
});

describe('credits', () => {
	test('after a 402 nothing more is sent, and what was bought is delivered', async () => {
		service().options.creditsLeft = { email: 10 };
		const items = leads(60);
		const { json } = await runNode(finder(items, {}, { onError: 'continueRegularOutput' }));
		expect(json).toHaveLength(60);
		expect(statuses(json).filter((status) => status === 'found')).toHaveLength(10);
		expect(service().ledger.total()).toBe(10);
		const rest = json.filter(({ status }) => status === 'not_processed');
		expect(rest.every(({ reason }) => reason === 'out_of_credits')).toBe(true);
		expect(String(rest.at(-1)?.message)).toContain('(0 remaining)');
		expect(String(rest.at(-1)?.message)).toContain('Add credits to the account');
		// Only what was under way already is refused as well.
		const firstRefusal = service().requests.findIndex(({ status }) => status === 402);
		expect(service().requests.length).toBeLessThanOrEqual(firstRefusal + 5);
	});

	test("a 402 for another refusal passes on the service's own words", async () => {
		service().variants.paymentWording = 'refused';
		service().options.creditsLeft = { email: 0 };
		const { error } = await runNode(finder(leads(1)));
		expect(error?.message).toContain('The parameters were valid but the request failed.');
	});

	test('after a 401 nothing more is sent', async () => {
		const credential = { ...credentialFor(service()), apiKey: 'wrong-key-1234' };
		const { json } = await runNode(
			finder(leads(40), {}, { credential, onError: 'continueRegularOutput' }),
		);
		expect(json).toHaveLength(40);
		expect(json[0]).toMatchObject({ status: 'failed', reason: 'unauthorized', httpCode: 401 });
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'unauthorized' });
		expect(service().requests.length).toBeLessThanOrEqual(5);
	});

	test('Max Credits is never exceeded, and misses do not count', async () => {
		service().options.latencyMs = 2;
		const items = leads(80);
		const { json } = await runNode(
			finder(items, { maxCredits: 12 }, { onError: 'continueRegularOutput' }),
		);
		expect(service().ledger.total()).toBe(12);
		expect(statuses(json).filter((status) => status === 'found')).toHaveLength(12);
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'credit_limit' });
	});

	test('Max Credits holds over the repeats of an execution', async () => {
		const hits = leads(40).filter((lead) => emailOf(lead) !== null);
		const options = { maxCredits: 5, incompleteRun: 'fail' };
		const { error } = await runNode(finder(hits, options, { retryOnFail: true, maxTries: 4 }));
		expect(error?.message).toContain('Max Credits');
		expect(service().ledger.total()).toBe(5);
	});
});

describe('stopping', () => {
	test('nothing is sent after the execution was stopped, and what was bought is delivered', async () => {
		service().options.latencyMs = 20;
		const stop = new AbortController();
		const maxConcurrency = 5;
		const sentBefore = 40;
		let stoppedAt = Number.NaN;
		whenSent(service(), sentBefore, () => {
			stoppedAt = performance.timeOrigin + performance.now();
			stop.abort();
		});
		const { json, run } = await runNode(
			finder(leads(1_000), { maxConcurrency }, { stop: stop.signal }),
		);
		expect(await sentAfterwards(service())).toEqual([]);
		expect(run.status).toBe('canceled');
		expect(json).toHaveLength(1_000);
		// What the gate had let in before may still have been on its way to the service.
		const late = service().requests.filter(({ startedAt }) => startedAt > stoppedAt);
		expect(late.length).toBeLessThan(maxConcurrency);
		expect(service().requests.length).toBeLessThan(sentBefore + maxConcurrency);
		const found = json.filter(({ status }) => status === 'found');
		expect(found.length).toBeGreaterThan(0);
		expect(service().ledger.total()).toBe(found.length);
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'cancelled' });
	});

	test('a wait for the service ends at once', async () => {
		service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 30 });
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 200);
		const begun = Date.now();
		const second = { ...credentialFor(service()), apiKey: 'free-key' };
		await runNode(finder(leads(5), {}, { stop: stop.signal, credential: second }));
		expect(Date.now() - begun).toBeLessThan(5_000);
	});

	describe('by an item', () => {
		const items = leads(100);
		const others = items.filter((_, item) => item !== 2);
		const refuseOne = () =>
			service().faults.add({
				on: { where: ({ rawQuery }) => rawQuery.includes('Lead2&') },
				status: 409,
			});

		test('On Incomplete Run at Stop Workflow sends nothing when an item lacks a field', async () => {
			const { error, json } = await runNode(
				finder([...leads(20), { first: 'Ada' }], { incompleteRun: 'fail' }),
			);
			expect(json).toEqual([]);
			expect(error?.message).toContain('[item 20]');
			expect(service().requests).toHaveLength(0);
		});

		test('Return Partial Results marks an item that has failed, and delivers all others', async () => {
			refuseOne();
			const { error, json } = await runNode(finder(items));
			expect(error).toBeUndefined();
			expect(json[2]).toMatchObject({ status: 'failed', reason: 'conflict', httpCode: 409 });
			const answered = json.filter((_, item) => item !== 2);
			expect(answered.map(({ email }) => email)).toEqual(others.map(emailOf));
			expect(service().requests).toHaveLength(100);
			expect(service().ledger.total()).toBe(hitsAmong(others));
		});

		test('On Incomplete Run at Stop Workflow throws at the end, and says how far it got', async () => {
			refuseOne();
			const { error, json } = await runNode(finder(items, { incompleteRun: 'fail' }));
			expect(json).toEqual([]);
			expect(error).toMatchObject({
				message: expect.stringMatching(/conflicts with another one.*\[item 2\]$/),
				description:
					'99 of 100 items are done. Run the item again when the other request has ended.',
			});
			expect(service().ledger.total()).toBe(hitsAmong(others));
		});
	});
});

describe('the key', () => {
	const key = 'secret-key-4711';

	test('is covered wherever the service sends it back', async () => {
		const baseUrl = await server((request, response) => {
			const wrong = request.url?.includes('Lead1') ?? false;
			response.writeHead(wrong ? 400 : 200, { 'content-type': 'application/json' });
			const answer = {
				email: `${key}@x.example`,
				[key]: [{ deep: key }],
				quality: { status: 'ok' },
			};
			response.end(JSON.stringify(wrong ? { message: `Bad key ${key}` } : answer));
		});
		const credential = { baseUrl, apiKey: key };
		const parameters = { ...finder([]).parameters, simple: false };
		for (const onError of [
			'continueRegularOutput',
			'continueErrorOutput',
			'stopWorkflow',
		] as const) {
			const { run } = await runNode(finder(leads(2), {}, { credential, parameters, onError }));
			expect(JSON.stringify(run)).not.toContain(key);
		}
	});

	test('does not follow a redirect to another host', async () => {
		const seen: unknown[] = [];
		const elsewhere = await server((request, response) => {
			seen.push(request.headers);
			response.end('{}');
		});
		service().faults.add({ redirect: `${elsewhere}/api/v2/find` });
		const { json } = await runNode(finder(leads(1), {}, { onError: 'continueRegularOutput' }));
		expect(seen).toEqual([]);
		expect(json[0]).toMatchObject({ status: 'failed', reason: 'redirected', httpCode: 302 });
		expect(json[0].message).toContain(elsewhere);
	});

	test.each(['http://api.example.com', 'ftp://api.example.com', 'api.example.com', ''])(
		'is not sent to %j',
		async (baseUrl) => {
			const { error } = await runNode(
				finder(leads(1), {}, { credential: { baseUrl, apiKey: key } }),
			);
			expect(error?.message).toContain('Base URL');
			expect(error?.description).toContain('http');
			expect(JSON.stringify(error)).not.toContain(key);
		},
	);

	test('is in no exception of the connection', async () => {
		const credential = { baseUrl: 'http://127.0.0.1:9', apiKey: key };
		const { error, run } = await runNode(finder(leads(1), { maxRetries: 0 }, { credential }));
		expect(error?.message).toContain('The service cannot be reached');
		expect(error?.description).toContain('(ECONNREFUSED)');
		expect(JSON.stringify(run)).not.toContain(key);
	});
});

describe('answers that are not of the service', () => {
	test.each([
		['html', 200],
		['html', 404],
		['text', 200],
		['json-scalar', 200],
		['empty', 200],
	] as const)('%s with status %i is failed, never a miss', async (body, status) => {
		service().faults.add({ body, status });
		const { json } = await runNode(finder(leads(1), {}, { onError: 'continueRegularOutput' }));
		expect(json[0]).toMatchObject({
			status: 'failed',
			reason: 'not_the_service',
			httpCode: status,
		});
		expect(json[0].message).toContain('Check the Base URL of the credential');
	});

	test('a body that was cut off is not asked for again', async () => {
		service().faults.add({ body: 'truncated', charge: true });
		const { json } = await runNode(finder(leads(1), {}, { onError: 'continueRegularOutput' }));
		expect(json[0]).toMatchObject({ status: 'failed', reason: 'not_the_service' });
		expect(service().requests).toHaveLength(1);
	});
});

describe('On Error', () => {
	/** One item each that is found, lacks a field, and is refused. */
	const items = [leads(1)[0], { first: 'Ada', last: '' }, { first: 'Ada', last: 'Conflict' }];
	const refuse = (running: Service) =>
		running.faults.add({
			on: { where: ({ rawQuery }) => rawQuery.includes('Conflict') },
			status: 409,
		});
	const found = {
		status: 'found',
		email: emailOf(items[0]),
		emailStatus: expectedEmail('Ada', 'Lead0', domain)?.status,
		result: null,
		firstName: 'Ada',
		lastName: 'Lead0',
		fullName: 'Ada Lead0',
		company: null,
		domain,
		country: null,
		companyId: null,
		accuracy: null,
	};

	const missing = 'Full Name (or First Name and Last Name)';
	const lacking = `Not sent: this item is missing ${missing}`;
	const fill =
		'Fill in the field, or check that its expression finds a value in this item of the input.';
	const again = 'Run the item again when the other request has ended.';

	test.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'%s puts a status item in the place of each',
		async (onError) => {
			refuse(service());
			const { items: output, error } = await runNode(finder(items, {}, { onError }));
			expect(error).toBeUndefined();
			expect(output).toEqual([
				{ json: expect.objectContaining(found), pairedItem: { item: 0 } },
				{
					json: {
						status: 'invalid_input',
						reason: `missing: ${missing}`,
						message: `${lacking}. ${fill}`,
						domain,
						credits: 0,
					},
					pairedItem: { item: 1 },
				},
				{
					json: {
						status: 'failed',
						reason: 'conflict',
						httpCode: 409,
						message: `The request conflicts with another one: Conflict. ${again}`,
						firstName: 'Ada',
						lastName: 'Conflict',
						domain,
						credits: 0,
					},
					pairedItem: { item: 2 },
				},
			]);
		},
	);

	test('Continue (using error output) sends them there with their input fields and links', async () => {
		refuse(service());
		const { items: output, errorItems } = await runNode(
			finder(items, {}, { onError: 'continueErrorOutput' }),
		);
		expect(output).toEqual([{ json: expect.objectContaining(found), pairedItem: { item: 0 } }]);
		expect(errorItems).toEqual([
			{
				json: {
					...items[1],
					error: {
						status: 'invalid_input',
						reason: `missing: ${missing}`,
						message: lacking,
					},
					message: `${lacking}. ${fill}`,
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					...items[2],
					error: {
						status: 'failed',
						reason: 'conflict',
						httpCode: 409,
						message: 'The request conflicts with another one: Conflict',
					},
					message: `The request conflicts with another one: Conflict. ${again}`,
				},
				pairedItem: { item: 2 },
			},
		]);
	});

	test('Stop Workflow, On Incomplete Run too: the item, what happened and what to do', async () => {
		refuse(service());
		const { error, json, errorItems } = await runNode(
			finder([items[0], items[2]], { incompleteRun: 'fail' }),
		);
		expect([json, errorItems]).toEqual([[], []]);
		expect(error).toMatchObject({
			message: expect.stringMatching(/^The request conflicts with another one.*\[item 1\]$/),
			description: `1 of 2 items are done. ${again}`,
			httpCode: '409',
			context: { itemIndex: 1 },
		});
	});

	test('reads continue with an item that carries what happened', async () => {
		const { items: output } = await runNode({
			node: 'contactDataList',
			parameters: {
				operation: 'get',
				listId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			},
			items: [{ id: '102' }, { id: '999' }, { id: '../account' }],
			credential: credentialFor(service()),
			onError: 'continueRegularOutput',
		});
		expect(output).toEqual([
			{ json: expect.objectContaining({ id: 102, name: 'Trade Fair' }), pairedItem: { item: 0 } },
			{
				json: {
					status: 'failed',
					reason: 'not_found',
					httpCode: 404,
					message:
						'The list or job was not found: The list was not found. Check that it still exists and belongs to the account of the credential.',
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					status: 'invalid_input',
					reason: 'invalid: List',
					message: 'Not sent: The list ID must be a number, e.g. 101. Check the field List.',
				},
				pairedItem: { item: 2 },
			},
		]);
		expect(service().requests).toHaveLength(2);
	});
});
