/** @file The rate that processes learn from the refusals of a service whose limit they share. */

import fc from 'fast-check';
import { sleep } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AccountGate, type Lane } from '../../nodes/shared/pace/gate.ts';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

const SECOND = 1_000;
/** How long a request takes to the service, on average: the rest of its latency comes after that. */
const WAY = 5;

/** Numbers from 0 up to 1 that are the same for the same seed. */
function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** A service that lets through so many requests in any second. */
class Limiter {
	private recent: number[] = [];

	constructor(readonly perSecond: number) {}

	admits(): boolean {
		const now = performance.now();
		this.recent = this.recent.filter((at) => at > now - SECOND);
		if (this.recent.length >= this.perSecond) return false;
		this.recent.push(now);
		return true;
	}
}

interface Trial {
	admits: () => boolean;
	processes: number;
	/** From when on each process has work, in seconds; from the beginning unless told. */
	from?: number[];
	/** Until when each process has work, in seconds; to the end unless told. */
	until?: number[];
	random: () => number;
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

/** Lets processes that do not know of each other send all they can, for so many seconds. */
async function send(
	{ admits, processes, from = [], until = [], random, latency = 10, atOnce = 5, isSteady }: Trial,
	seconds: number,
): Promise<Request[]> {
	const begun = performance.now();
	const requests: Request[] = [];
	const now = () => performance.now() - begun;
	let over = false;

	const lookup = async (gate: AccountGate, lane: Lane, process: number) => {
		for (let attempt = 1; !over; attempt++) {
			const isRepeat = attempt > 1;
			const start = await gate.enter(lane, isRepeat);
			if (start === undefined) return;
			await sleep(WAY * (0.6 + 0.8 * random()));
			const admitted = admits();
			requests.push({ at: now() / SECOND, process, admitted, attempt });
			const rest = latency - WAY;
			if (!isSteady) await sleep(rest * (0.6 + 0.8 * random()));
			else if (admitted) await sleep(rest);
			const wait = random() * SECOND * 2 ** (attempt - 1);
			const isSlight = !admitted && gate.refused(start) && !isRepeat;
			const waitsAtGate = !admitted && !isSlight;
			if (waitsAtGate) gate.pause(wait);
			gate.leave(admitted);
			if (admitted) return;
			if (isSlight) await sleep(wait);
		}
	};
	for (let process = 0; process < processes; process++) {
		const gate = new AccountGate('account');
		const lane = gate.join(atOnce);
		const end = (until[process] ?? seconds) * SECOND;
		const work = async () => {
			await sleep((from[process] ?? 0) * SECOND + 300 * random());
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

describe('processes that share a limit', () => {
	it('use at least 90 % of it, with 3 % of the requests refused; where each has few, 85 and 10 %', async () => {
		const [warmUp, seconds] = [20, 120];
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.integer({ min: 10, max: 200 }),
				fc.nat(),
				async (processes, perSecond, seed) => {
					const limiter = new Limiter(perSecond);
					const admits = () => limiter.admits();
					const trial = { admits, processes, random: randomOf(seed) };
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
					[1, 10, 1],
					[1, 200, 1],
					[4, 10, 1],
					[4, 200, 1],
				],
			},
		);
	});

	it('take over within a minute what others leave', async () => {
		const limiter = new Limiter(60);
		const admits = () => limiter.admits();
		const random = randomOf(1);
		const requests = await send({ admits, processes: 3, until: [60, 60], random }, 150);
		const last = requests.filter(({ at }) => at > 120);
		expect(admittedOf(last)).toBeGreaterThanOrEqual(0.9 * 60 * 30);
	});

	it.each([
		{ processes: 3, perSecond: 25, latency: 50 },
		{ processes: 3, perSecond: 60, latency: 20 },
		{ processes: 2, perSecond: 100, latency: 50 },
	])(
		'come to share it about evenly: $processes with $perSecond a second, $latency ms',
		async ({ processes, perSecond, latency }) => {
			const ratios: number[] = [];
			for (let seed = 1; seed <= 6; seed++) {
				const limiter = new Limiter(perSecond);
				const admits = () => limiter.admits();
				const trial = { admits, processes, latency, random: randomOf(seed) };
				const later = (await send(trial, 160)).filter(({ at }) => at > 20);
				const shares = Array.from({ length: processes }, (_, process) =>
					admittedOf(later.filter((request) => request.process === process)),
				);
				ratios.push(Math.max(...shares) / Math.min(...shares));
			}
			const mean = ratios.reduce((sum, ratio) => sum + ratio) / ratios.length;
			expect(mean).toBeLessThan(1.7);
			expect(Math.max(...ratios)).toBeLessThan(2.5);
		},
	);

	it('give who comes late a quarter of it within a minute, on average', async () => {
		const shares: number[] = [];
		for (let seed = 1; seed <= 6; seed++) {
			const limiter = new Limiter(25);
			const admits = () => limiter.admits();
			const trial = { admits, processes: 2, from: [0, 60], latency: 50, random: randomOf(seed) };
			const last = (await send(trial, 180)).filter(({ at }) => at > 120);
			shares.push(admittedOf(last.filter(({ process }) => process === 1)) / admittedOf(last));
		}
		expect(shares.reduce((sum, share) => sum + share) / shares.length).toBeGreaterThan(0.25);
	});
});

describe('a limit that nobody is told of', () => {
	const warmUp = 10;
	const seconds = 70;

	/** What each of these came to after a while: how much of the limit was used, and how much refused. */
	async function useOf(perSecond: number, trial: Omit<Trial, 'admits' | 'random'>) {
		const limiter = new Limiter(perSecond);
		const admits = () => limiter.admits();
		const requests = await send({ ...trial, admits, random: randomOf(1) }, seconds);
		const later = requests.filter(({ at }) => at > warmUp);
		return {
			used: admittedOf(later) / (perSecond * (seconds - warmUp)),
			refused: 1 - admittedOf(later) / later.length,
		};
	}

	it.each([
		{ perSecond: 20, latency: 20, atOnce: 5 },
		{ perSecond: 20, latency: 150, atOnce: 20 },
		{ perSecond: 50, latency: 20, atOnce: 20 },
		{ perSecond: 50, latency: 150, atOnce: 20 },
		{ perSecond: 100, latency: 150, atOnce: 20 },
	])(
		'is used by 92 % at $perSecond a second, $latency ms, $atOnce at once',
		async ({ perSecond, ...trial }) => {
			const { used, refused } = await useOf(perSecond, { processes: 1, ...trial });
			expect(used).toBeGreaterThanOrEqual(0.92);
			expect(refused).toBeLessThanOrEqual(0.02);
		},
	);

	it.each([20, 50, 100])('is used by three slow ones, %i a second, by 90 %', async (perSecond) => {
		const { used, refused } = await useOf(perSecond, { processes: 3, latency: 150, atOnce: 20 });
		expect(used).toBeGreaterThanOrEqual(0.9);
		expect(refused).toBeLessThanOrEqual(perSecond < 30 ? 0.03 : 0.02);
	});
});

describe('what is refused is borne within five attempts', () => {
	/** How often requests were sent at most, of those that were sent in so many seconds. */
	async function mostAttempts(trial: Omit<Trial, 'random' | 'processes'>, seconds = 400) {
		const requests = await send({ ...trial, processes: 1, random: randomOf(1) }, seconds);
		expect(admittedOf(requests)).toBeGreaterThanOrEqual(seconds / 45);
		return Math.max(...requests.map(({ attempt }) => attempt));
	}

	it.each([
		{ most: 1, latency: 20_000, atOnce: 5 },
		{ most: 1, latency: 40_000, atOnce: 5 },
		{ most: 1, latency: 10_000, atOnce: 5 },
		{ most: 3, latency: 30_000, atOnce: 20 },
		{ most: 2, latency: 10_000, atOnce: 20 },
	])('by a service that bears $most at once, $latency ms, $atOnce sent', async (service) => {
		const { most, latency, atOnce } = service;
		let inProgress = 0;
		const admits = () => {
			if (inProgress >= most) return false;
			inProgress++;
			void sleep(latency - 2 * WAY).then(() => inProgress--);
			return true;
		};
		expect(await mostAttempts({ admits, latency, atOnce, isSteady: true })).toBeLessThanOrEqual(5);
	});

	it.each([
		{ before: 20, after: 2, latency: 500, atOnce: 20 },
		{ before: 50, after: 5, latency: 200, atOnce: 50 },
		{ before: 50, after: 5, latency: 500, atOnce: 50 },
	])('where a limit falls from $before to $after a second', async ({ before, after, ...trial }) => {
		const [high, low] = [new Limiter(before), new Limiter(after)];
		const falls = performance.now() + 20 * SECOND;
		const admits = () => (performance.now() < falls ? high : low).admits();
		expect(await mostAttempts({ admits, ...trial }, 120)).toBeLessThanOrEqual(5);
	});
});

describe('a service that bears more than is sent', () => {
	it.each([
		[5, 0.4],
		[20, 0.5],
		[60, 0.5],
	])(
		'that refuses a single request every %i seconds is used by %f of what it was at least',
		async (pause, part) => {
			const undisturbed = await send(
				{ admits: () => true, processes: 1, random: randomOf(1) },
				120,
			);
			let next = performance.now() + pause * SECOND;
			const admits = () => {
				if (performance.now() < next) return true;
				next += pause * SECOND;
				return false;
			};
			const requests = await send({ admits, processes: 1, random: randomOf(1) }, 120);
			expect(requests.length - admittedOf(requests)).toBeGreaterThanOrEqual(1);
			expect(admittedOf(requests)).toBeGreaterThan(part * undisturbed.length);
		},
	);
});
