/** @file What an answer of the bulk finder says: a job that goes on, one that is done, or one that failed. */

import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { collectPeople, jobIn, jobReader } from '../../nodes/Finder/bulk.ts';
import type { LookupService } from '../../nodes/shared/lookups/lookup.ts';
import { JobFailed, JobPending, problemOf } from '../../nodes/shared/output/problem.ts';
import { INTERFACE_DEFAULTS } from '../../nodes/shared/http/connection.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { NotProcessed, ServiceError } from '../../nodes/shared/http/errors.ts';
import { detailsOf, rejectionOf, thrownBy } from './thrown.mts';

const [one, two] = [
	{ tId: 1, email: 'ada@acme.com' },
	{ tId: 2, email: null },
];

describe('jobIn', () => {
	it.each([
		['a bare list', [one, two]],
		['an object with results', { results: [one, two] }],
		['an object with people', { people: [one, two] }],
		['an object with data', { data: [one, two] }],
		['an object with rows', { rows: [one, two] }],
	])('takes %s of all rows for done', (_, answer) => {
		expect(jobIn(answer, 2)).toEqual({ jobId: undefined, rows: [one, two], isDone: true });
	});

	it.each(['processed', 'Finished', 'done', 'READY'])(
		'takes all rows for done where it says %j',
		(status) => {
			expect(jobIn({ id: 12, status, results: [one, two] }, 2).isDone).toBe(true);
			expect(jobIn({ id: 12, status, total: 2, results: [one, two] }).isDone).toBe(true);
		},
	);

	it.each([
		'odd',
		'closed',
		'Processing complete',
		'partially_completed',
		'processing (2 of 3 done)',
		'not ready',
	])('leaves open whether it is done where it says %j, and all rows are there', (status) => {
		const results = [one, two];
		const { isDone, isLikelyDone } = jobIn({ id: 12, status, results }, 2);
		expect([isDone, isLikelyDone]).toEqual([false, true]);
		expect(jobIn({ id: 12, status, results }, 3).isLikelyDone).toBe(false);
		// Rows may be there before anybody was looked for.
		expect(jobIn({ id: 12, status, results: [two, { tId: 1 }] }, 2).isLikelyDone).toBe(false);
	});

	it('takes those of a failed job who were not found for nobody', () => {
		const job = jobIn({ id: 12, status: 'failed', results: [one, two] }, 2);
		expect(job).toMatchObject({ rows: [one], isDone: true });
		const nobody = thrownBy(() => jobIn({ id: 12, status: 'failed', results: [two] }, 2));
		expect(nobody).toBeInstanceOf(JobFailed);
	});

	it('does not take rows for all of them where nobody knows how many there are', () => {
		expect(jobIn({ id: 12, status: 'odd', results: [one] }).isDone).toBe(false);
	});

	it.each([
		['that says processing', { id: 12, status: 'processing' }],
		['that says processing and shows no rows', { id: 12, status: 'processing', results: [] }],
		['that says processing and shows some', { id: 12, status: 'processing', results: [one] }],
		['that says processing and shows all', { id: 12, status: 'processing', results: [one, two] }],
		['that is queued', { id: 12, status: 'queued', results: [one, two] }],
		['that is in progress', { id: 12, status: 'in_progress', results: [one, two] }],
		['with a status nobody knows and some rows', { id: 12, status: 'odd', results: [one] }],
		['that is incomplete', { id: 12, status: 'incomplete', results: [one] }],
		['that is unfinished', { id: 12, status: 'unfinished', results: [one] }],
		['that has already begun', { id: 12, status: 'already started', results: [one] }],
		['in any letter case', { id: 12, status: 'PROCESSING', results: [one, two] }],
		['without a status that shows some rows', { id: 12, results: [one] }],
		['without a status that shows no rows', { id: 12, results: [] }],
		['without a status and without rows', { id: 12, total: 2 }],
	])('takes a job %s for one that goes on', (_, answer) => {
		const { jobId, isDone } = jobIn(answer, 2);
		expect([jobId, isDone]).toEqual(['12', false]);
	});

	it.each([
		['done', { id: 12, status: 'done', results: [one, two] }],
		['done with some rows', { id: 12, status: 'done', results: [one] }],
		['done without rows', { id: 12, status: 'done', results: [] }],
		['done in another word', { id: 12, status: 'Completed', results: [one] }],
		['finished', { id: 12, status: 'FINISHED', results: [one] }],
		['a success', { id: 12, status: 'Succeeded', results: [one] }],
		['ready', { id: 12, status: 'READY', results: [one] }],
		['done without a list', { id: 12, status: 'success' }],
		['without a status, and all rows are there', { id: 12, results: [two, one] }],
		['without a status, and the ids are texts', { id: 12, data: [{ tId: '2' }, { tId: '1' }] }],
		['without a status, with other rows', { id: 12, rows: [one, { tId: 7 }, two, one] }],
	])('takes a job that is %s for done', (_, answer) => {
		const { jobId, isDone } = jobIn(answer, 2);
		expect([jobId, isDone]).toEqual(['12', true]);
	});

	it('does not count rows: one that is there twice stands for no other', () => {
		expect(jobIn({ id: 12, results: [one, one] }, 2).isDone).toBe(false);
		expect(jobIn([one, one], 2).isDone).toBe(false);
	});

	it('wants the row of each person, not just as many', () => {
		expect(jobIn({ id: 12, results: [one, { tId: 7 }] }, 2).isDone).toBe(false);
	});

	it('does not take what shows nothing for done', () => {
		expect(jobIn({ id: 12, results: [] }).isDone).toBe(false);
		expect(jobIn({ id: 12, total: 0 }).isDone).toBe(false);
	});

	it('reads a job that has no name', () => {
		const job = { jobId: undefined, rows: [] };
		expect(jobIn({ status: 'processing' }, 2)).toEqual({ ...job, isDone: false });
		const failed = { status: 'failed', results: [one] };
		expect(jobIn(failed, 2)).toEqual({ ...job, rows: [one], isDone: true });
	});

	it('fails for what failed without rows, though no job is named', () => {
		const thrown = thrownBy(() => jobIn({ status: 'failed' }));
		expect(detailsOf(thrown)).toMatchObject({
			reason: 'job_failed',
			message: 'The bulk job ended with the status "failed"',
		});
	});

	it.each([2 ** 31, 1e15, Number.MAX_VALUE])('does not count up to %d people', (total) => {
		expect(jobIn({ id: 12, total, results: [one] }).isDone).toBe(false);
	});

	it.each([
		['failed'],
		['FAILURE'],
		['error'],
		['cancelled'],
		['canceled'],
		['rejected'],
		['expired'],
	])('takes a job that says %s for failed, with the rows that it has', (status) => {
		expect(jobIn({ id: 12, status, results: [one] }, 2)).toEqual({
			jobId: '12',
			rows: [one],
			isDone: true,
		});
		expect(problemOf(thrownBy(() => jobIn({ id: 12, status }, 2)))).toMatchObject({
			message: `The bulk job 12 ended with the status "${status}"`,
		});
	});

	it('takes what shows rows for done, where nobody knows how many there are to be', () => {
		expect(jobIn({ id: 12, results: [one] })).toMatchObject({ isDone: true });
		expect(jobIn({ id: 12, status: 'processing', results: [one] })).toMatchObject({
			isDone: false,
		});
	});

	it.each([
		['no object of a job', {}],
		['something else', { message: 'ok' }],
		['rows that are none', { results: ['ada@acme.com'] }],
		['a list of something else', [1, 2]],
	])('does not take %s for an answer', (_, answer) => {
		expect(detailsOf(thrownBy(() => jobIn(answer, 2)))).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without rows',
		});
	});
});

