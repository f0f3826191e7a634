/** @file An n8n without the internals that the package leans on (`docs/contributing/internals.md`): what users have then. */

import type { IExecuteFunctions, INodeType, NodeOutput } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { inheriting } from '../../nodes/shared/host/context.ts';
import { listWithId } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import {
	answerIn,
	expectPaidOnce,
	find,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	runLookup,
	sentAfterwards,
	whenSent,
} from '../support/leads/lookups.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { pollingTrigger } from '../support/node/contexts.mts';
import { ourNodes } from '../support/node/engine.mts';
import { useServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();
const serve = useServer();

afterEach(() => void vi.restoreAllMocks());

/** What n8n gives to a node differently. */
type Change = (n8n: IExecuteFunctions) => Record<string, unknown>;

/** Runs all operations in an n8n with this change. */
function inChangedN8n(change: Change): void {
	for (const { customOperations } of Object.values<INodeType>(ourNodes)) {
		for (const operations of Object.values(customOperations ?? {})) {
			for (const [name, run] of Object.entries(operations)) {
				vi.spyOn(operations, name).mockImplementation(async function (
					this: IExecuteFunctions,
				): Promise<NodeOutput> {
					return await run.call(inheriting(this, change(this)));
				});
			}
		}
	}
}

describe('credentials that are not evaluated in the workflow of the context', () => {
	const elsewhere: Change = (n8n) => ({ getCredentials: n8n.getCredentials.bind(n8n) });

	test.each(lookups)(
		'$operation: one read for each item, and nothing else changes',
		async (lookup) => {
			const wanted = numbers(lookup.perRequest + 30);
			const run = async () => await runLookup(lookup, service(), wanted.map(lookup.item));
			const usual = await run();
			const requests = service().requests.length;
			expect(usual.credentialReads).toBe(1);
			service().reset();
			forgetRecentAnswers();
			inChangedN8n(elsewhere);
			const { json, credentialReads } = await run();
			expect(credentialReads).toBe(wanted.length);
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
			expect(service().requests).toHaveLength(requests);
			expectPaidOnce(service(), lookup, wanted);
		},
	);
});

describe("requests that end by n8n's own signal", () => {
	const own: Change = (n8n) => ({
		helpers: inheriting(n8n.helpers, {
			httpRequestWithAuthentication: n8n.helpers.httpRequestWithAuthentication.bind(n8n),
		}),
	});

	test('a stop cuts off those in progress: they are told as what may have been spent', async () => {
		inChangedN8n(own);
		service().options.latencyMs = 300;
		const stop = new AbortController();
		whenSent(service(), 3, () => stop.abort());
		const items = paidAmong(find, 40).slice(0, 8).map(find.item);
		const test = { stop: stop.signal, options: { maxConcurrency: 3 } };
		const { json, run } = await runLookup(find, service(), items, test);
		expect(await sentAfterwards(service())).toEqual([]);
		expect(service().requests).toHaveLength(3);
		const cutOff = { lookupStatus: 'failed', lookupCredits: null };
		expect(json.slice(0, 3)).toMatchObject(Array(3).fill(cutOff));
		const rest = { lookupStatus: 'not_processed', lookupReason: 'cancelled', lookupCredits: 0 };
		expect(json.slice(3)).toMatchObject(Array(5).fill(rest));
		const { metadata } = run.data.resultData;
		expect(metadata?.contact_data_credits).toBe('0 to 3 credits spent');
	});

	test('an answer that trickles beyond the timeout is waited for', async () => {
		const baseUrl = await serve((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' }).write('{');
			const drops = setInterval(() => response.write(' '), 20);
			response.on('close', () => clearInterval(drops));
			setTimeout(() => {
				clearInterval(drops);
				response.end('"email": "ada@acme.com", "email_status": "valid" }');
			}, 1_000);
		});
		const run = async () => {
			const { json } = await runLookup(find, service(), [leadOf(0)], {
				credential: { ...credentialFor(service()), baseUrl },
				options: { maxRetries: 0 },
				parameters: { requestOptions: { timeout: 150 } },
				onError: 'continueRegularOutput',
			});
			return json;
		};
		const lost = { lookupStatus: 'failed', lookupReason: 'connection', lookupCredits: null };
		expect(await run()).toMatchObject([lost]);
		inChangedN8n(own);
		expect(await run()).toMatchObject([{ lookupStatus: 'found', email: 'ada@acme.com' }]);
	});
});

test('a trigger without a hook to store what a poll without items remembers: each lead once', async () => {
	const parameters = { event: 'newLead', listId: listWithId('102'), simple: true };
	const { poll, goBack } = pollingTrigger(parameters, credentialFor(service()), {}, 'n8n 1');
	expect(await poll()).toEqual([]);
	// As durable poll cursors do.
	goBack({});
	const saved = saveLeads(known(service().fixtures.list(102)), 3);
	expect((await poll()).map(({ json }) => json.id)).toEqual(saved);
	expect(await poll()).toEqual([]);
});
