import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { expectedEmail, expectedVerification } from '../../service/addresses.mts';
import type { Person } from '../../service/fixtures.mts';
import { startService, type Service } from '../../service/service.mts';
import type { Variants } from '../../service/variants.mts';
import { ask, json, query } from './ask.mts';

let service: Service;
let found: Person;
let missed: Person;

beforeAll(async () => {
	service = await startService();
	const { people } = service.fixtures;
	const [first] = people.filter(
		({ email }) => email && expectedVerification(email).email_status === 'valid',
	);
	const [other] = people.filter(({ email }) => !email);
	if (!first || !other) throw new Error('The fixtures lack a person');
	[found, missed] = [first, other];
});
beforeEach(() => service.reset());
afterEach(() => expect(service.violations).toEqual([]));
afterAll(() => service.close());

function set(variants: Partial<Variants>): void {
	Object.assign(service.variants, variants);
}

function findPath(person: Person, more: Record<string, string | boolean> = {}): string {
	const { first, last, company } = person;
	return `/api/v2/find?${query({ firstName: first, lastName: last, domain: company.domain, ...more })}`;
}

function rowOf(person: Person, tId: string | number) {
	return { tId, name: person.full, domain: person.company.domain };
}

describe('account', () => {
	it('has plan, credit counters and lists', async () => {
		await ask(service, findPath(found));
		expect(await json(service, '/api/v2/account')).toMatchObject({
			name: 'Ada Lovelace',
			package: 'Business',
			credit: { email: { quota: 250_000, used: 1 }, verifier: { used: 0 } },
			lists: [{ id: 101, name: 'Spring Campaign' }, { id: 102 }],
		});
	});

	it('has only the counters of the variant', async () => {
		set({ creditCounters: ['email'] });
		const { credit } = await json(service, '/api/v2/account');
		expect(Object.keys(credit)).toEqual(['email']);
	});

	it('has one counter in the other shape', async () => {
		set({ accountShape: 'credits' });
		await ask(service, findPath(found));
		expect(await json(service, '/api/v2/account')).toEqual({
			email: 'ada@engine.example',
			plan: 'Business',
			expiry: '2030-01-15',
			credits: { remaining: 249_999, total: 250_000 },
		});
	});

	it.each(['not-a-key', ''])('is refused with the key %j', async (wrong) => {
		const headers = { 'x-access-key': wrong };
		const refusal = await json(service, '/api/v2/account', { headers, status: 401 });
		expect(refusal.error).toBe('unauthorized');
	});

	it('has no credits on the free plan', async () => {
		const headers = { 'x-access-key': 'free-key' };
		const account = await json(service, '/api/v2/account', { headers });
		expect(account.credit.email).toEqual({ quota: 0, used: 0 });
		expect(await json(service, findPath(found), { headers, status: 402 })).toMatchObject({
			error: 'insufficient_credits',
			remaining: 0,
		});
	});
});

describe('lists', () => {
	it('have an index, in either shape, or none', async () => {
		expect(await json(service, '/api/v2/list')).toContainEqual({
			id: 102,
			name: 'Trade Fair',
			leads: 30,
		});
		set({ listIndexShape: 'list' });
		expect((await json(service, '/api/v2/list'))[0]).toMatchObject({ list_id: 101 });
		set({ listIndex: 'missing' });
		await json(service, '/api/v2/list', { status: 404 });
	});

	it('come one by one, in either shape', async () => {
		expect(await json(service, '/api/v2/list/101')).toEqual({
			list_id: 101,
			name: 'Spring Campaign',
			creation_date: '2025-03-03T08:30:00.000Z',
			count_leads: 1_000,
		});
		set({ listShape: 'entry' });
		expect(await json(service, '/api/v2/list/101')).toMatchObject({ id: 101, leads: 1_000 });
		await json(service, '/api/v2/list/999', { status: 404 });
	});

	it('are exported, with addresses only if asked', async () => {
		const all = await json(service, '/api/v2/list/102/data');
		const withEmail = await json(service, '/api/v2/list/102/data?emailOnly=true');
		expect(all).toHaveLength(30);
		expect(withEmail).toEqual(all.filter(({ email }: { email: string }) => email !== ''));
		expect(withEmail.length).toBeLessThan(30);
	});
});