function refusal(statusCode: number): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body: {} }));
}

/** A service that answers as told, one answer per request, and notes when and what it was asked. */
function serviceWith(answers: unknown[], jobTimeout = 60_000) {
	const asked: Array<{ at: number; url?: string; qs?: unknown }> = [];
	const begun = Date.now();
	const service: LookupService = {
		settings: INTERFACE_DEFAULTS,
		asReceived: (text) => text,
		ask: async () => await Promise.reject(new TypeError('It costs')),
		async collect({ url, qs }) {
			asked.push({ at: Date.now() - begun, url, qs });
			const answer = answers[Math.min(asked.length, answers.length) - 1];
			if (answer instanceof Error || typeof answer !== 'object' || answer === null) throw answer;
			return answer;
		},
		sleep: async (milliseconds) => await new Promise((wake) => setTimeout(wake, milliseconds)),
		jobTimeout,
	};
	const get = async (qs: IDataObject, url: string) => await service.collect({ url, qs });
	return { service, get, asked };
}

const processing = { id: 12, status: 'processing', results: [one] };
const done = { id: 12, status: 'done', results: [one, two] };

describe('jobReader', () => {
	const readJob = async (...job: Parameters<typeof jobReader>) => await jobReader(...job)();

	it('asks for the job by its path', async () => {
		const { get, asked } = serviceWith([done]);
		expect(await readJob('a/b?', get, 2)).toEqual({
			jobId: 'a/b?',
			rows: [one, two],
			isDone: true,
		});
		expect(asked).toMatchObject([{ url: '/api/v2/find_bulk/a%2Fb%3F', qs: {} }]);
	});

	it.each([['1.'], ['.1'], ['1.2']])('asks for %j by its path as well', async (id) => {
		const { get, asked } = serviceWith([done]);
		await readJob(id, get, 2);
		expect(asked).toMatchObject([{ url: `/api/v2/find_bulk/${id}` }]);
	});

	it.each([[404], [405]])('asks for it by a parameter where the path gives a %i', async (code) => {
		const { get, asked } = serviceWith([refusal(code), done]);
		expect(await readJob('12', get, 2)).toMatchObject({ isDone: true });
		expect(asked[1]).toMatchObject({ url: '/api/v2/find_bulk', qs: { id: '12' } });
	});

	it.each([['.'], ['..']])(
		'asks for %j by the parameter: as a path it would lead elsewhere',
		async (id) => {
			const { get, asked } = serviceWith([done]);
			expect(await readJob(id, get, 2)).toMatchObject({ jobId: id, isDone: true });
			expect(asked).toMatchObject([{ url: '/api/v2/find_bulk', qs: { id } }]);
		},
	);

	it('takes what it shows for all where nobody knows how many rows there are', async () => {
		const { get } = serviceWith([{ id: 12, results: [one] }]);
		expect(await readJob('12', get)).toMatchObject({ rows: [one], isDone: true });
	});

	it.each([[401], [403], [500]])('does not go on asking after a %i', async (code) => {
		const { get, asked } = serviceWith([refusal(code), done]);
		expect(detailsOf(await rejectionOf(readJob('12', get, 2))).httpCode).toBe(code);
		expect(asked).toHaveLength(1);
	});

	it('fails for a job that failed without rows, and names it', async () => {
		const { get } = serviceWith([{ id: 12, status: 'failed', results: [] }]);
		const thrown = await rejectionOf(readJob('12', get, 2));
		expect(thrown).toBeInstanceOf(JobFailed);
		expect(problemOf(thrown)).toEqual({
			status: 'failed',
			reason: 'job_failed',
			message: 'The bulk job 12 ended with the status "failed"',
			description: 'Run these items again.',
			httpCode: null,
			jobId: '12',
		});
	});

	it('gives the rows of a job that failed with some', async () => {
		const { get } = serviceWith([{ id: 12, status: 'failed', results: [one] }]);
		expect(await readJob('12', get, 2)).toMatchObject({ rows: [one], isDone: true });
	});
});

