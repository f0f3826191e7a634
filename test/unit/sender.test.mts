/** @file Whatever becomes of the requests, every question is settled, and no credit is spent beside the cap. */

import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';

import { CreditBudget, type Reservation } from '../../nodes/shared/credits/budget.ts';
import { CreditCount, ExecutionCredits } from '../../nodes/shared/credits/ledger.ts';
import type { Answers, Lookup, LookupService } from '../../nodes/shared/lookups/lookup.ts';
import { Places } from '../../nodes/shared/lookups/pool.ts';
import { Sender } from '../../nodes/shared/lookups/batcher.ts';
import { JobFailed, JobPending } from '../../nodes/shared/output/problem.ts';
import { OpenQuestion, type Settled } from '../../nodes/shared/execution/answers.ts';
import type { JobOfExecution, JobsOfExecution } from '../../nodes/shared/execution/execution.ts';
import { connectionOf, INTERFACE_DEFAULTS } from '../../nodes/shared/http/connection.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { NotProcessed, ServiceError } from '../../nodes/shared/http/errors.ts';
import { purseOf } from '../support/purse.mts';
import { thrownBy } from './thrown.mts';

const NO_CAP = Number.POSITIVE_INFINITY;

interface Query extends IDataObject {
	id: string;
}

/** How the service answers a request for these questions. */
type Ask = (ids: string[], reservation: Reservation | undefined) => Answers | Promise<Answers>;

function refusal(statusCode: number): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body: {} }));
}

/** Lets everything happen that does not wait for something else. */
async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

/** What a failure says. */
const text = { message: 'A', description: 'B' };

const found: Ask = (ids) => ({ results: ids.map((id) => [{ id }]) });

const connection = connectionOf({ baseUrl: 'https://api.example.com', apiKey: 'key' });

/** The answer to a question, and what it did cost who asked it. */
function answered(results: IDataObject[], credits: number | null): Settled {
	return { answer: { results, at: expect.any(Number) }, credits };
}

interface Test extends Partial<Lookup<Query>> {
	answer?: Ask;
	cap?: number;
	maxConcurrency?: number;
	jobs?: JobsOfExecution;
	places?: Places;
}

/** A sender, with a note of what it sent and what its questions came to. */
function senderWith({
	answer = found,
	cap = NO_CAP,
	maxConcurrency = 2,
	jobs,
	places = new Places(maxConcurrency),
	...own
}: Test = {}) {
	const sent: string[][] = [];
	const told = new Map<string, Settled[]>();
	const jobsOfRun: JobsOfExecution = jobs ?? new Map();
	const execution = new ExecutionCredits(new CreditCount({}, '1'), undefined, () => {});
	const budget = new CreditBudget(new CreditCount({}, '1'), execution, 'Find');
	const costs: Array<[job: JobOfExecution, spent: number, uncertain: number]> = [];
	const notHere = async () => await Promise.reject(new TypeError('Not here'));
	const reservations = new WeakMap<LookupService, Reservation>();
	const lookup: Lookup<Query> = {
		option: { name: 'Find', value: 'find' },
		fields: [],
		answered: 'found',
		kind: 'find',
		perRequest: 3,
		prepare: () => ({ query: { id: '' } }),
		ask: async (queries, service) => {
			const reservation = reservations.get(service);
			const ids = queries.map(({ id }) => id);
			sent.push(ids);
			reservation?.sent();
			await settled();
			return await answer(ids, reservation);
		},
		simplify: (result) => result,
		...own,
	};
	const sender = new Sender<Query>({
		lookup,
		connection,
		service(reservation) {
			const service: LookupService = {
				settings: INTERFACE_DEFAULTS,
				asReceived: (text) => text,
				ask: notHere,
				askOne: notHere,
				collect: notHere,
				sleep: async () => {},
				jobTimeout: 0,
			};
			if (reservation) reservations.set(service, reservation);
			return service;
		},
		budget,
		purse: async () => purseOf(cap),
		jobs: jobsOfRun,
		origin: { node: 'Find', executionId: '7' },
		settleJob: (...cost) => costs.push(cost),
		places,
	});
	const add = (...ids: string[]) => {
		for (const id of ids) {
			const log: Settled[] = [];
			told.set(id, log);
			const question = new OpenQuestion((outcome) => log.push(outcome));
			sender.add({ key: id, query: { id }, question });
		}
	};
	/** What became of a question, which is settled once. */
	const outcomeOf = (id: string): Settled => {
		const log = told.get(id) ?? [];
		expect(log, id).toHaveLength(1);
		return log[0];
	};
	const reasonOf = (id: string) => {
		const outcome = outcomeOf(id);
		return 'error' in outcome ? outcome.error : undefined;
	};
	return { sender, add, sent, told, outcomeOf, reasonOf, jobs: jobsOfRun, budget, costs };
}

