/** @file The gate of an account: a bound, a queue, and a pause for everybody when the service asks. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AccountGate, gateOf } from '../../nodes/shared/request/gate.ts';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

/** Longer than the gate spreads what it lets in after a pause, in milliseconds. */
const LONG = 600_000;

/** Those who want to enter a gate, each with what became of it. */
class Crowd {
	readonly entered: number[] = [];

	readonly refused: number[] = [];

	private readonly signals: AbortController[] = [];

	constructor(readonly gate = new AccountGate()) {}

	/** How many came so far. */
	get size(): number {
		return this.signals.length;
	}

	/** The numbers of those who still wait. */
	get waiting(): number[] {
		return this.signals
			.map((_, number) => number)
			.filter((number) => !this.entered.includes(number) && !this.refused.includes(number));
	}

	/** One more comes; its number. */
	come(
		maxConcurrency: number,
		repeated = false,
		seen: (entered: boolean) => void = () => {},
	): number {
		const controller = new AbortController();
		const number = this.signals.push(controller) - 1;
		void this.gate.enter(maxConcurrency, controller.signal, repeated).then((entered) => {
			(entered ? this.entered : this.refused).push(number);
			seen(entered);
		});
		return number;
	}

	/** Several come; all that can enter at once have entered. */
	async arrive(count: number, maxConcurrency: number, repeated = false): Promise<void> {
		for (let more = 0; more < count; more++) this.come(maxConcurrency, repeated);
		await vi.advanceTimersByTimeAsync(0);
	}

	/** Several leave. */
	async leave(count: number, answered = true): Promise<void> {
		for (let more = 0; more < count; more++) this.gate.leave(answered);
		await vi.advanceTimersByTimeAsync(0);
	}

	/** One gives up. */
	async abort(number: number): Promise<void> {
		this.signals[number].abort();
		await vi.advanceTimersByTimeAsync(0);
	}
}

