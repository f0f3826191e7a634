import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { useProxy, useSelfSigned } from '../support/ownServer.mts';
import { credentialFor, useService } from '../support/service.mts';
import { loadOptionsContext } from '../support/loadOptions.mts';
import { ourNodes } from '../support/engine.mts';

/** The dropdown of the saved lists, in the context that n8n gives it in the editor. */
const service = useService();

const springCampaign = { name: 'Spring Campaign', value: '101' };
const tradeFair = { name: 'Trade Fair', value: '102' };

async function searchLists(typed?: string, apiKey = 'test-key'): Promise<INodeListSearchResult> {
	const context = loadOptionsContext('contactDataList', credentialFor(service(), { apiKey }));
	return await ourNodes.contactDataList.methods.listSearch.searchLists.call(context, typed);
}

const paths = () =>
	service().requests.map(({ method, path, rawQuery }) => [method, path, rawQuery]);

/** The description of what is thrown, besides its message. */
function descriptionOf(thrown: unknown): unknown {
	return thrown instanceof Error && 'description' in thrown ? thrown.description : undefined;
}

const selfSigned = useSelfSigned();
const proxy = useProxy();

test('it is filled by the Request Options of the node', async () => {
	const credential = { ...credentialFor(service()), baseUrl: await selfSigned(service().baseUrl) };
	const { host, asked } = await proxy();
	const fill = async (requestOptions: INodeParameters) => {
		const context = loadOptionsContext('contactDataList', credential, { requestOptions });
		return await ourNodes.contactDataList.methods.listSearch.searchLists.call(context);
	};
	await expect(fill({})).rejects.toThrow();
	expect(paths()).toEqual([]);
	const results = [springCampaign, tradeFair];
	expect(await fill({ allowUnauthorizedCerts: true })).toEqual({ results });
	expect(asked).toEqual([]);
	const throughProxy = { allowUnauthorizedCerts: true, proxy: `http://${host}` };
	expect(await fill(throughProxy)).toEqual({ results });
	expect(asked.map((target) => `https://${target}`)).toEqual([credential.baseUrl]);
});

test('the field names the method, and searches while the user types', () => {
	const locator = ourNodes.contactDataList.description.properties.find(
		({ name }) => name === 'listId',
	);
	expect(locator?.modes?.map(({ name }) => name)).toEqual(['list', 'id']);
	expect(locator?.modes?.[0]?.typeOptions).toEqual({
		searchListMethod: 'searchLists',
		searchable: true,
	});
});

test('all lists, asked for once and with the key in its header', async () => {
	expect(await searchLists()).toEqual({ results: [springCampaign, tradeFair] });
	expect(paths()).toEqual([['GET', '/api/v2/list', '']]);
	expect(service().requests[0]?.headers).toMatchObject({
		'x-access-key': 'test-key',
		accept: 'application/json',
	});
});

test('lists whose index looks like single lists', async () => {
	service().variants.listIndexShape = 'list';
	expect(await searchLists()).toEqual({ results: [springCampaign, tradeFair] });
});

test.each([
	['fair', [tradeFair]],
	['SPRING', [springCampaign]],
	['  trade ', [tradeFair]],
	['a', [springCampaign, tradeFair]],
	['', [springCampaign, tradeFair]],
	['nothing like it', []],
])('typing "%s"', async (typed, results) => {
	expect(await searchLists(typed)).toEqual({ results });
});

test('the lists of the account where the service has no index', async () => {
	service().variants.listIndex = 'missing';
	expect(await searchLists('fair')).toEqual({ results: [tradeFair] });
	expect(paths()).toEqual([
		['GET', '/api/v2/list', ''],
		['GET', '/api/v2/account', ''],
	]);
});

test('no lists where neither the index nor the account has any', async () => {
	Object.assign(service().variants, { listIndex: 'missing', accountShape: 'credits' });
	expect(await searchLists()).toEqual({ results: [] });
});

test('a wrong key: what happened and what to do, without the key, and no second try', async () => {
	const thrown = await searchLists('', 'wrong-key-123').catch((error: unknown) => error);
	expect(thrown).toMatchObject({
		message: expect.stringContaining('The service did not accept the API key'),
		description: expect.stringContaining('Check the API Key of the credential'),
	});
	expect(`${String(thrown)} ${JSON.stringify(thrown)}`).not.toContain('wrong-key-123');
	expect(paths()).toEqual([['GET', '/api/v2/list', '']]);
});

test('a web page at the Base URL: check the Base URL', async () => {
	service().faults.add({ body: 'html', on: { operation: 'getLists' } });
	const thrown = await searchLists().catch((error: unknown) => error);
	expect(thrown).toBeInstanceOf(Error);
	expect(descriptionOf(thrown)).toContain('Base URL');
});

test('a 404 that is a web page is no missing index', async () => {
	service().faults.add({ body: 'html', status: 404, on: { operation: 'getLists' } });
	await expect(searchLists()).rejects.toThrow('did not come from the service');
	expect(paths()).toHaveLength(1);
});

test('a busy service is asked again', async () => {
	service().faults.add({ status: 503, on: { times: 1 } });
	expect(await searchLists('fair')).toEqual({ results: [tradeFair] });
	expect(service().requests.map(({ status }) => status)).toEqual([503, 200]);
});
