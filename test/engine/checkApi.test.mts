/** @file Check API: what it says of every service, that it says what to choose, and that it can cost nothing. */

import type { RequestListener } from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { notForTools } from '../../nodes/shared/editor/fields.ts';
import type { Effect } from '../emulator/faults.mts';
import { startService, type Service } from '../emulator/service.mts';
import { ASKING } from '../emulator/contract.mts';
import { mainVariants, type Variants } from '../emulator/variants.mts';
import type { Operation, WireRequest } from '../emulator/wireLog.mts';
import { deviations, settingsFor } from '../support/servers/emulatorForms.mts';
import { endpointRows } from '../support/node/endpointRows.mts';
import { ourNodes, runNode, type NodeTest } from '../support/node/engine.mts';
import { operations } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { giveJson, trickle, useServer } from '../support/servers/ownServer.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, KEY } from '../support/servers/service.mts';

useQuickClock();

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.close());

afterEach(() => service.reset());

/** Whatever the service is and says: nothing is charged or could be, and nothing is repeated more than once. */
function expectFree(requests: readonly WireRequest[]): void {
	const sent = requests.map(({ method, path, rawQuery }) => `${method} ${path}?${rawQuery}`);
	const completed = requests.filter(({ operation, rawQuery, body, status }) => {
		const isBare = rawQuery === '' && (body ?? null) === null;
		return ASKING.has(operation) && (!isBare || status === 202);
	});
	expect(completed).toEqual([]);
	for (const one of sent) expect(sent.filter((other) => other === one).length, one).toBeLessThan(3);
	expect(service.ledger.charges).toEqual([]);
	// A page that is larger than the service gives is what the check may try.
	const problems = service.violations.flatMap((one) => one.problems);
	expect(new Set(['query/size is over 100', ...problems]).size).toBe(1);
}

async function check(
	credential: NodeTest['credential'] = credentialFor(service),
	test: Partial<NodeTest> = {},
) {
	const before = service.requests.length;
	const { json, error, summary, run } = await runNode({
		node: 'contactDataAccount',
		parameters: { operation: 'check', ...test.parameters },
		credential,
		items: test.items,
	});
	expectFree(service.requests.slice(before));
	expect(JSON.stringify(run)).not.toContain(KEY);
	const find = (operation: string) =>
		known(json.find(({ operations }) => String(operations).split(', ').includes(operation)));
	const settings = json.flatMap(({ setting }) => (setting ? String(setting).split('; ') : []));
	const works = json.map((one) => one.works);
	const said = `${error?.message}. ${error?.description}`;
	return { json, find, settings, works, said, summary };
}

/** The credential with what the check said to choose, by the labels in its dialog. */
function withSettings(settings: string[]): NodeTest['credential'] {
	const fields = new ContactDataApi().properties;
	const chosen = settings.map((setting) => {
		const [label, choice] = setting.split(': ');
		const { name, options = [] } = known(fields.find(({ displayName }) => displayName === label));
		const option = options.find((one) => one.name === choice);
		return [name, option && 'value' in option ? option.value : choice];
	});
	return credentialFor(service, Object.fromEntries(chosen));
}

/** What a variant makes the check say to choose. */
const needed: Partial<Record<keyof Variants, string>> = {
	leadsMaxSize: 'List Page Size: 100',
	verifyBulkPath: 'Bulk Verifier Path: /api/v2/find_bulk',
	companySearchPath: 'Company Search Path: /lwh/company/search',
};

/** What only a paid request would tell, whatever the service is: whether it takes the form of the request. */
const withForm = endpointRows.flatMap(({ names, form }) => (form ? [names] : []));
const open = 'Not certain, for the reason in its row: ';
const worksAsFarAsSeen = `This API works, as far as a free check can tell. ${open}${withForm.join(', ')}. To be certain, look up one item with Max Credits set to 1.`;

const cases = [...deviations, { name: 'creditCounters', value: [], form: mainVariants() } as const];