describe('list leads', () => {
	async function readAll(size: number): Promise<number[]> {
		const ids: number[] = [];
		for (let start = ''; ; ) {
			const page = await json(service, `/api/v2/list/101/leads?size=${size}${start}`);
			if (page.data.length === 0) return ids;
			ids.push(...page.data.map(({ id }: { id: number }) => id));
			start = `&start=${page.next_start}`;
		}
	}

	it.each([
		{ leadsStart: 'id', size: 500, pageCap: undefined },
		{ leadsStart: 'id', size: 97, pageCap: undefined },
		{ leadsStart: 'offset', size: 97, pageCap: undefined },
		{ leadsStart: 'offset', size: 500, pageCap: 120 },
	] as const)('come once each, the latest first: %o', async ({ leadsStart, size, pageCap }) => {
		set({ leadsStart });
		if (pageCap) service.options.pageCap = pageCap;
		const expected = service.fixtures.list(101)?.leads.map(({ id }) => id);
		expect(await readAll(size)).toEqual(expected?.reverse());
	});

	it('come by 25 and are counted', async () => {
		const page = await json(service, '/api/v2/list/101/leads');
		expect(page).toMatchObject({ count_results: 1_000, data: { length: 25 } });
		set({ leadsCount: 'page' });
		expect(await json(service, '/api/v2/list/101/leads')).toMatchObject({ count_results: 25 });
	});

	it('are filtered by a keyword on the fields of the variant', async () => {
		const lead = service.fixtures.list(101)?.leads[0];
		const byName = `/api/v2/list/101/leads?${query({ kw: lead?.person.full.toUpperCase() ?? '' })}`;
		const byTitle = `/api/v2/list/101/leads?${query({ kw: lead?.person.title ?? '' })}`;
		expect(await json(service, byName)).toMatchObject({
			count_results: 1,
			data: [{ id: lead?.id }],
		});
		const { count_results: wide } = await json(service, byTitle);
		expect(wide).toBeGreaterThan(10);
		set({ leadsKeywordFields: 'narrow' });
		expect(await json(service, byTitle)).toMatchObject({ count_results: 0, data: [] });
	});

	it('are spelt either way, with or without a scheme', async () => {
		const path = '/api/v2/list/102/leads?size=1';
		const [plain] = (await json(service, path)).data;
		set({ leadSpelling: 'misspelt', networkUrlScheme: 'always' });
		const [misspelt] = (await json(service, path)).data;
		expect(misspelt.last_nd).toBe(plain.last_n);
		expect(misspelt.compnay_founded).toBe(plain.company_founded);
		expect(misspelt).not.toHaveProperty('last_n');
		expect(misspelt.network_url).toBe(`https://${plain.network_url}`);
	});
});

