/** @file Whatever becomes of the requests, every question is settled, and no credit is spent beside the cap. */

import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { CreditBudget, type Reservation } from '../../nodes/shared/credits/budget.ts';
import { CreditCount, ExecutionCredits } from '../../nodes/shared/credits/executionCredits.ts';
import type { Answers, Lookup, LookupService } from '../../nodes/shared/lookups/lookup.ts';
import { Places } from '../../nodes/shared/lookups/places.ts';
import { Sender } from '../../nodes/shared/lookups/sender.ts';
import { JobFailed, JobPending } from '../../nodes/shared/outcomes/problem.ts';
import { OpenQuestion, type Settled } from '../../nodes/shared/sending/answerStore.ts';
import type { JobsOfExecution } from '../../nodes/shared/sending/execution.ts';
import { NotProcessed } from '../../nodes/shared/sending/notProcessed.ts';
import { connectionOf } from '../../nodes/shared/service/connection.ts';
import { INTERFACE_DEFAULTS } from '../../nodes/shared/service/interfaceSettings.ts';
import { readResponse } from '../../nodes/shared/service/response.ts';
import { ServiceError } from '../../nodes/shared/service/serviceError.ts';
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

const found: Ask = (ids) => ({ results: ids.map((id) => [{ id }]) });

interface Test extends Partial<Lookup<Query>> {
	answer?: Ask;
	cap?: number;
	maxConcurrency?: number;
	jobs?: JobsOfExecution;
}

/** A sender, with a note of what it sent and what its questions came to. */
function senderWith({ answer = found, cap = NO_CAP, maxConcurrency = 2, jobs, ...own }: Test = {}) {
	const sent: string[][] = [];
	const told = new Map<string, Settled[]>();
	const jobsOfRun: JobsOfExecution = jobs ?? new Map();
	const execution = new ExecutionCredits(new CreditCount({}, '1'), undefined, () => {});
	const budget = new CreditBudget(new CreditCount({}, '1'), execution);
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
		cost: (results) => (results?.length === 0 ? 0 : 1),
		simplify: (result) => result,
		...own,
	};
	const sender = new Sender<Query>({
		lookup,
		connection: connectionOf({ baseUrl: 'https://api.example.com', apiKey: 'key' }),
		service(reservation) {
			const service: LookupService = {
				settings: INTERFACE_DEFAULTS,
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
		cap,
		jobs: jobsOfRun,
		places: new Places(maxConcurrency),
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
	return { sender, add, sent, told, outcomeOf, reasonOf, jobs: jobsOfRun, budget };
}

describe('Sender', () => {
	it('sends a request as soon as it is full, and the rest at the end', async () => {
		const { sender, add, sent, outcomeOf } = senderWith();
		add('a', 'b');
		await settled();
		expect(sent).toEqual([]);
		add('c', 'd');
		await settled();
		expect(sent).toEqual([['a', 'b', 'c']]);
		await sender.finish();
		expect(sent).toEqual([['a', 'b', 'c'], ['d']]);
		for (const id of ['a', 'b', 'c', 'd']) expect(outcomeOf(id)).toEqual({ results: [{ id }] });
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

	it('settles what the service leaves out, and counts it as charged', async () => {
		const { sender, add, reasonOf, outcomeOf, budget } = senderWith({
			answer: (ids) => ({ results: ids.map((id) => (id === 'b' ? undefined : [])) }),
		});
		add('a', 'b', 'c');
		await sender.finish();
		expect(outcomeOf('a')).toEqual({ results: [] });
		expect(reasonOf('b')).toMatchObject({ reason: 'unexpected_answer' });
		expect(budget.spent).toBe(1);
	});

	it('names the job that left something out', async () => {
		const { sender, add, reasonOf } = senderWith({
			answer: () => ({ results: [], jobId: '12' }),
		});
		add('a');
		await sender.finish();
		expect(reasonOf('a')).toBeInstanceOf(JobFailed);
		expect(reasonOf('a')).toMatchObject({ jobId: '12' });
	});

	it('stops at the cap, and sends as much as it allows', async () => {
		const { sender, add, sent, reasonOf, budget } = senderWith({ cap: 5, maxConcurrency: 1 });
		add('a', 'b', 'c', 'd', 'e', 'f', 'g');
		await sender.finish();
		expect(sent).toEqual([
			['a', 'b', 'c'],
			['d', 'e'],
		]);
		expect(budget.spent).toBe(5);
		for (const id of ['f', 'g']) expect(reasonOf(id)).toMatchObject({ reason: 'credit_limit' });
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
			for (const id of ids) if (id !== 'd') expect('results' in outcomeOf(id)).toBe(true);
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
		const { sender, add, sent, reasonOf, outcomeOf } = senderWith({ maxConcurrency: 1 });
		add('a', 'b', 'c', 'd', 'e', 'f', 'g');
		await settled();
		const reason = new NotProcessed('stopped');
		await sender.giveUp(reason);
		expect(sent).toEqual([['a', 'b', 'c']]);
		for (const id of ['a', 'b', 'c']) expect('results' in outcomeOf(id)).toBe(true);
		for (const id of ['d', 'e', 'f', 'g']) expect(reasonOf(id)).toBe(reason);
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
		expect(second.outcomeOf('a')).toEqual({ results: [{ id: 'first' }] });
		expect(second.outcomeOf('b')).toEqual({ results: [] });
		expect(second.reasonOf('c')).toBeInstanceOf(JobFailed);
		expect(second.sent).toEqual([['e']]);
		expect(second.budget.spent).toBe(1);
		// It is forgotten now, the other one is not.
		expect([...second.jobs.keys()]).toEqual(['d']);
	});

	it('goes on remembering a job that is still not finished', async () => {
		const job = { id: '12', connection: 'of the account', questions: ['a', 'b'] };
		const { sender, add, reasonOf, jobs } = senderWith({
			jobs: new Map([
				['a', job],
				['b', job],
			]),
			collect: (jobId) => Promise.reject(new JobPending(jobId)),
		});
		add('b');
		await sender.finish();
		expect(reasonOf('b')).toBeInstanceOf(JobPending);
		expect([...jobs.entries()]).toEqual([
			['a', job],
			['b', job],
		]);
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
		const seen = { answered: 0, limited: 0, halved: 0 };
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
									message: 'A',
									description: 'B',
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
						// A refusal concerns the refused alone.
						const isRefused = reason instanceof ServiceError && reason.httpCode === 400;
						if (isRefused) expect(fateOf(id)).toBe('refused');
					}
					expect(charged).toBeLessThanOrEqual(cap);
					expect(budget.spent).toBe(charged);
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
					cost: () => 1,
					simplify: (result) => result,
				};
				const own = new Sender<Query>({
					lookup,
					connection,
					service: () => {
						throw new TypeError('Nothing is sent');
					},
					budget: new CreditBudget(new CreditCount({}, '1'), execution),
					cap: NO_CAP,
					jobs: new Map(),
					places: new Places(1),
				});
				return ids.map((id) => own.keyOf({ id }));
			}),
		);
		expect(new Set(keys).size).toBe(connections.length * kinds.length * ids.length);
		expect(sender.keyOf({ id: 'a' })).toBe(keys[0]);
		expect(keys.join()).not.toContain('"key"');
	});

	it('is the identity of the question where the lookup has one', () => {
		const other = senderWith({ identity: ({ id }) => ({ id: id.toLowerCase() }) }).sender;
		expect(other.keyOf({ id: 'A' })).toBe(sender.keyOf({ id: 'a' }));
	});
});
