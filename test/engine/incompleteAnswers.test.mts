/** @file Answers that lack something: rows that are still to come, rows that never come, a company. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	answerIn,
	asksFor,
	bulks,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	runBulk,
	verifyBulk,
} from '../support/bulk.mts';
import { runNode } from '../support/engine.mts';
import { expectPaidOnce } from '../support/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/ownServer.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

describe.each(['bare', 'results', 'people', 'data', 'rows'] as const)(
	'a job that is not finished, with its rows under %s',
	(jobResultShape) => {
		const wanted = numbers(130);
		const leads = wanted.map(leadOf);

		function unfinished(jobProgress: 'empty' | 'some', jobPolls: number): void {
			Object.assign(service().variants, {
				bulkAnswer: 'job',
				jobResultShape,
				jobProgress,
				jobPolls,
			});
		}

		async function collect(items: IDataObject[]) {
			return await runNode({
				node: 'contactDataFinder',
				parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}' },
				items,
				credential: credentialFor(service()),
			});
		}

		test.each(['empty', 'some'] as const)(
			'shows %s of them: none is lost, and each job is named until all are there',
			async (jobProgress) => {
				unfinished(jobProgress, 1_000_000);
				const { json } = await runBulk(findBulk, service(), leads, {
					options: { jobTimeout: 0 },
					onError: 'continueRegularOutput',
				});
				const pending = { status: 'pending', jobId: expect.stringMatching(/^\d+$/) };
				expect(json).toEqual(wanted.map(() => expect.objectContaining(pending)));
				// A bare list of rows does not say that it is not all.
				if (jobResultShape !== 'bare') {
					expect((await collect(json)).json).toMatchObject([pending, pending]);
				}
				service().variants.jobPolls = 0;
				const collected = await collect(json);
				expect(collected.json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
				expectPaidOnce(service(), findBulk, wanted);
			},
		);
	},
);

test.each(['bare', 'results'])(
	'a run waits for the rest of a job that shows some rows, under %s',
	async (jobResultShape) => {
		const progress = { jobProgress: 'some', jobPolls: 1 };
		Object.assign(service().variants, { bulkAnswer: 'job', jobResultShape, ...progress });
		const wanted = numbers(130);
		const { json } = await runBulk(findBulk, service(), wanted.map(leadOf));
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expectPaidOnce(service(), findBulk, wanted);
	},
);

describe.each(bulks)('an answer of $operation that lacks a row, with Retry On Fail', (bulk) => {
	const serve = useServer();

	/** The service, where the rows of the first answer are changed on their way. */
	async function behind(serviceUrl: string, change: (rows: unknown[]) => unknown[]) {
		let isFirst = true;
		return await serve(async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(Buffer.from(chunk));
			const { 'x-access-key': key = '', accept = '' } = request.headers;
			const answer = await fetch(`${serviceUrl}${request.url}`, {
				method: request.method,
				headers: {
					'x-access-key': String(key),
					accept,
					...(chunks.length > 0 && { 'content-type': 'application/json' }),
				},
				body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
			});
			const body: unknown = await answer.json();
			const rows = isFirst && Array.isArray(body) ? change(body) : body;
			isFirst = false;
			response.writeHead(answer.status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(rows));
		});
	}

	const wanted = numbers(2 * bulk.perRequest);
	/** The last row of a request: the one that is left out. */
	const lacking = bulk.perRequest - 1;
	const others = wanted.filter((number) => number !== lacking);

	const ways = [
		{ bulkAnswer: 'rows', jobResultShape: 'bare', asksAgain: [1] },
		{ bulkAnswer: 'job', jobResultShape: 'results', asksAgain: [1] },
		// Without a status a job is not finished before all rows are there: it is collected again.
		{ bulkAnswer: 'job', jobResultShape: 'bare', asksAgain: [] },
	];

	test.each(ways.filter(({ bulkAnswer }) => bulkAnswer === 'rows' || bulk === findBulk))(
		'as $bulkAnswer, $jobResultShape: what was answered is not paid again',
		async ({ asksAgain, ...variants }) => {
			Object.assign(service().variants, { ...variants, jobPolls: 0 });
			service().faults.add({
				rows: 'missing',
				on: {
					operation: variants.bulkAnswer === 'job' ? 'getBulkJob' : bulk.operation,
					times: 1,
				},
			});
			const { json, error } = await runBulk(bulk, service(), wanted.map(bulk.item), {
				options: { incompleteRun: 'fail', maxConcurrency: 1, jobTimeout: 0 },
				retryOnFail: true,
				maxTries: 2,
			});
			expect(error).toBeUndefined();
			expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
			const asked = requestsOf(service(), bulk.operation);
			expect(asked.map((request) => bulk.asked(request, service()))).toEqual([
				bulk.perRequest,
				bulk.perRequest,
				...asksAgain,
			]);
			const paid = service().ledger.bySubject();
			for (const number of others) {
				const subject = bulk.subject(number);
				if (subject !== null) expect(paid.get(subject)).toBe(1);
			}
		},
	);

	test.each([
		['nothing', null],
		['a text', 'lost'],
		['an empty row', {}],
	])('with %s in place of the row: that one alone is asked for again', async (_, instead) => {
		const baseUrl = await behind(service().baseUrl, (rows) => [...rows.slice(0, -1), instead]);
		const { json, error } = await runBulk(bulk, service(), wanted.map(bulk.item), {
			credential: { ...credentialFor(service()), baseUrl },
			options: { incompleteRun: 'fail', maxConcurrency: 1 },
			retryOnFail: true,
			maxTries: 2,
		});
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		const asked = requestsOf(service(), bulk.operation);
		expect(asked.map((request) => bulk.asked(request, service()))).toEqual([
			bulk.perRequest,
			bulk.perRequest,
			1,
		]);
	});

	test('within Max Credits, which the row left out counts against', async () => {
		service().faults.add({ rows: 'missing', on: { where: asksFor(lacking), times: 1 } });
		const { json } = await runBulk(bulk, service(), wanted.map(bulk.item), {
			options: { maxConcurrency: 1, maxCredits: wanted.length },
			retryOnFail: true,
			maxTries: 2,
		});
		expect(json[lacking]).toMatchObject({ status: 'failed', reason: 'unexpected_answer' });
		expect(service().ledger.total()).toBeLessThanOrEqual(wanted.length);
		expectPaidOnce(service(), bulk, wanted);
	});
});