describe('finder', () => {
	it('answers with address, pattern and quality', async () => {
		expect(await json(service, findPath(found))).toEqual({
			email: found.email,
			pattern: found.company.pattern,
			quality: { status: 'valid', status_message: expect.any(String) },
		});
	});

	it.each([
		['earlier', 'lower', 'ok'],
		['earlier', 'upper', 'OK'],
		['current', 'capital', 'Valid'],
	] as const)('says it in the %s vocabulary in %s case', async (vocabulary, letters, status) => {
		set({ finderVocabulary: vocabulary, finderLetterCase: letters });
		expect((await json(service, findPath(found))).quality.status).toBe(status);
	});

	it('says more in a variant and adds the company when asked', async () => {
		set({ finderExtras: true });
		expect(await json(service, findPath(found, { includeCompanyData: true }))).toMatchObject({
			accuracy: 95,
			companyName: found.company.name,
			quality: { result: 'deliverable' },
			companyData: { domain: found.company.domain },
		});
		set({ finderCompanyDataKey: 'company' });
		expect(await json(service, findPath(found, { includeCompanyData: true }))).toHaveProperty(
			'company.domain',
		);
	});

	it('tells a miss in four ways, all free', async () => {
		await json(service, findPath(missed), { status: 404 });
		set({ finderMiss: 'empty' });
		expect(await json(service, findPath(missed))).toEqual({ email: '' });
		set({ finderMiss: 'null' });
		expect(await json(service, findPath(missed))).toEqual({ email: null });
		set({ finderMiss: 'missing' });
		expect(await json(service, findPath(missed))).toEqual({});
		expect(service.ledger.total()).toBe(0);
	});

	it('takes the company by the name of the variant', async () => {
		const name = { fullName: found.full };
		const company = found.company.name.toUpperCase();
		const usual = `/api/v2/find?${query({ ...name, company })}`;
		expect(await json(service, usual)).toMatchObject({ email: found.email });
		set({ finderCompanyParameter: 'companyName' });
		const earlier = `/api/v2/find?${query({ ...name, companyName: company })}`;
		expect(await json(service, earlier)).toMatchObject({ email: found.email });
	});

	it('knows synthetic people', async () => {
		const domain = 'big.bulk.example';
		for (const lastName of ['A', 'B', 'C', 'D', 'E', 'F']) {
			const expected = expectedEmail('Ann', lastName, domain);
			const path = `/api/v2/find?${query({ firstName: 'Ann', lastName, domain })}`;
			const body = await json(service, path, { status: expected ? 200 : 404 });
			expect(body.email).toBe(expected?.email);
		}
	});
});

describe('bulk finder', () => {
	const path = '/api/v2/find_bulk';

	it('answers row by row', async () => {
		const body = [rowOf(found, 7), rowOf(missed, 'eight')];
		expect(await json(service, path, { body })).toEqual([
			expect.objectContaining({
				tId: 7,
				email: found.email,
				companyNetworkID: found.company.id,
				quality: { status: 'valid', status_message: expect.any(String) },
			}),
			{ ...rowOf(missed, 'eight'), email: '' },
		]);
	});

	it('takes people, echoes ids as number or text, and leaves the message out', async () => {
		set({ bulkBody: 'people', bulkIdType: 'text', bulkStatusMessage: false });
		set({ bulkCompanyIdSpelling: 'companyNetworkid', finderMiss: 'missing' });
		const body = { people: [rowOf(found, 7), rowOf(missed, 8)] };
		const [hit, miss] = await json(service, path, { body });
		expect(hit).toMatchObject({ tId: '7', companyNetworkid: found.company.id });
		expect(hit.quality).toEqual({ status: 'valid' });
		expect(miss).not.toHaveProperty('email');
		set({ bulkIdType: 'number', bulkBody: 'array' });
		expect(await json(service, path, { body: [rowOf(found, '9')] })).toMatchObject([{ tId: 9 }]);
	});

	it.each([
		{ jobPollForm: 'path', jobPollRefusal: 404 },
		{ jobPollForm: 'query', jobPollRefusal: 405 },
	] as const)('accepts a job and is polled: %o', async (form) => {
		set({ ...form, bulkAnswer: 'job', jobPolls: 1 });
		const job = await json(service, path, { body: [rowOf(found, 1)], status: 202 });
		expect(job).toEqual({ id: expect.any(Number), status: 'processing', total: 1 });
		const polls = [`${path}/${job.id}`, `${path}?id=${job.id}`];
		const [right = '', wrong = ''] = form.jobPollForm === 'path' ? polls : polls.reverse();
		await json(service, wrong, { status: form.jobPollRefusal });
		expect(await json(service, right)).toEqual(job);
		expect(await json(service, right)).toMatchObject([{ tId: 1, email: found.email }]);
		expect(await json(service, right)).toHaveLength(1);
		expect(service.ledger.total('findBulk')).toBe(1);
		expect(service.requests.slice(1).map(({ operation }) => operation)).toEqual(
			Array(4).fill('getBulkJob'),
		);
	});

	it.each(['results', 'people', 'data', 'rows'] as const)(
		'has job rows under %s',
		async (shape) => {
			set({ bulkAnswer: 'job', jobPolls: 0, jobResultShape: shape });
			const { id } = await json(service, path, { body: [rowOf(found, 1)], status: 202 });
			expect(await json(service, `${path}/${id}`)).toMatchObject({
				id,
				status: 'completed',
				[shape]: [{ email: found.email }],
			});
		},
	);

	it.each(['results', 'people', 'data', 'rows'] as const)(
		'can show an unfinished job with no rows or some under %s, from the moment it is accepted',
		async (shape) => {
			const body = [rowOf(found, 1), rowOf(missed, 2)];
			set({ bulkAnswer: 'job', jobPolls: 1, jobResultShape: shape, jobProgress: 'empty' });
			const job = await json(service, path, { body, status: 202 });
			expect(job).toEqual({ id: expect.any(Number), status: 'processing', total: 2, [shape]: [] });
			set({ jobProgress: 'some' });
			expect(await json(service, `${path}/${job.id}`)).toMatchObject({
				status: 'processing',
				[shape]: [{ tId: 1, email: found.email }],
			});
			const finished = await json(service, `${path}/${job.id}`);
			expect(finished).toMatchObject({ status: 'completed', [shape]: [{ tId: 1 }, { tId: 2 }] });
		},
	);

	it('can show an unfinished job as a bare list of some of its rows', async () => {
		const body = [rowOf(found, 1), rowOf(missed, 2)];
		set({ bulkAnswer: 'job', jobPolls: 1, jobProgress: 'some' });
		const job = await json(service, path, { body, status: 202 });
		expect(job).toEqual({ id: expect.any(Number), status: 'processing', total: 2 });
		expect(await json(service, `${path}/${job.id}`)).toMatchObject([{ tId: 1 }]);
		expect(await json(service, `${path}/${job.id}`)).toMatchObject([{ tId: 1 }, { tId: 2 }]);
	});

	it('can fail a job, for free, and hides it from others', async () => {
		set({ bulkAnswer: 'job', jobPolls: 0, jobOutcome: 'failed' });
		const { id } = await json(service, path, { body: [rowOf(found, 1)], status: 202 });
		expect(await json(service, `${path}/${id}`)).toEqual({ id, status: 'failed', total: 1 });
		expect(service.ledger.total()).toBe(0);
		const headers = { 'x-access-key': 'second-key' };
		await json(service, `${path}/${id}`, { headers, status: 404 });
	});
});

