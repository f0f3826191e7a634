/** @file The rate of processes that share the limit of a service: learned from refusals, or taken from what it states. */

import fc from 'fast-check';
import { sleep } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AccountGate } from '../../nodes/shared/pace/gate.ts';
import type { Quota } from '../../nodes/shared/http/response.ts';
import type { Lane } from '../../nodes/shared/pace/lane.ts';
import { Failure } from '../../nodes/shared/failures/failure.ts';
import { Prng } from '../emulator/prng.mts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

const SECOND = 1_000;
/** How long a request takes to the service, on average: the rest of its latency comes after that. */
const WAY = 5;

/** A service that lets through so many requests in any second. */
function limitOf(perSecond: number): () => boolean {
	let recent: number[] = [];
	return () => {
		const now = performance.now();
		recent = recent.filter((at) => at > now - SECOND);
		if (recent.length >= perSecond) return false;
		recent.push(now);
		return true;
	};
}

/** A service that lets through so many requests in each window, and states what is left of it, in whole seconds. */
function statedLimit(requests: number, seconds: number) {
	const window = seconds * SECOND;
	let left = requests;
	let end = 0;
	const admits = () => {
		const now = performance.now();
		if (now >= end) left = requests;
		end = now - (now % window) + window;
		return left-- > 0;
	};
	const states = () => ({
		remaining: Math.max(0, left),
		reset: Math.ceil((end - performance.now()) / SECOND) * SECOND,
	});
	return { admits, states };
}

interface Trial {
	admits: () => boolean;
	/** What each response states. */
	states?: () => Quota;
	processes: number;
	/** From when on each process has work, in seconds; from the beginning unless told. */
	from?: number[];
	/** Until when each process has work, in seconds; to the end unless told. */
	until?: number[];
	random: Prng;
	latency?: number;
	/** How many requests at once each process allows. */
	atOnce?: number;
	/** Whether each request takes equally long; refused ones take no time. */
	isSteady?: boolean;
}

interface Request {
	at: number;
	process: number;
	admitted: boolean;
	/** How often it was sent. */
	attempt: number;
}

const refusal = (retryAfter?: number) =>
	new Failure('rate_limited', { message: '', description: '', httpCode: 429, retryAfter });

/** Lets processes that do not know of each other send all they can, for so many seconds. */
async function send(
	{ admits, states, processes, from, until, random, latency = 10, atOnce = 5, isSteady }: Trial,
	seconds: number,
): Promise<Request[]> {
	vi.spyOn(Math, 'random').mockImplementation(() => random.next());
	const begun = performance.now();
	const requests: Request[] = [];
	const now = () => performance.now() - begun;
	let over = false;

	const lookup = async (gate: AccountGate, lane: Lane, process: number) => {
		for (let attempt = 1; !over; attempt++) {
			const start = await gate.enter(lane);
			if (start === undefined) return;
			await sleep(WAY * (0.6 + 0.8 * random.next()));
			const admitted = admits();
			const quota = states?.();
			requests.push({ at: now() / SECOND, process, admitted, attempt });
			const rest = latency - WAY;
			if (!isSteady) await sleep(rest * (0.6 + 0.8 * random.next()));
			else if (admitted) await sleep(rest);
			if (!admitted) gate.pauseAfter(lane, start, refusal(quota?.reset));
			else if (quota) gate.share(quota, start);
			gate.leave(lane, start, admitted);
			if (admitted) return;
		}
	};
	for (let process = 0; process < processes; process++) {
		const gate = new AccountGate();
		const lane = gate.join(atOnce, Number.POSITIVE_INFINITY);
		const end = (until?.[process] ?? seconds) * SECOND;
		const work = async () => {
			await sleep((from?.[process] ?? 0) * SECOND + 300 * random.next());
			while (now() < end) await lookup(gate, lane, process);
		};
		for (let worker = 0; worker < atOnce + 3; worker++) void work();
	}
	await vi.advanceTimersByTimeAsync(seconds * SECOND);
	over = true;
	await vi.advanceTimersByTimeAsync(60 * SECOND);
	return requests.filter(({ at }) => at <= seconds);
}

const admittedOf = (requests: Request[]) => requests.filter(({ admitted }) => admitted).length;

/** How many requests of each process were admitted after so many seconds. */
function sharesOf(requests: Request[], after: number): number[] {
	const shares: number[] = [];
	for (const { at, process, admitted } of requests) {
		if (admitted && at > after) shares[process] = (shares[process] ?? 0) + 1;
	}
	return shares;
}

const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one) / numbers.length;

