/** @file The dropdown of the saved lists, as n8n fills it in the editor. */

import { expect, test } from 'vitest';

import { searchLists } from '../support/node/loadOptions.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

const springCampaign = { name: 'Spring Campaign (1000 leads)', value: '101' };
const tradeFair = { name: 'Trade Fair (30 leads)', value: '102' };

const search = async (typed?: string, apiKey = 'test-key') =>
	await searchLists(credentialFor(service(), { apiKey }), typed);

const paths = () =>
	service().requests.map(({ method, path, rawQuery }) => `${method} ${path}?${rawQuery}`);

test.each(['entry', 'list'] as const)(
	'all lists, read once, in the form %s; what is typed filters the names',
	async (listIndexShape) => {
		service().variants.listIndexShape = listIndexShape;
		const both = [springCampaign, tradeFair];
		expect(await search()).toEqual({ results: both });
		expect(paths()).toEqual(['GET /api/v2/list?']);
		for (const [typed, results] of [
			['fair', [tradeFair]],
			['SPRING', [springCampaign]],
			['  trade ', [tradeFair]],
			['a', both],
			['', both],
			['nothing like it', []],
		] as const) {
			expect(await search(typed)).toEqual({ results });
		}
	},
);

test('the lists of the account where the service has no index, which does not count leads', async () => {
	service().variants.listIndex = 'missing';
	const named = { name: 'Trade Fair', value: '102' };
	expect(await search('fair')).toEqual({ results: [named] });
	expect(paths()).toEqual(['GET /api/v2/list?', 'GET /api/v2/account?']);
	service().variants.accountShape = 'credits';
	expect(await search()).toEqual({ results: [] });
});

test('a wrong key: what happened and what to do, without the key, and no second try', async () => {
	const thrown = await search('', 'wrong-key-123').catch((error: unknown) => error);
	expect(thrown).toMatchObject({
		message: expect.stringContaining('The service did not accept the API key'),
		description: expect.stringContaining('Check the API Key of the credential'),
	});
	expect(`${String(thrown)} ${JSON.stringify(thrown)}`).not.toContain('wrong-key-123');
	expect(paths()).toEqual(['GET /api/v2/list?']);
});

test('a busy service is asked again', async () => {
	service().faults.add({ status: 503, on: { times: 1 } });
	expect(await search('fair')).toEqual({ results: [tradeFair] });
	expect(service().requests.map(({ status }) => status)).toEqual([503, 200]);
});