describe('pages of company leads', () => {
	const serve = useServer();

	const lead = (name: string) => ({ full_name: name, position: {}, email: '' });
	const company = { name: 'Acme', domain: 'acme.example' };

	/** The company as the pages name it, one after the other. */
	async function leadsWith(...companies: Array<object | null | undefined>) {
		const baseUrl = await serve((request, response) => {
			const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('nextId') ?? 0);
			const isLast = page === companies.length - 1;
			const body = {
				meta: { total_all: companies.length, ...(!isLast && { next_results_id: `${page + 1}` }) },
				...(companies[page] !== undefined && { company: companies[page] }),
				results: [lead(`Ann ${page}`)],
			};
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		const { json } = await runNode({
			node: 'contactDataCompany',
			parameters: { operation: 'getLeads', companyWebsite: 'acme.example', returnAll: true },
			credential: { baseUrl, apiKey: 'test-key' },
		});
		return json.map(({ fullName, companyName, companyDomain }) => [
			fullName,
			companyName,
			companyDomain,
		]);
	}

	test.each([
		['the last', [company, company, undefined]],
		['the last, which has an empty one,', [company, company, {}]],
		['the last, which has none,', [company, company, null]],
		['the first', [undefined, company, company]],
		['all but one', [{}, company, undefined]],
	])('where %s does not name the company: all leads have it', async (_, companies) => {
		expect(await leadsWith(...companies)).toEqual(
			companies.map((__, page) => [`Ann ${page}`, company.name, company.domain]),
		);
	});
});

describe('a job in words of its own', () => {
	useQuickClock();
	const server = useServer();
	let keys = 0;
	const leads = numbers(10).map(leadOf);

	/** Shows these rows while it is at work, then an email for everybody; and what it was asked. */
	async function jobOf(status: string, shown: (row: IDataObject) => unknown) {
		const seen = { submitted: 0, charged: 0, polls: 0 };
		let rows: IDataObject[] = [];
		const baseUrl = await server(async (request, response) => {
			if (request.method === 'POST') {
				rows = JSON.parse((await request.toArray()).join(''));
				seen.submitted++;
				seen.charged += rows.length;
				const job = { id: 7, status, total: rows.length, results: rows.map(shown) };
				return giveJson(response, job, 202);
			}
			seen.polls++;
			const found = (tId: unknown) => ({
				tId,
				email: `p${tId}@x.example`,
				quality: { status: 'valid' },
			});
			giveJson(response, {
				id: 7,
				status: 'completed',
				results: rows.map(({ tId }) => found(tId)),
			});
		});
		return { seen, credential: { baseUrl, apiKey: `own-words-${++keys}` } };
	}

	const withoutEmail = (row: IDataObject) => ({ ...row, email: null });
	const others = ['in queue', 'active', 'verifying', 'in-progress (40%)', 'not_ready', 'odd'];

	test.each([
		{ status: 'processing', rows: 'nulls', shown: () => null },
		{ status: 'processing', rows: 'texts', shown: () => 'queued' },
		...others.map((status) => ({ status, rows: 'rows without an email', shown: withoutEmail })),
	])('$status, with $rows: it is waited for, and paid once', async ({ status, shown }) => {
		const { seen, credential } = await jobOf(status, shown);
		const { json } = await runNode({
			node: findBulk.node,
			parameters: findBulk.parameters,
			items: leads,
			credential,
			retryOnFail: true,
			maxTries: 3,
		});
		expect(json.map((item) => item.status)).toEqual(leads.map(() => 'found'));
		expect(seen).toEqual({ submitted: 1, charged: leads.length, polls: 1 });
	});

	const foundRow = ({ tId, ...row }: IDataObject) => ({
		...row,
		tId,
		email: `p${tId}@x.example`,
		quality: { status: 'valid' },
	});

	/** A server that shows the same job each time. */
	const jobThatSays = async (status: string, results: unknown[]) =>
		await server((request, response) => {
			const code = request.method === 'POST' ? 202 : 200;
			giveJson(response, { id: 7, status, total: results.length, results }, code);
		});

	const allFound = leads.map((lead, index) => foundRow({ ...lead, tId: index + 1 }));

	test.each(['Processing complete', 'partially_completed', 'closed'])(
		'%s, with all rows, and they stay the same: it is done',
		async (status) => {
			const baseUrl = await jobThatSays(status, allFound);
			const credential = { baseUrl, apiKey: `own-words-${++keys}` };
			const parameters = { ...findBulk.parameters, options: { jobTimeout: 5 } };
			const all = { node: findBulk.node, parameters, items: leads, credential };
			const { json } = await runNode(all);
			expect(json.map((item) => item.status)).toEqual(leads.map(() => 'found'));

			const ofJob = { operation: 'getBulkJob', jobId: '7' };
			const collected = await runNode({ node: findBulk.node, parameters: ofJob, credential });
			expect(collected.json.map((item) => item.status)).toEqual(leads.map(() => 'found'));
		},
	);

	test.each(['completing', 'partially_completed', 'suspended', 'processing (2 of 3 done)'])(
		'%s, with an email for some so far: Get Bulk Job says pending, Max Credits holds',
		async (status) => {
			const jobs: IDataObject[][] = [];
			const polls: number[] = [];
			const baseUrl = await server(async (request, response) => {
				if (request.method === 'POST') {
					const people: IDataObject[] = JSON.parse((await request.toArray()).join(''));
					jobs.push(people);
					return giveJson(response, { id: jobs.length, status: 'processing' }, 202);
				}
				const id = Number(request.url?.split('/').at(-1));
				polls[id] = (polls[id] ?? 0) + 1;
				const people = jobs[id - 1] ?? [];
				const isDone = polls[id] > 1;
				const results = people.map((row, index) =>
					isDone || index < 2 ? foundRow(row) : withoutEmail(row),
				);
				giveJson(response, { id, status: isDone ? 'completed' : status, results });
			});
			const { json } = await runNode({
				node: findBulk.node,
				parameters: { ...findBulk.parameters, options: { maxCredits: 3 } },
				items: leads.slice(0, 5),
				credential: { baseUrl, apiKey: `own-words-${++keys}` },
			});
			expect(jobs.map(({ length }) => length)).toEqual([3]);
			expect(json.map((item) => item.reason ?? item.status)).toEqual([
				...['found', 'found', 'found'],
				...['credit_limit', 'credit_limit'],
			]);
		},
	);

	test('failed, with rows for everybody: those without an email were not looked up', async () => {
		const results = allFound.map((row, index) => (index === 0 ? row : withoutEmail(row)));
		for (const rows of [results, results.map(withoutEmail)]) {
			const baseUrl = await jobThatSays('failed', rows);
			const { json } = await runNode({
				node: findBulk.node,
				parameters: findBulk.parameters,
				items: leads,
				onError: 'continueRegularOutput',
				credential: { baseUrl, apiKey: `own-words-${++keys}` },
			});
			expect(json.map((item) => item.status)).toEqual(
				rows.map(({ email }) => (email === null ? 'failed' : 'found')),
			);
		}
	});

	test.each(['processing_emails', '50%', 'open', 'step 2 of 3'])(
		'%s, with an email for one so far: it is waited for',
		async (status) => {
			const { seen, credential } = await jobOf(status, (row) =>
				row.tId === 1 ? foundRow(row) : withoutEmail(row),
			);
			const { json } = await runNode({
				node: findBulk.node,
				parameters: findBulk.parameters,
				items: leads,
				credential,
			});
			expect(json.map((item) => item.status)).toEqual(leads.map(() => 'found'));
			expect(seen).toMatchObject({ submitted: 1, polls: 1 });
		},
	);

	test.each([
		['nulls', [null]],
		['nobody', []],
	])('Get Bulk Job: processing, with %s', async (_, results) => {
		const baseUrl = await server((__, response) =>
			giveJson(response, { id: 7, status: 'processing', total: results.length, results }),
		);
		const { json } = await runNode({
			node: findBulk.node,
			parameters: { operation: 'getBulkJob', jobId: '7' },
			credential: { baseUrl, apiKey: 'own-words' },
		});
		expect(json).toMatchObject([{ status: 'pending', jobId: '7' }]);
	});
});

describe('verifications of emails that are nearly the same', () => {
	const server = useServer();

	test.each([
		['ada@exämple.com', 'ada@exämple.com?subject=hi'],
		['ada@exämple.com/a', 'ada@exämple.com/b'],
		['ada@exämple.com', 'ada@exämple.com:80'],
		['eve@example.com', 'eve@\uff45xample.com'],
		['jos\u00e9@example.com', 'jose\u0301@example.com'],
	])('%s and %s: each item has its own', async (...pair) => {
		for (const emails of [pair, pair.toReversed()]) {
			const baseUrl = await server((request, response) =>
				giveJson(
					response,
					queryOf(request)
						.getAll('email')
						.map((email) => ({ email, email_status: email === pair[0] ? 'valid' : 'invalid' })),
				),
			);
			const { json } = await runNode({
				node: verifyBulk.node,
				parameters: verifyBulk.parameters,
				items: emails.map((email) => ({ email })),
				credential: { baseUrl, apiKey: 'nearly-the-same' },
			});
			expect(json.map(({ emailStatus }) => emailStatus)).toEqual(
				emails.map((email) => (email === pair[0] ? 'valid' : 'invalid')),
			);
		}
	});

	test.each([
		['x@b\u00fccher.example', 'x@xn--bcher-kva.example'],
		['jose\u0301@x.example', 'jos\u00e9@x.example'],
	])('of %s and %s come back in the form of the second: both have one', async (...pair) => {
		const baseUrl = await server((request, response) =>
			giveJson(
				response,
				queryOf(request)
					.getAll('email')
					.map(() => ({ email: pair[1], email_status: 'valid' })),
			),
		);
		const { json } = await runNode({
			node: verifyBulk.node,
			parameters: verifyBulk.parameters,
			items: pair.map((email) => ({ email })),
			credential: { baseUrl, apiKey: 'one-form' },
		});
		expect(json.map(({ status }) => status)).toEqual(['verified', 'verified']);
	});

	test.each([
		['ada@acme.example', 'ada@acme\u00ad.example'],
		['ada@acme.example', 'ada@\uff41cme.example'],
		['ada@\u00fca.example', 'ada@\u00fc%61.example'],
	])('of %s and %s the service leaves one out: it has none', async (answered, leftOut) => {
		const baseUrl = await server((request, response) =>
			giveJson(
				response,
				queryOf(request)
					.getAll('email')
					.filter((email) => email === answered)
					.map((email) => ({ email, email_status: 'valid' })),
			),
		);
		const { json } = await runNode({
			node: verifyBulk.node,
			parameters: verifyBulk.parameters,
			items: [{ email: answered }, { email: leftOut }],
			onError: 'continueRegularOutput',
			credential: { baseUrl, apiKey: 'left-out' },
		});
		expect(json.map(({ status }) => status)).toEqual(['verified', 'failed']);
	});
});