describe('processes that share a limit', () => {
	const quick = { latency: 10, atOnce: 5 };
	const slow = { latency: 150, atOnce: 20 };

	it('use at least 90 % of it, with 3 % of the requests refused; where each has few, 85 and 10 %', async () => {
		const [warmUp, seconds] = [20, 120];
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.integer({ min: 10, max: 200 }),
				fc.nat(),
				fc.constant(quick),
				async (processes, perSecond, seed, service) => {
					const random = new Prng(seed);
					const trial = { admits: limitOf(perSecond), processes, random, ...service };
					const requests = await send(trial, seconds);
					const later = requests.filter(({ at }) => at > warmUp);
					const used = admittedOf(later) / (perSecond * (seconds - warmUp));
					const refused = 1 - admittedOf(later) / later.length;
					// Who has few requests per second is refused one of few.
					const hasFew = perSecond < 10 * processes;
					expect(used).toBeGreaterThanOrEqual(hasFew ? 0.85 : 0.9);
					expect(refused).toBeLessThanOrEqual(hasFew ? 0.1 : 0.03);
					// By default a request is sent five times at most.
					const sixth = later.filter(({ attempt }) => attempt === 6);
					expect(sixth.length).toBeLessThanOrEqual(later.length / 500);
				},
			),
			{
				// The bounds hold for nearly all trials, not for all that there could be.
				seed: 1,
				numRuns: 12,
				examples: [
					[1, 10, 1, quick],
					[1, 200, 1, quick],
					[4, 10, 1, quick],
					[4, 200, 1, quick],
					[1, 50, 1, slow],
					[3, 100, 1, slow],
				],
			},
		);
	});

	it('take over within a minute what others leave', async () => {
		const trial = { admits: limitOf(60), processes: 3, until: [60, 60], random: new Prng(1) };
		const requests = await send(trial, 150);
		const last = requests.filter(({ at }) => at > 120);
		expect(admittedOf(last)).toBeGreaterThanOrEqual(0.9 * 60 * 30);
	});

	it('come to share it about evenly', async () => {
		const ratios: number[] = [];
		for (let seed = 1; seed <= 6; seed++) {
			const limited = { processes: 3, admits: limitOf(60), random: new Prng(seed), latency: 20 };
			const shares = sharesOf(await send(limited, 160), 20);
			ratios.push(Math.max(...shares) / Math.min(...shares));
		}
		expect(mean(ratios)).toBeLessThan(1.7);
		expect(Math.max(...ratios)).toBeLessThan(2.5);
	});

	it('give a late comer a quarter of it within a minute, on average', async () => {
		const parts: number[] = [];
		for (let seed = 1; seed <= 6; seed++) {
			const late = { processes: 2, from: [0, 60], latency: 50 };
			const trial = { ...late, admits: limitOf(25), random: new Prng(seed) };
			const [first, second] = sharesOf(await send(trial, 180), 120);
			parts.push(second / (first + second));
		}
		expect(mean(parts)).toBeGreaterThan(0.25);
	});
});

describe.each([1, 8])('%i processes that share a stated limit', (processes) => {
	it.each([
		{ requests: 400, window: 60 },
		{ requests: 600, window: 60 },
		{ requests: 3_000, window: 60 },
		{ requests: 1_000, window: 20 },
	])('use 95 % of $requests in $window s, with 5 % refused', async ({ requests, window }) => {
		for (const latency of [100, 800]) {
			const limit = statedLimit(requests, window);
			const random = new Prng(1);
			const sent = await send({ ...limit, processes, random, latency }, 6 * window);
			const later = sent.filter(({ at }) => at > window);
			const could = Math.min(requests, (processes * 5 * window * SECOND) / latency);
			expect(admittedOf(later)).toBeGreaterThan(0.95 * 5 * could);
			expect(later.length - admittedOf(later)).toBeLessThan(0.05 * later.length);
		}
	});
});

describe('no request is sent more than five times', () => {
	async function mostAttempts(trial: Omit<Trial, 'random' | 'processes'>): Promise<number> {
		const requests = await send({ ...trial, processes: 1, random: new Prng(1) }, 400);
		expect(admittedOf(requests)).toBeGreaterThan(8);
		return Math.max(...requests.map(({ attempt }) => attempt));
	}

	it.each([
		{ most: 1, latency: 40_000, atOnce: 5 },
		{ most: 3, latency: 30_000, atOnce: 20 },
	])('to a service that accepts $most at once', async ({ most, latency, atOnce }) => {
		let inProgress = 0;
		const admits = () => {
			if (inProgress >= most) return false;
			inProgress++;
			void sleep(latency - 2 * WAY).then(() => inProgress--);
			return true;
		};
		expect(await mostAttempts({ admits, latency, atOnce, isSteady: true })).toBeLessThanOrEqual(5);
	});

	it('where the limit falls to a tenth', async () => {
		const [high, low] = [limitOf(50), limitOf(5)];
		const falls = performance.now() + 20 * SECOND;
		const admits = () => (performance.now() < falls ? high : low)();
		expect(await mostAttempts({ admits, latency: 200, atOnce: 50 })).toBeLessThanOrEqual(5);
	});
});

it('a single 429 every five seconds leaves 40 % of the speed at least', async () => {
	const alone = { processes: 1, random: new Prng(1) };
	const undisturbed = await send({ ...alone, admits: () => true }, 120);
	let next = performance.now() + 5 * SECOND;
	const admits = () => {
		if (performance.now() < next) return true;
		next += 5 * SECOND;
		return false;
	};
	const requests = await send({ ...alone, random: new Prng(1), admits }, 120);
	expect(requests.length - admittedOf(requests)).toBeGreaterThanOrEqual(1);
	expect(admittedOf(requests)).toBeGreaterThan(0.4 * undisturbed.length);
});
