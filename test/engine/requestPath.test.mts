/** @file One request: the pause that the service asks for, and what the network and a body say. */

import { describe, expect, test } from 'vitest';

import {
	answerIn,
	expectPaidOnce,
	find,
	leadOf,
	numbers,
	runLookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { trickle, useSelfSigned, useServer } from '../support/servers/ownServer.mts';
import { KEY, useService } from '../support/servers/service.mts';
import { forgotten } from '../support/measures/garbage.mts';

const service = useService();
const serve = useServer();
const selfSigned = useSelfSigned();

/** Find Email for one lead, where every request goes to this address. */
const findAt = async (baseUrl: string, test: LookupTest = {}) =>
	await runLookup(find, service(), [leadOf(0)], { ...test, credential: { baseUrl, apiKey: KEY } });

test.each(['seconds', 'date'] as const)(
	'a 429 with Retry-After as %s closes the gate for everyone until the wait is over',
	async (retryAfter) => {
		service().options.latencyMs = 5;
		service().faults.add({ on: { nth: 8 }, status: 429, retryAfter, seconds: 1 });
		const wanted = numbers(30);
		const { json } = await runLookup(find, service(), wanted.map(leadOf));
		expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
		const { requests } = service();
		const refusedAt = requests.find(({ status }) => status === 429)?.finishedAt ?? Number.NaN;
		const early = requests.filter(
			({ startedAt }) => startedAt > refusedAt && startedAt < refusedAt + 950,
		);
		// No more than what was on the way already when the refusal came.
		expect(early.length).toBeLessThanOrEqual(4);
		expect(requests).toHaveLength(31);
		expectPaidOnce(service(), find, wanted);
	},
);

test('the answers are given back when n8n drops the execution', async () => {
	/** The object of n8n that the answers of an execution hang on. */
	async function contextOfRun(): Promise<WeakRef<object>> {
		const { run } = await runLookup(find, service(), numbers(50).map(leadOf));
		const context = run.data.executionData?.contextData.flow;
		if (!context) throw new Error('The execution has no context');
		return new WeakRef(context);
	}
	const context = await contextOfRun();
	// The expression engine of n8n keeps the last execution that it has seen.
	await runLookup(find, service(), [leadOf(60)]);
	await expect.poll(async () => await forgotten([context])).toBe(1);
});

/** Never answers. */
const silent = () => {};

test.each<[what: string, message: string, () => Promise<string> | string]>([
	['an unknown host', 'The host api.invalid was not found', () => 'https://api.invalid'],
	['a closed port', 'The Base URL refused the connection', () => 'https://127.0.0.1:9'],
	[
		'a server without https',
		'The Base URL does not accept https',
		() => service().baseUrl.replace('http', 'https'),
	],
	[
		'a certificate that nobody vouches for',
		"The Base URL's certificate is not valid",
		async () => await selfSigned(service().baseUrl),
	],
	['no response', 'The service did not respond in time', async () => await serve(silent)],
	['an endless response', 'The service did not respond in time', async () => await serve(trickle)],
])('what the network says is told in words: %s', async (_, message, place) => {
	const parameters = { requestOptions: { timeout: 1_000 } };
	const { error, run } = await findAt(await place(), { parameters, options: { maxRetries: 0 } });
	expect(error?.message).toContain(message);
	expect(error?.description).toMatch(/check the Base URL of the credential/i);
	expect(JSON.stringify(run)).not.toContain(KEY);
	expect(service().requests).toEqual([]);
});

describe('the body of a 404', () => {
	const json = 'application/json; charset=utf-8';

	test.each([
		['[]', json, 'not_found'],
		['null', json, 'not_found'],
		['"none"', json, 'not_found'],
		['', json, 'not_found'],
		['', undefined, 'not_found'],
		['<!doctype html>', 'text/html', 'not_the_service'],
		['Not found', 'text/plain', 'not_the_service'],
		['Not found', undefined, 'not_the_service'],
		['{"message":"no', json, 'not_the_service'],
	])('%j, as %s, is %s', async (body, type, expected) => {
		const baseUrl = await serve((_, response) => {
			response.writeHead(404, type === undefined ? {} : { 'content-type': type }).end(body);
		});
		const { json } = await findAt(baseUrl, { onError: 'continueRegularOutput' });
		expect(json[0].reason ?? json[0].status).toBe(expected);
	});
});