describe('Sender', () => {
	it('sends a request as soon as it is full, and the rest at the end', async () => {
		const { sender, add, sent, outcomeOf } = senderWith();
		add('a', 'b');
		await settled();
		expect(sent).toEqual([]);
		add('c', 'd');
		// On a busy machine the sender takes a breath first.
		await vi.waitFor(() => expect(sent).toEqual([['a', 'b', 'c']]));
		await settled();
		expect(sent).toHaveLength(1);
		await sender.finish();
		expect(sent).toEqual([['a', 'b', 'c'], ['d']]);
		for (const id of ['a', 'b', 'c', 'd']) expect(outcomeOf(id)).toEqual(answered([{ id }], 1));
	});

	it('sends the next request before it settles what the last one brought', async () => {
		const settledBefore = new Map<string, number | undefined>();
		const { sender, add, told } = senderWith({
			perRequest: 1,
			maxConcurrency: 1,
			async ask(queries) {
				settledBefore.set(queries[0].id, told.get('a')?.length);
				await settled();
				return { results: [[]] };
			},
		});
		add('a', 'b');
		await sender.finish();
		expect(settledBefore.get('b')).toBe(0);
	});

	it('says when the answer came', async () => {
		const { sender, add, outcomeOf } = senderWith();
		add('a');
		const before = Date.now();
		await sender.finish();
		const outcome = outcomeOf('a');
		const at = 'answer' in outcome ? outcome.answer.at : 0;
		expect(at).toBeGreaterThanOrEqual(before);
		expect(at).toBeLessThanOrEqual(Date.now());
	});

	it('sends no more in one request than fits', async () => {
		const { sender, add, sent } = senderWith({
			fitting: (queries) => queries.findIndex(({ id }) => id.startsWith('long')),
		});
		add('a', 'b', 'long c', 'long d', 'e');
		await sender.finish();
		// One is sent at least.
		expect(sent).toEqual([['a', 'b'], ['long c'], ['long d'], ['e']]);
	});

	it('has no more requests in progress than the run allows', async () => {
		let [inProgress, most] = [0, 0];
		const { sender, add } = senderWith({
			perRequest: 1,
			maxConcurrency: 3,
			async answer(ids, reservation) {
				most = Math.max(most, ++inProgress);
				await settled();
				inProgress--;
				return await found(ids, reservation);
			},
		});
		add(...Array.from({ length: 20 }, (_, index) => `id ${index}`));
		await sender.finish();
		expect(most).toBe(3);
	});

	it('waits for a place where others have taken all, each time anew', async () => {
		const places = new Places(1);
		const { add, sent, told } = senderWith({ places, perRequest: 1 });
		for (const id of ['a', 'b']) {
			expect(places.take()).toBe(true);
			add(id);
			await settled();
			expect(sent.flat()).not.toContain(id);
			places.free();
			await vi.waitFor(() => expect(told.get(id)).toHaveLength(1));
		}
		expect(sent).toEqual([['a'], ['b']]);
	});

	it('settles what the service leaves out, and counts it as charged', async () => {
		const { sender, add, reasonOf, outcomeOf, budget } = senderWith({
			answer: (ids) => ({ results: ids.map((id) => (id === 'b' ? undefined : [])) }),
		});
		add('a', 'b', 'c');
		await sender.finish();
		expect(outcomeOf('a')).toEqual(answered([], 0));
		expect(reasonOf('b')).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without a result for this item',
		});
		expect(outcomeOf('b').credits).toBeNull();
		expect(budget.spent).toBe(1);
	});

	it('names the job that left something out, and the row of it', async () => {
		const { sender, add, reasonOf, outcomeOf } = senderWith({
			answer: () => ({ results: [[]], jobId: '12' }),
		});
		add('a', 'b', 'c');
		await sender.finish();
		expect(outcomeOf('a')).toEqual(answered([], 0));
		for (const [id, jobRow] of [
			['b', 2],
			['c', 3],
		] as const) {
			expect(reasonOf(id)).toBeInstanceOf(JobFailed);
			expect(reasonOf(id)).toMatchObject({ jobId: '12', jobRow });
		}
	});

	it.each([
		['goes on', new JobPending('12'), null],
		['has failed', new JobFailed('12', new TypeError('fault')), 0],
	])('names the row of each question of a job that %s', async (_, error, credits) => {
		const { sender, add, reasonOf, outcomeOf } = senderWith({
			answer: () => Promise.reject(error),
		});
		const ids = ['a', 'b', 'c'];
		add(...ids);
		await sender.finish();
		ids.forEach((id, index) => {
			expect(reasonOf(id)).toBeInstanceOf(error.constructor);
			expect(reasonOf(id)).toMatchObject({ jobId: '12', jobRow: index + 1 });
			expect(outcomeOf(id).credits).toBe(credits);
		});
	});

	it.each([
		[
			'was sent and got no answer',
			new ServiceError('connection', { ...text, mayBeCharged: true }),
			null,
		],
		['ran into a fault in the code', new TypeError('fault'), null],
		['the service refused', refusal(403), 0],
		['was never sent', new NotProcessed('unauthorized'), 0],
	])('tells what a request did cost that %s', async (_, error, credits) => {
		const { sender, add, outcomeOf } = senderWith({ answer: () => Promise.reject(error) });
		add('a', 'b');
		await sender.finish();
		for (const id of ['a', 'b']) expect(outcomeOf(id)).toEqual({ error, credits });
	});

	it('does not say what an answer did cost that may have been charged twice', async () => {
		const { sender, add, outcomeOf, budget } = senderWith({
			perRequest: 1,
			async answer(ids, reservation) {
				if (ids[0] === 'twice') await reservation?.renew();
				reservation?.sent();
				return await found(ids, reservation);
			},
		});
		add('once', 'twice');
		await sender.finish();
		expect(outcomeOf('once')).toEqual(answered([{ id: 'once' }], 1));
		expect(outcomeOf('twice')).toEqual(answered([{ id: 'twice' }], null));
		expect(budget.spent).toBe(3);
	});

	it('stops at the cap, and sends as much as it allows', async () => {
		const { sender, add, sent, reasonOf, outcomeOf, budget } = senderWith({
			cap: 5,
			maxConcurrency: 1,
		});
		add('a', 'b', 'c', 'd', 'e', 'f', 'g');
		await sender.finish();
		expect(sent).toEqual([
			['a', 'b', 'c'],
			['d', 'e'],
		]);
		expect(budget.spent).toBe(5);
		for (const id of ['f', 'g']) {
			expect(reasonOf(id)).toMatchObject({ reason: 'credit_limit' });
			expect(outcomeOf(id).credits).toBe(0);
		}
	});

	it.each([[400], [413], [414], [422]])(
		'cuts a request in halves that is refused with %i, until the item stands alone',
		async (code) => {
			const { sender, add, sent, reasonOf, outcomeOf, budget } = senderWith({
				perRequest: 8,
				answer(ids, reservation) {
					if (ids.includes('d')) throw refusal(code);
					return found(ids, reservation);
				},
			});
			const ids = [...'abcdefgh'];
			add(...ids);
			await sender.finish();
			expect(reasonOf('d')).toMatchObject({ httpCode: code });
			expect(outcomeOf('d').credits).toBe(0);
			for (const id of ids) if (id !== 'd') expect(outcomeOf(id)).toEqual(answered([{ id }], 1));
			// 1 + 2 per halving.
			expect(sent).toHaveLength(7);
			expect(budget.spent).toBe(7);
		},
	);

	it.each([[401], [402], [403], [404], [409], [429], [503]])(
		'does not cut a request in halves that is refused with %i',
		async (code) => {
			const { sender, add, sent, reasonOf } = senderWith({
				answer: () => Promise.reject(refusal(code)),
			});
			add('a', 'b', 'c');
			await sender.finish();
			expect(sent).toHaveLength(1);
			for (const id of ['a', 'b', 'c']) expect(reasonOf(id)).toMatchObject({ httpCode: code });
		},
	);

	it('gives up cutting where the service refuses everything', async () => {
		const { sender, add, sent, told } = senderWith({
			perRequest: 100,
			answer: () => Promise.reject(refusal(400)),
		});
		add(...Array.from({ length: 2_000 }, (_, index) => `id ${index}`));
		await sender.finish();
		// Without an end to it there would be some 4,000 requests.
		expect(sent.length).toBeLessThan(600);
		expect([...told.values()].every((log) => log.length === 1)).toBe(true);
	});

	it('gives up cutting after a hundred items that were refused one by one, not before', async () => {
		const { sender, add, sent } = senderWith({
			perRequest: 4,
			maxConcurrency: 1,
			answer: () => Promise.reject(refusal(400)),
		});
		add(...Array.from({ length: 120 }, (_, index) => `id ${index}`));
		await sender.finish();
		// 25 times 4 items in 7 requests, then 5 times 4 items in 3.
		expect(sent).toHaveLength(25 * 7 + 5 * 3);
	});

	it('gives up what is refused one by one, however much', async () => {
		const { sender, add, sent, told } = senderWith({
			perRequest: 1,
			answer: () => Promise.reject(refusal(400)),
		});
		add(...Array.from({ length: 150 }, (_, index) => `id ${index}`));
		await sender.finish();
		expect(sent).toHaveLength(150);
		expect([...told.values()].every((log) => log.length === 1)).toBe(true);
	});

	it('looks once more, in halves, behind many that are refused', async () => {
		const { sender, add, sent, reasonOf, outcomeOf } = senderWith({
			perRequest: 100,
			answer(ids, reservation) {
				if (ids.some((id) => id.startsWith('bad'))) throw refusal(422);
				return found(ids, reservation);
			},
		});
		add(...Array.from({ length: 200 }, (_, index) => `bad ${index}`));
		const mixed = Array.from({ length: 100 }, (_, index) => (index === 80 ? 'bad' : `${index}`));
		add(...mixed);
		await sender.finish();
		expect(outcomeOf('3')).toEqual(answered([{ id: '3' }], 1));
		expect(outcomeOf('99')).toEqual(answered([{ id: '99' }], 1));
		expect(reasonOf('bad')).toMatchObject({ httpCode: 422 });
		expect(sent.length).toBeLessThan(300);
	});

	it.each([
		['a fault in the code of the lookup', { ask: () => Promise.reject(new TypeError('fault')) }],
		[
			'one that is thrown at once',
			{
				ask(): Promise<Answers> {
					throw new TypeError('fault');
				},
			},
		],
		['an answer that is none', { ask: async () => JSON.parse('{}') }],
	] satisfies Array<[string, Test]>)('settles every question after %s', async (_, own) => {
		const { sender, add, reasonOf } = senderWith(own);
		add('a', 'b', 'c', 'd');
		await sender.finish();
		for (const id of ['a', 'b', 'c', 'd']) expect(reasonOf(id)).toBeInstanceOf(TypeError);
	});

	it('settles every question when it gives up, and sends nothing more', async () => {
		const { sender, add, sent, outcomeOf } = senderWith({ maxConcurrency: 1 });
		add('a', 'b', 'c', 'd', 'e', 'f', 'g');
		await settled();
		const reason = new NotProcessed('stopped');
		await sender.giveUp(reason);
		expect(sent).toEqual([['a', 'b', 'c']]);
		for (const id of ['a', 'b', 'c']) expect(outcomeOf(id)).toEqual(answered([{ id }], 1));
		for (const id of ['d', 'e', 'f', 'g']) {
			expect(outcomeOf(id)).toEqual({ error: reason, credits: 0 });
		}
	});

	it('remembers a job that goes on, and collects it in a later run instead of paying', async () => {
		const first = senderWith({
			answer: (ids) => Promise.reject(new JobPending(`job of ${ids.join()}`)),
			collect: async () => ({ results: [] }),
		});
		first.add('a', 'b', 'c', 'd');
		await first.sender.finish();
		expect(first.reasonOf('a')).toBeInstanceOf(JobPending);
		expect([...first.jobs.keys()]).toEqual(['a', 'b', 'c', 'd']);
		expect(first.budget.spent).toBe(4);
		const [ofThree, ofOne] = [['a', 'b', 'c'], ['d']].map((questions) => ({
			id: `job of ${questions.join()}`,
			connection: connection.id,
			questions,
			credits: questions.length,
			node: 'Find',
			executionId: '7',
		}));
		expect([...first.jobs.values()].map(({ saved }) => saved)).toEqual([
			...[ofThree, ofThree, ofThree],
			ofOne,
		]);

		const asked: unknown[] = [];
		const second = senderWith({
			jobs: first.jobs,
			async collect(jobId, questions) {
				asked.push([jobId, questions]);
				return { results: [[{ id: 'first' }], [], undefined].slice(0, questions) };
			},
		});
		second.add('c', 'b', 'a', 'e');
		await second.sender.finish();
		// The answers are those of the questions of the job, in its order.
		expect(asked).toEqual([['job of a,b,c', 3]]);
		expect(second.outcomeOf('a')).toEqual(answered([{ id: 'first' }], 0));
		expect(second.outcomeOf('b')).toEqual(answered([], 0));
		expect(second.reasonOf('c')).toBeInstanceOf(JobFailed);
		expect(second.reasonOf('c')).toMatchObject({ jobId: 'job of a,b,c', jobRow: 3 });
		expect(second.outcomeOf('c').credits).toBe(0);
		expect(second.sent).toEqual([['e']]);
		expect(second.budget.spent).toBe(1);
		// It is forgotten now, the other one is not.
		expect([...second.jobs.keys()]).toEqual(['d']);
		// What it did cost is put right: one is paid, and one may be that the service left out.
		expect(second.costs).toEqual([[expect.objectContaining({ saved: ofThree }), 1, 1]]);
	});

	/** A job that an earlier run has left pending, by its questions. */
	function jobOf(questions: string[]) {
		const origin = { node: 'Other', executionId: '6' };
		const saved = { connection: connection.id, credits: questions.length, ...origin };
		const job: JobOfExecution = { saved: { id: '12', questions, ...saved } };
		return { job, jobs: new Map(questions.map((question) => [question, job] as const)) };
	}

	it('goes on remembering a job that is still not finished', async () => {
		const { job, jobs: left } = jobOf(['a', 'b', 'c']);
		const { sender, add, outcomeOf, reasonOf, jobs } = senderWith({
			jobs: left,
			collect: (jobId) => Promise.reject(new JobPending(jobId)),
		});
		add('c', 'b');
		await sender.finish();
		for (const [id, jobRow] of [
			['b', 2],
			['c', 3],
		] as const) {
			expect(reasonOf(id)).toBeInstanceOf(JobPending);
			// The rows are those of the job, whatever is asked of it, and in whatever order.
			expect(reasonOf(id)).toMatchObject({ jobId: '12', jobRow });
			expect(outcomeOf(id).credits).toBe(0);
		}
		expect([...jobs.entries()]).toEqual(['a', 'b', 'c'].map((id) => [id, job]));
	});

	it('tells whoever counted a job what all of it did cost, once it is done', async () => {
		const { job, jobs } = jobOf(['a', 'b', 'c', 'd']);
		const { sender, add, budget, costs } = senderWith({
			jobs,
			collect: async () => ({ results: [[{ id: 'a' }], [], [{ id: 'c' }], undefined] }),
		});
		add('b');
		await sender.finish();
		expect([costs, budget.spent]).toEqual([[[job, 2, 1]], 0]);
	});

	it('tells whoever counted a job that it did cost nothing, where it has failed', async () => {
		const { job, jobs } = jobOf(['a', 'b']);
		const { sender, add, costs } = senderWith({
			jobs,
			collect: (jobId) => Promise.reject(new JobFailed(jobId, new TypeError('fault'))),
		});
		add('a', 'b');
		await sender.finish();
		expect(costs).toEqual([[job, 0, 0]]);
		expect(jobs.size).toBe(0);
	});

	it('collects a job once, and not at all where it has given up', async () => {
		const reason = new NotProcessed('stopped');
		const collect = vi.fn(async () => ({ results: [[]] }));
		const finished = senderWith({ jobs: jobOf(['a']).jobs, collect });
		finished.add('a');
		const finishing = finished.sender.finish();
		// What is in progress is waited for.
		await finished.sender.giveUp(reason);
		await finishing;
		expect(finished.outcomeOf('a')).toEqual(answered([], 0));
		expect(collect).toHaveBeenCalledOnce();
		const stopped = senderWith({ jobs: jobOf(['a']).jobs, collect });
		stopped.add('a');
		await stopped.sender.giveUp(reason);
		expect(stopped.outcomeOf('a')).toEqual({ error: reason, credits: 0 });
		expect(collect).toHaveBeenCalledOnce();
	});

	it('tells whoever counted a job nothing where it is not done', async () => {
		const { jobs } = jobOf(['a']);
		const { sender, add, costs } = senderWith({
			jobs,
			collect: (jobId) => Promise.reject(new JobPending(jobId)),
		});
		add('a');
		await sender.finish();
		expect(costs).toEqual([]);
	});

	it('settles each question once, asks none twice that was answered, and keeps the cap', async () => {
		const fate = fc.constantFrom(
			'found',
			'missed',
			'left out',
			'refused',
			'unavailable',
			'lost',
			'pending',
			'fault',
		);
		const seen = { answered: 0, limited: 0, halved: 0, unknown: 0 };
		await fc.assert(
			fc.asyncProperty(
				fc.array(fate, { maxLength: 30 }),
				fc.integer({ min: 1, max: 7 }),
				fc.integer({ min: 1, max: 4 }),
				fc.option(fc.nat(20), { nil: NO_CAP }),
				async (fates, perRequest, maxConcurrency, cap) => {
					const fateOf = (id: string) => fates[Number(id)];
					const answered = new Set<string>();
					const broken: string[] = [];
					let charged = 0;
					let known = 0;
					const { sender, add, sent, told, reasonOf, budget } = senderWith({
						perRequest,
						maxConcurrency,
						cap,
						answer(ids, reservation) {
							if (ids.length > perRequest) broken.push('more than a request holds');
							if (reservation?.credits !== ids.length) broken.push('not what is reserved');
							if (ids.some((id) => answered.has(id))) broken.push('asked once more');
							// Whatever is first decides on the whole request.
							const whole = ids.map(fateOf);
							if (whole.includes('refused')) {
								seen.halved++;
								throw refusal(400);
							}
							if (whole.includes('unavailable')) throw refusal(503);
							if (whole.includes('lost')) {
								charged += ids.length;
								throw new ServiceError('connection', {
									...text,
									mayBeCharged: true,
								});
							}
							if (whole.includes('pending')) {
								charged += ids.length;
								throw new JobPending('12');
							}
							if (whole.includes('fault')) {
								charged += ids.length;
								throw new TypeError('fault');
							}
							for (const id of ids) answered.add(id);
							charged += whole.filter((one) => one !== 'missed').length;
							return {
								results: ids.map((id) =>
									fateOf(id) === 'found' ? [{ id }] : fateOf(id) === 'missed' ? [] : undefined,
								),
							};
						},
					});
					add(...fates.map((_, index) => String(index)));
					await sender.finish();
					expect(broken).toEqual([]);
					expect(told.size).toBe(fates.length);
					for (const [id, log] of told) {
						expect(log, `${id}: ${fateOf(id)}`).toHaveLength(1);
						const reason = reasonOf(id);
						if (reason instanceof NotProcessed) seen.limited++;
						else if (reason === undefined) seen.answered++;
						// What is told of the costs adds up, but for what nobody knows.
						const { credits } = log[0];
						if (credits === null) seen.unknown++;
						known += credits ?? 1;
						// A refusal concerns the refused alone.
						const isRefused = reason instanceof ServiceError && reason.httpCode === 400;
						if (isRefused) expect(fateOf(id)).toBe('refused');
					}
					expect(charged).toBeLessThanOrEqual(cap);
					expect(budget.spent).toBe(charged);
					expect(known).toBe(charged);
					expect(sent.flat().length).toBeGreaterThanOrEqual(answered.size);
				},
			),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
	});
});

