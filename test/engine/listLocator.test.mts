import type { INodeListSearchResult } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { credentialFor, useService } from '../support/servers/service.mts';
import { loadOptionsContext } from '../support/node/loadOptions.mts';
import { ourNodes } from '../support/node/engine.mts';

/** The dropdown of the saved lists, in the context that n8n gives it in the editor. */
const service = useService();

const springCampaign = { name: 'Spring Campaign (1000 leads)', value: '101' };
const tradeFair = { name: 'Trade Fair (30 leads)', value: '102' };

async function searchLists(typed?: string, apiKey = 'test-key'): Promise<INodeListSearchResult> {
	const context = loadOptionsContext('contactDataList', credentialFor(service(), { apiKey }));
	return await ourNodes.contactDataList.methods.listSearch.searchLists.call(context, typed);
}

const paths = () =>
	service().requests.map(({ method, path, rawQuery }) => `${method} ${path}?${rawQuery}`);

test.each(['entry', 'list'] as const)(
	'all lists, read once, in the form %s',
	async (listIndexShape) => {
		service().variants.listIndexShape = listIndexShape;
		expect(await searchLists()).toEqual({ results: [springCampaign, tradeFair] });
		expect(paths()).toEqual(['GET /api/v2/list?']);
	},
);

test('what is typed filters the names', async () => {
	const both = [springCampaign, tradeFair];
	const typed: Array<[string, typeof both]> = [
		['fair', [tradeFair]],
		['SPRING', [springCampaign]],
		['  trade ', [tradeFair]],
		['a', both],
		['', both],
		['nothing like it', []],
	];
	for (const [text, results] of typed) expect(await searchLists(text)).toEqual({ results });
});

test('the lists of the account where the service has no index, which does not count leads', async () => {
	service().variants.listIndex = 'missing';
	const named = { name: 'Trade Fair', value: '102' };
	expect(await searchLists('fair')).toEqual({ results: [named] });
	expect(paths()).toEqual(['GET /api/v2/list?', 'GET /api/v2/account?']);
	service().variants.accountShape = 'credits';
	expect(await searchLists()).toEqual({ results: [] });
});

test('a wrong key: what happened and what to do, without the key, and no second try', async () => {
	const thrown = await searchLists('', 'wrong-key-123').catch((error: unknown) => error);
	expect(thrown).toMatchObject({
		message: expect.stringContaining('The service did not accept the API key'),
		description: expect.stringContaining('Check the API Key of the credential'),
	});
	expect(`${String(thrown)} ${JSON.stringify(thrown)}`).not.toContain('wrong-key-123');
	expect(paths()).toEqual(['GET /api/v2/list?']);
});

test('a busy service is asked again', async () => {
	service().faults.add({ status: 503, on: { times: 1 } });
	expect(await searchLists('fair')).toEqual({ results: [tradeFair] });
	expect(service().requests.map(({ status }) => status)).toEqual([503, 200]);
});