describe('collectPeople', () => {
	beforeEach(() => {
		vi.useFakeTimers();
	});

	afterEach(() => {
		vi.useRealTimers();
	});

	/** What becomes of the wait, after all its time. */
	async function waited(answers: unknown[], jobTimeout?: number) {
		const { service, asked } = serviceWith(answers, jobTimeout);
		const waiting = collectPeople('12', 2, service).then(
			(job) => ({ job, thrown: undefined }),
			(thrown: unknown) => ({ job: undefined, thrown }),
		);
		await vi.advanceTimersByTimeAsync(3_600_000);
		const urls = [...new Set(asked.map(({ url }) => url))];
		return { ...(await waiting), at: asked.map(({ at }) => at), urls };
	}

	it('polls after a second and then ever more seldom, until the job is done', async () => {
		const { job, at, urls } = await waited([processing, processing, processing, done]);
		expect(job?.results).toEqual([[one], []]);
		expect(urls).toEqual(['/api/v2/find_bulk/12']);
		expect(at).toEqual([1_000, 2_500, 4_750, 8_125]);
	});

	it('never waits longer than 15 seconds between two polls', async () => {
		const { at } = await waited([processing], 600_000);
		const waits = at.slice(1).map((now, index) => now - at[index]);
		expect(Math.max(...waits)).toBe(15_000);
		expect(at.at(-1)).toBe(600_000);
	});

	it.each([
		['goes on', processing],
		['shows all rows, but goes on', { ...processing, results: [one, two] }],
	])('gives up a job that %s when its time is over, after a last look', async (_, answer) => {
		const { thrown, at } = await waited([answer], 5_000);
		expect(thrown).toBeInstanceOf(JobPending);
		expect(thrown).toMatchObject({ jobId: '12' });
		expect(at).toEqual([1_000, 2_500, 4_750, 5_000]);
	});

	it('takes a job in words of its own for done once its rows stayed the same for a minute', async () => {
		const odd = { id: 12, status: 'odd', results: [one, two] };
		const later = { ...odd, results: [one, { ...two, email: 'ida@acme.com' }] };
		const { job, at } = await waited([odd, odd, odd, later], 600_000);
		expect(job?.results).toEqual([[one], [later.results[1]]]);
		expect((at.at(-1) ?? 0) - at[3]).toBeGreaterThanOrEqual(60_000);
		expect((at.at(-2) ?? 0) - at[3]).toBeLessThan(60_000);
	});

	it('looks once where it is given no time', async () => {
		expect((await waited([done], 0)).job?.results).toEqual([[one], []]);
		const { thrown, at } = await waited([processing], 0);
		expect([thrown instanceof JobPending, at]).toEqual([true, [0]]);
	});

	it('does not sleep where it is given no time', async () => {
		const { service } = serviceWith([processing], 0);
		const sleep = vi.fn(async () => {});
		await rejectionOf(collectPeople('12', 2, { ...service, sleep }));
		expect(sleep).not.toHaveBeenCalled();
	});

	it.each([[429], [500], [503]])('goes on after a %i', async (code) => {
		const { job } = await waited([refusal(code), processing, refusal(code), done]);
		expect(job?.results).toEqual([[one], []]);
	});

	it.each([
		['a 401', refusal(401)],
		['a 404', refusal(404)],
		['an answer that says nothing', {}],
		['a run that is stopped', new NotProcessed('cancelled')],
		['a run that is over', new NotProcessed('stopped')],
	])('takes %s for what may come later: the job is not lost', async (_, answer) => {
		const { thrown } = await waited([answer]);
		expect(thrown).toBeInstanceOf(JobPending);
		expect(thrown).toMatchObject({ jobId: '12' });
	});

	it('fails with a job that failed', async () => {
		const { thrown } = await waited([processing, { id: 12, status: 'failed' }]);
		expect(thrown).toBeInstanceOf(JobFailed);
	});

	it('passes on what is a fault in the code', async () => {
		const fault = new TypeError('a fault in the code');
		expect((await waited([fault])).thrown).toBe(fault);
		expect(fault).not.toBeInstanceOf(ServiceError);
	});
});