describe('a service in another form', () => {
	test.each(cases)('$name: $value', async ({ name, value, form }) => {
		Object.assign(service.variants, { [name]: value });
		const { settings, summary, works } = await check();
		const setting = needed[name];
		expect(settings).toEqual(setting ? [setting] : []);
		expect(works.filter((one) => one === false)).toHaveLength(settings.length);
		if (!setting) return expect(summary).toBe(worksAsFarAsSeen);
		const [begin, end] = [
			'This API works with other settings, as far as a free check can tell. ',
			'turn on Customize API Requests',
		];
		expect(summary).toContain(`${begin}${open}${withForm[0]}, `);
		expect(summary).toContain(`In the credential, ${end} and choose: ${setting}`);
		// With these settings the operations do what they do in the main form: they are those of their own tests.
		const { baseUrl, apiKey, customizeInterface, ...chosen } = withSettings(settings);
		const all = Object.entries(settingsFor(form)).map(([key, one]) => [key, String(one)]);
		expect(Object.fromEntries(all)).toMatchObject(chosen);
		const again = await check(withSettings(settings));
		expect(again.summary).toBe(worksAsFarAsSeen);
		expect(again.works).not.toContain(false);
	});

	test('all of them at once, found in one go', async () => {
		for (const { name, value } of deviations) {
			if (name in needed) Object.assign(service.variants, { [name]: value });
		}
		const { settings } = await check();
		expect(settings.toSorted()).toEqual(Object.values(needed).toSorted());
		expect((await check(withSettings(settings))).summary).toBe(worksAsFarAsSeen);
	});

	test('what is seen of it', async () => {
		Object.assign(service.variants, { accountShape: 'credits', leadsStart: 'offset' });
		Object.assign(service.variants, { listShape: 'entry', leadsMaxSize: 100 });
		const { find } = await check();
		expect(find('Get Account').variant).toEqual({ counters: ['all'] });
		expect(find('Get List').variant).toEqual({ entries: ['id', 'name', 'leads'] });
		expect(find('Get List Leads').variant).toEqual({ start: 'offset', pageSize: 100 });
	});

	test('null where only a paid request would tell', async () => {
		const { json } = await check();
		const unknown = json.filter(({ works }) => works === null);
		expect(unknown.map((one) => one.operations)).toEqual(withForm);
		for (const { detail } of unknown) expect(detail).toMatch(/needs another choice of \w+/);
	});
});

test('every operation is named as in the menus, once for all items', async () => {
	const { json } = await check(undefined, { items: [{}, {}, {}] });
	const named = json.flatMap((one) => String(one.operations).split(', '));
	const menus = operations.map(({ label }) => label).filter((label) => label !== 'Check API');
	const events = ['On New Lead in List', 'On Low Credits'];
	expect(named.toSorted(), 'ENDPOINTS in check.operation.ts').toEqual(
		[...new Set([...menus, ...events])].toSorted(),
	);
});

/**
 * What goes wrong with some endpoints; how many do not work then, how many are open, how many requests; the sentence.
 * Without a list, the three endpoints of one are open; a list takes one request more, each other path of an endpoint too.
 */
const every: Operation[] = ['getAccount', 'getLists', 'getList', 'getListLeads', 'exportLeads'];
const half: Operation[] = ['getList', 'exportLeads', 'findBulk', 'verifyBulk', 'getCompanyLeads'];
type Trouble = [what: string, Effect, Operation[], figures: number[], sentence: string];
const down = 'This API does not work: ';
const metered = [...ASKING].filter((one) => one !== null);
const all = [...every, ...metered];
const forms = withForm.length;
const elsewhere = { redirect: 'https://elsewhere.example.com/' };
const rubbish = { body: { json: '{"a":1}' }, status: 200 };

test.each<Trouble>([
	[
		'half of it is missing',
		{ status: 404 },
		half,
		[half.length, forms - 2, all.length + 2],
		'but not Get List, ',
	],
	['no API at all', { status: 404 }, all, [all.length - 3, 3, all.length - 1], `${down}Not there`],
	[
		'a 401 for one',
		{ status: 401 },
		['getLists'],
		[1, 3 + forms, all.length - 3],
		'but not Get Many Lists (The',
	],
	[
		'down',
		{ status: 503 },
		all,
		[0, all.length, 2 * (all.length - 3)],
		'Whether this API works is unknown: The service is',
	],
	[
		'no credits',
		{ status: 402 },
		metered,
		[0, metered.length, all.length + 1],
		`This API works, as far as a free check can tell. ${open}Find Email, `,
	],
	['slow', { delayMs: 30 }, all, [0, forms, all.length + 1], 'This API works, as far as'],
	[
		'half of its JSON',
		{ body: 'truncated' },
		all,
		[2, 3 + forms, all.length - 3],
		'but not Get Account, Estimate Cost, ',
	],
	[
		'numbers',
		{ body: 'json-scalar' },
		all,
		[2, 3 + forms, all.length - 3],
		'without an object or a list in JSON',
	],
	[
		'other objects',
		rubbish,
		all,
		[2, all.length - 2, all.length - 3],
		`${down}The service sent a response without an account`,
	],
	[
		'a page for one',
		{ body: 'html' },
		['verify'],
		[1, forms, all.length + 1],
		'but not Verify Email (The response',
	],
])('%s', async (_, effect, faulty, figures, sentence) => {
	const where = ({ operation }: WireRequest) => operation !== null && faulty.includes(operation);
	service.faults.add({ ...effect, on: { where } });
	const { works, summary, json } = await check();
	expect(json).toHaveLength(all.length);
	expect(summary).toContain(sentence);
	const ofKind = [false, null].map((kind) => works.filter((one) => one === kind).length);
	expect([...ofKind, service.requests.length]).toEqual(figures);
});