describe('verifier', () => {
	it('answers for any address', async () => {
		const email = found.email ?? '';
		expect(await json(service, `/v3/verify?${query({ email })}`)).toEqual(
			expectedVerification(email),
		);
		expect(await json(service, '/v3/verify?email=nonsense')).toMatchObject({ format: 'invalid' });
	});

	it('adds the person when asked to enrich, if the variant does', async () => {
		const path = `/v3/verify?${query({ email: found.email ?? '', enrich: true })}`;
		expect(await json(service, path)).toMatchObject({
			result: 'deliverable',
			firstName: found.first,
			title: found.title,
		});
		set({ verifyEnrich: false, verifyMessageLineBreaks: true });
		const plain = await json(service, path);
		expect(plain).not.toHaveProperty('result');
		expect(plain.message).toContain('\r\n');
	});

	it.each([
		{ verifyBulkPath: '/v3/verify_bulk', verifyBulkQuery: 'repeat' },
		{ verifyBulkPath: '/v3/verify_bulk', verifyBulkQuery: 'comma' },
		{ verifyBulkPath: '/api/v2/find_bulk', verifyBulkQuery: 'repeat' },
		{ verifyBulkPath: '/api/v2/find_bulk', verifyBulkQuery: 'comma' },
	] as const)('takes many addresses, in their order: %o', async (form) => {
		set(form);
		const emails = ['b@two.example', 'a@one.example', 'c@throwaway.example'];
		const question =
			form.verifyBulkQuery === 'comma'
				? query({ email: emails.join(',') })
				: emails.map((email) => query({ email })).join('&');
		const other =
			form.verifyBulkPath === '/v3/verify_bulk' ? '/api/v2/find_bulk' : '/v3/verify_bulk';
		expect(await json(service, `${form.verifyBulkPath}?${question}`)).toEqual(
			emails.map(expectedVerification),
		);
		await json(service, `${other}?${question}`, { status: 404 });
		expect(service.ledger.total('verifyBulk')).toBe(3);
		expect(service.requests.map(({ operation }) => operation)).toEqual([
			'verifyBulk',
			'verifyBulk',
		]);
	});
});