describe('the key of a question', () => {
	const { sender } = senderWith();

	it('tells apart account, settings, kind and question, and nothing else', () => {
		const credentials: ICredentialDataDecryptedObject[] = [
			{ baseUrl: 'https://api.example.com', apiKey: 'key' },
			{ baseUrl: 'https://api.example.com', apiKey: 'other key' },
			{ baseUrl: 'https://other.example.com', apiKey: 'key' },
			{
				baseUrl: 'https://api.example.com',
				apiKey: 'key',
				customizeInterface: true,
				companySearchPath: '/lwh/company/search',
			},
		];
		const connections = credentials.map((credential) => connectionOf(credential));
		const kinds = ['find', 'verify', 'search'] as const;
		const ids = ['a', 'A', '', '","', 'find'];
		const execution = new ExecutionCredits(new CreditCount({}, '1'), undefined, () => {});
		const keys = connections.flatMap((connection) =>
			kinds.flatMap((kind) => {
				const lookup: Lookup<Query> = {
					option: { name: 'Find', value: 'find' },
					fields: [],
					answered: 'found',
					kind,
					perRequest: 1,
					prepare: () => ({ query: { id: '' } }),
					ask: async () => ({ results: [] }),
					simplify: (result) => result,
				};
				const own = new Sender<Query>({
					lookup,
					connection,
					service: () => {
						throw new TypeError('Nothing is sent');
					},
					budget: new CreditBudget(new CreditCount({}, '1'), execution, 'Find'),
					purse: async () => purseOf(),
					jobs: new Map(),
					origin: { node: 'Find', executionId: '7' },
					settleJob: () => {},
					places: new Places(1),
				});
				return ids.map((id) => own.keyOf({ id }));
			}),
		);
		expect(new Set(keys).size).toBe(connections.length * kinds.length * ids.length);
		expect(sender.keyOf({ id: 'a' })).toBe(keys[0]);
		// Nothing can be read from them: n8n stores them with the execution.
		for (const key of keys) expect(key).toMatch(/^[\w+/]{22}$/);
	});

	it('is the identity of the question where the lookup has one', () => {
		const other = senderWith({ identity: ({ id }) => ({ id: id.toLowerCase() }) }).sender;
		expect(other.keyOf({ id: 'A' })).toBe(sender.keyOf({ id: 'a' }));
	});
});