const busy = { status: 429, retryAfter: 'seconds', seconds: 60 } as const;
const checkUrl = 'Check the Base URL of the credential';

test.each<[what: string, Effect, requests: number, said: string[]]>([
	['the plan has no API', { status: 403 }, 1, ['Your plan does not', 'Check your plan']],
	['a redirect', elsewhere, 1, ['The Base URL redirects', checkUrl]],
	['busy', busy, 1, ['Not sent: rate limit', 'Run again after']],
	['web pages', { body: 'html' }, 1, ['The response is not JSON', checkUrl]],
	['web pages for a 404', { body: 'html', status: 404 }, 1, ['is not JSON', checkUrl]],
	['bad requests', { status: 400 }, 1, ['did not accept this request', checkUrl]],
	['lost', { reset: 'before-charge' }, 2, ['The connection was lost', 'Run again later']],
])('%s: nothing can be checked, which is said once', async (_, effect, requests, parts) => {
	service.faults.add(effect);
	const { json, said } = await check();
	expect([json.length, service.requests.length]).toEqual([0, requests]);
	for (const part of parts) expect(said).toContain(part);
	expect(said).not.toContain('Check API');
});

test('what fails once is tried once more, and a low rate limit is waited for', async () => {
	for (const operation of all) service.faults.add({ status: 503, on: { operation, nth: 1 } });
	expect((await check()).summary).toBe(worksAsFarAsSeen);
	service.options.rateLimit = { perSecond: 1, retryAfter: 'seconds' };
	expect((await check()).summary).toBe(worksAsFarAsSeen);
});

describe('what is no service', () => {
	const serve = useServer();
	const checkAt = async (handler: RequestListener, timeout = 0) =>
		await check(
			{ baseUrl: await serve(handler), apiKey: KEY },
			{ parameters: { requestOptions: { timeout } } },
		);

	test('an answer that never ends', async () => {
		const { json, said } = await checkAt(trickle, 150);
		expect(json).toEqual([]);
		expect(said).toContain('did not respond in time');
	});

	test('one that would take any request: none holds what could be looked up', async () => {
		const sent: string[] = [];
		const { find } = await checkAt(({ method, url, headers }, response) => {
			sent.push(`${method} ${url} ${headers['content-length'] ?? 0}`);
			giveJson(response, { email: 'ada@engine.example', data: [], lists: [{ id: 1 }] });
		});
		expect(find('Find Email').works).toBe(null);
		expect(sent.filter((one) => /^POST .* [^0]|\?(?!size=)/.test(one))).toEqual([]);
	});
});

test('a key that is refused, a host that is none, a credential that is none: said once', async () => {
	const refused = await check({ ...credentialFor(service), apiKey: 'nobody' });
	expect(refused.said).toContain(
		'The service did not accept the API key (401): A valid access key',
	);
	expect(refused.said).toContain('. Check the API Key of the credential "Test".');
	expect(service.requests).toHaveLength(1);
	const nowhere = await check({ baseUrl: 'https://nowhere.invalid', apiKey: KEY });
	expect(nowhere.said).toContain('The host nowhere.invalid was not found (sent 2 times)');
	const insecure = await check({ baseUrl: 'http://example.com', apiKey: KEY });
	expect(insecure.said).toContain('https://');
	for (const { json } of [refused, nowhere, insecure]) expect(json).toEqual([]);
});

test.each([
	'/company/search?kw=acme',
	`/company/search?key=${KEY}`,
	'https://elsewhere.example.com/search',
])('a path that could complete a request is not sent: %s', async (companySearchPath) => {
	const { find } = await check(credentialFor(service, { companySearchPath }));
	expect(find('Search Company').works).not.toBe(true);
	expect(service.requests.filter(({ operation }) => operation === 'searchCompany')).toEqual([]);
});

test('agents are not offered it', () => {
	const { properties } = ourNodes.contactDataAccount.description;
	const option = properties
		.flatMap(({ options = [] }) => options)
		.find(({ name }) => name === 'Check API');
	expect(option).toMatchObject({ displayOptions: notForTools });
});