describe('company search', () => {
	it.each([
		(person: Person) => person.company.name.toLowerCase(),
		(person: Person) => person.company.domain,
		(person: Person) => `https://www.${person.company.domain}/about`,
	])('knows a company by name, domain or website (%#)', async (keyword) => {
		const path = `/company/search?${query({ kw: keyword(found) })}`;
		const { results } = await json(service, path);
		expect(results).toMatchObject([{ domain: found.company.domain, lid: found.company.id }]);
	});

	it('is empty and free for a company nobody knows', async () => {
		expect(await json(service, '/company/search?kw=nobody')).toEqual({ results: [] });
		expect(service.ledger.total()).toBe(0);
	});

	it('has its variants of path and fields', async () => {
		set({ companySearchPath: '/lwh/company/search', companyId: false, companyLogos: 'secondary' });
		set({ companySpecialtiesSpelling: 'specialities', companyEmployeeCount: 'text' });
		set({ networkUrlScheme: 'never' });
		const question = query({ kw: found.company.domain });
		const { results } = await json(service, `/lwh/company/search?${question}`);
		const [company] = results;
		expect(company).toMatchObject({
			specialities: found.company.specialties,
			employee_count: String(found.company.employees),
			network_url: `network.example/company/${found.company.id}`,
		});
		for (const absent of ['lid', 'specialties', 'logo_url_primary']) {
			expect(company).not.toHaveProperty(absent);
		}
		await json(service, `/company/search?${question}`, { status: 404 });
	});
});

describe('company leads', () => {
	const leads = '/profile/search/email';

	it('come page by page, once each', async () => {
		const [company] = service.fixtures.companies;
		if (!company) throw new Error('The fixtures lack a company');
		const names: string[] = [];
		const first = `${leads}?${query({ companyWebsite: company.domain, size: 150 })}`;
		for (let more = ''; ; ) {
			const { meta, results } = await json(service, first + more);
			expect(meta).toMatchObject({ total_all: 400, total_results: results.length });
			names.push(...results.map(({ full_name }: { full_name: string }) => full_name));
			if (meta.next_results_id === undefined) break;
			more = `&${query({ nextId: meta.next_results_id })}`;
		}
		expect(names).toEqual(service.fixtures.peopleOf(company).map(({ full }) => full));
		expect(service.requests).toHaveLength(3);
		expect(service.ledger.total()).toBe(0);
	});

	it('are filtered by all words or by one of a list', async () => {
		const [company] = service.fixtures.companies;
		const titles = async (title: string): Promise<Set<string>> => {
			const question = query({ companyName: company?.name ?? '', size: 150, title });
			const { results } = await json(service, `${leads}?${question}`);
			return new Set(
				results.map(({ position }: { position: { title: string } }) => position.title),
			);
		};
		expect(await titles('manager sales')).toEqual(new Set(['Sales Manager']));
		expect(await titles('{sales manager, growth marketing}')).toEqual(
			new Set(['Sales Manager', 'Head of Growth Marketing']),
		);
		expect(await titles('astronaut')).toEqual(new Set());
	});

	it('have their own vocabulary or the current one, and either name of the total', async () => {
		const question = `${leads}?${query({ companyName: found.company.name, size: 150 })}`;
		const statusOf = async (): Promise<unknown> => {
			const { results } = await json(service, question);
			const profile = results.find(({ email }: { email: string }) => email === found.email);
			return profile.email_quality.status;
		};
		expect(await statusOf()).toBe('ok');
		set({ companyLeadsVocabulary: 'current', companyLeadsTotal: 'total' });
		expect(await statusOf()).toBe('valid');
		expect((await json(service, question)).meta.total).toBeGreaterThan(0);
		await json(service, `${leads}?companyName=nobody`, { status: 404 });
	});
});