describe('AccountGate', () => {
	it('lets in as many as the bound, the others in their order', async () => {
		const crowd = new Crowd();
		await crowd.arrive(5, 2);
		expect(crowd.entered).toEqual([0, 1]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1, 2]);
		await crowd.leave(2, false);
		expect(crowd.entered).toEqual([0, 1, 2, 3, 4]);
		expect(crowd.refused).toEqual([]);
	});

	it('counts what others sent to the account, each by its own bound', async () => {
		const crowd = new Crowd();
		await crowd.arrive(3, 5);
		await crowd.arrive(1, 2);
		expect(crowd.entered).toEqual([0, 1, 2]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1, 2]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1, 2, 3]);
	});

	it('lets one in at a time where the bound is less than one', async () => {
		const crowd = new Crowd();
		await crowd.arrive(2, 0);
		expect(crowd.entered).toEqual([0]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1]);
	});

	it('lets in first who waited before', async () => {
		const crowd = new Crowd();
		await crowd.arrive(2, 1);
		await crowd.arrive(1, 1, true);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 2]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 2, 1]);
	});

	it('keeps the order of those who waited before', async () => {
		const crowd = new Crowd();
		await crowd.arrive(1, 1);
		await crowd.arrive(3, 1, true);
		for (let turn = 0; turn < 3; turn++) await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1, 2, 3]);
	});

	it('tells at once who gives up, and keeps no place for it', async () => {
		const crowd = new Crowd();
		await crowd.arrive(3, 1);
		await crowd.abort(1);
		expect(crowd.refused).toEqual([1]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 2]);
		await crowd.leave(1);
		await crowd.arrive(1, 1);
		expect(crowd.entered).toEqual([0, 2, 3]);
	});

	it('lets in whom only one that gave up has held back', async () => {
		const crowd = new Crowd();
		await crowd.arrive(1, 5);
		await crowd.arrive(1, 1);
		await crowd.arrive(1, 5);
		expect(crowd.entered).toEqual([0]);
		await crowd.abort(1);
		expect(crowd.entered).toEqual([0, 2]);
	});

	it('does not let in who gave up before', async () => {
		const gate = new AccountGate();
		expect(await gate.enter(1, AbortSignal.abort())).toBe(false);
		expect(await gate.enter(1, undefined)).toBe(true);
	});

	it('does not take a place back from one who gives up inside', async () => {
		const crowd = new Crowd();
		await crowd.arrive(2, 1);
		await crowd.abort(0);
		expect(crowd.entered).toEqual([0]);
		expect(crowd.refused).toEqual([]);
		await crowd.leave(1);
		expect(crowd.entered).toEqual([0, 1]);
	});

	it('holds on to no signal once its owner is in', async () => {
		const { signal } = new AbortController();
		const added = vi.spyOn(signal, 'addEventListener');
		const removed = vi.spyOn(signal, 'removeEventListener');
		const gate = new AccountGate();
		await gate.enter(1, signal);
		const listeners = added.mock.calls.map(([, listener]) => listener);
		expect(listeners).toHaveLength(1);
		expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(listeners);
	});

	describe('when the service asks for a pause', () => {
		it('lets nobody in until it is over', async () => {
			const crowd = new Crowd();
			crowd.gate.closeFor(1_000);
			await crowd.arrive(1, 5);
			await crowd.arrive(1, 5, true);
			await vi.advanceTimersByTimeAsync(999);
			expect(crowd.entered).toEqual([]);
			await vi.advanceTimersByTimeAsync(1);
			expect(crowd.entered.toSorted()).toEqual([1]);
			await crowd.leave(1);
			expect(crowd.entered).toEqual([1, 0]);
		});

		it('waits for the longest of several pauses', async () => {
			const crowd = new Crowd();
			crowd.gate.closeFor(1_000);
			crowd.gate.closeFor(5_000);
			crowd.gate.closeFor(2_000);
			await crowd.arrive(1, 5);
			await vi.advanceTimersByTimeAsync(4_999);
			expect(crowd.entered).toEqual([]);
			await vi.advanceTimersByTimeAsync(1);
			expect(crowd.entered).toEqual([0]);
		});

		it('lets in half as many after it', async () => {
			const crowd = new Crowd();
			await crowd.arrive(16, 8);
			crowd.gate.closeFor(1_000);
			await crowd.leave(8, false);
			await vi.advanceTimersByTimeAsync(LONG);
			expect(crowd.entered).toHaveLength(8 + 4);
		});

		it('halves once for all answers to one burst', async () => {
			const crowd = new Crowd();
			await crowd.arrive(16, 8);
			for (let answer = 0; answer < 8; answer++) crowd.gate.closeFor(1_000);
			await crowd.leave(8, false);
			await vi.advanceTimersByTimeAsync(LONG);
			expect(crowd.entered).toHaveLength(8 + 4);
		});

		it('halves again at the next one, down to one', async () => {
			const crowd = new Crowd();
			await crowd.arrive(40, 8);
			let underWay = 8;
			for (const half of [4, 2, 1, 1]) {
				crowd.gate.closeFor(1_000);
				await crowd.leave(underWay, false);
				const before = crowd.entered.length;
				await vi.advanceTimersByTimeAsync(LONG);
				underWay = crowd.entered.length - before;
				expect(underWay).toBe(half);
			}
		});

		it('grows back with the answers, step by step', async () => {
			const crowd = new Crowd();
			await crowd.arrive(200, 8);
			crowd.gate.closeFor(1_000);
			await crowd.leave(8, false);
			await vi.advanceTimersByTimeAsync(LONG);
			const inside: number[] = [];
			for (let left = 8; left < 80; left++) {
				inside.push(crowd.entered.length - left);
				await crowd.leave(1);
				await vi.advanceTimersByTimeAsync(LONG);
			}
			expect([...new Set(inside)]).toEqual([4, 5, 6, 7, 8]);
			expect(inside).toEqual(inside.toSorted((a, b) => a - b));
			// Not faster than by one per round of answers.
			for (const bound of [5, 6, 7, 8]) {
				expect(inside.filter((now) => now === bound - 1).length).toBeGreaterThanOrEqual(bound - 1);
			}
		});

		it('does not grow back without answers', async () => {
			const crowd = new Crowd();
			await crowd.arrive(60, 8);
			crowd.gate.closeFor(1_000);
			await crowd.leave(8, false);
			for (let round = 0; round < 10; round++) {
				await vi.advanceTimersByTimeAsync(LONG);
				expect(crowd.entered).toHaveLength(8 + 4 * (round + 1));
				await crowd.leave(4, false);
			}
		});

		it('still tells at once who gives up', async () => {
			const crowd = new Crowd();
			crowd.gate.closeFor(60_000);
			await crowd.arrive(2, 5);
			await crowd.abort(0);
			expect([crowd.refused, crowd.waiting]).toEqual([[0], [1]]);
		});
	});

	it('keeps bound, pause and order whatever happens, and answers everybody', async () => {
		const step = fc.oneof(
			{
				weight: 5,
				arbitrary: fc.record({
					kind: fc.constant('come' as const),
					bound: fc.integer({ min: 1, max: 4 }),
					repeated: fc.boolean(),
				}),
			},
			{
				weight: 4,
				arbitrary: fc.record({ kind: fc.constant('leave' as const), answered: fc.boolean() }),
			},
			fc.record({ kind: fc.constant('close' as const), milliseconds: fc.nat(100) }),
			{
				weight: 2,
				arbitrary: fc.record({ kind: fc.constant('abort' as const), index: fc.nat(20) }),
			},
			fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.nat(60) }),
		);
		const seen = { entered: 0, refused: 0, closed: 0, waited: 0 };
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				const crowd = new Crowd();
				const bounds: number[] = [];
				const repeats: boolean[] = [];
				const broken: string[] = [];
				let inside = 0;
				let closedUntil = 0;
				for (const now of steps) {
					if (now.kind === 'come') {
						const number = crowd.size;
						bounds.push(now.bound);
						repeats.push(now.repeated);
						crowd.come(now.bound, now.repeated, (entered) => {
							if (!entered) return;
							inside++;
							if (inside > bounds[number]) broken.push(`${number} is one too many`);
							if (Date.now() < closedUntil) broken.push(`${number} entered while closed`);
							const others = crowd.waiting;
							const earlier = others.some((other) => !repeats[other] && other < number);
							const first = others.some((other) => repeats[other]);
							if (!repeats[number] && (earlier || first)) broken.push(`${number} pushed in`);
						});
					} else if (now.kind === 'leave' && inside > 0) {
						inside--;
						crowd.gate.leave(now.answered);
					} else if (now.kind === 'close') {
						closedUntil = Math.max(closedUntil, Date.now() + now.milliseconds);
						crowd.gate.closeFor(now.milliseconds);
					} else if (now.kind === 'abort' && crowd.size > 0) {
						const number = now.index % crowd.size;
						const isInside = crowd.entered.includes(number);
						await crowd.abort(number);
						const told = isInside ? crowd.entered : crowd.refused;
						if (!told.includes(number)) broken.push(`${number} was not told`);
					}
					const passes = now.kind === 'pass' ? now.milliseconds : 0;
					await vi.advanceTimersByTimeAsync(passes);
					if (Date.now() < closedUntil) seen.closed++;
					if (crowd.waiting.length > 0) seen.waited++;
				}
				// Nobody waits for ever: pauses end, and places are given back.
				for (let turn = 0; turn <= crowd.size; turn++) {
					await vi.advanceTimersByTimeAsync(LONG);
					if (inside === 0) break;
					inside--;
					await crowd.leave(1);
				}
				expect(broken).toEqual([]);
				expect(crowd.waiting).toEqual([]);
				expect(new Set([...crowd.entered, ...crowd.refused]).size).toBe(crowd.size);
				expect(crowd.entered.length + crowd.refused.length).toBe(crowd.size);
				seen.entered += crowd.entered.length;
				seen.refused += crowd.refused.length;
			}),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(5);
	});
});

describe('gateOf', () => {
	it('is one per account', () => {
		expect(gateOf('account a')).toBe(gateOf('account a'));
		expect(gateOf('account a')).not.toBe(gateOf('account b'));
	});
});
