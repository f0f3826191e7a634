/** @file The gate of an account: turns between runs, one bound, and a pause for all when the service asks. */

import fc from 'fast-check';
import { sleep } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AccountGate, gateOf, type Lane } from '../../nodes/shared/pace/gate.ts';
import { forgotten } from './garbage.mts';
import { processorTime } from '../support/processorTime.mts';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

/** Longer than the gate spreads what it lets in after a pause, in milliseconds. */
const LONG = 600_000;

const MINUTE = 60_000;

/** One run of a node at the gate: its requests by their numbers, and what became of each. */
class Run {
	readonly entered: number[] = [];

	readonly refused: number[] = [];

	/** How many requests came so far. */
	size = 0;

	/** Requests that entered and did not leave. */
	inside = 0;

	private readonly lane: Lane;

	constructor(
		private readonly gate: AccountGate,
		readonly maxConcurrency: number,
		private readonly onEntered: (run: Run, number: number) => void = () => {},
	) {
		this.lane = gate.join(maxConcurrency);
	}

	/** The numbers of those who still wait. */
	get waiting(): number[] {
		return Array.from({ length: this.size }, (_, number) => number).filter(
			(number) => !this.entered.includes(number) && !this.refused.includes(number),
		);
	}

	/** One more comes; its number. */
	come(isRetry = false): number {
		const number = this.size++;
		void this.gate.enter(this.lane, isRetry).then((start) => {
			if (start === undefined) {
				this.refused.push(number);
				return;
			}
			this.inside++;
			this.entered.push(number);
			this.onEntered(this, number);
		});
		return number;
	}

	/** Several come; all that can enter at once have entered. */
	async arrive(count: number, isRetry = false): Promise<void> {
		for (let more = 0; more < count; more++) this.come(isRetry);
		await vi.advanceTimersByTimeAsync(0);
	}

	/** One leaves. */
	leaveOne(isAccepted = true): void {
		this.inside--;
		this.gate.leave(isAccepted);
	}

	/** Several leave. */
	async leave(count: number, isAccepted = true): Promise<void> {
		for (let more = 0; more < count; more++) this.leaveOne(isAccepted);
		await vi.advanceTimersByTimeAsync(0);
	}

	/** The execution is stopped. */
	async abort(): Promise<void> {
		this.lane.turnAway();
		await vi.advanceTimersByTimeAsync(0);
	}

	close(): void {
		this.gate.close(this.lane);
	}
}

/**
 * The service refuses a request that started so many milliseconds ago.
 * @returns whether all wait
 */
function refuse(gate: AccountGate, wait: number, ago = 0): boolean {
	const isSlight = gate.refused(performance.now() - ago);
	if (!isSlight) gate.pause(wait);
	return !isSlight;
}

function newGate(): AccountGate {
	return new AccountGate('account');
}

describe('one run at the gate', () => {
	it('enters as often as it allows, the others in their order', async () => {
		const run = new Run(newGate(), 2);
		await run.arrive(5);
		expect(run.entered).toEqual([0, 1]);
		await run.leave(1);
		expect(run.entered).toEqual([0, 1, 2]);
		await run.leave(2, false);
		expect(run.entered).toEqual([0, 1, 2, 3, 4]);
		expect(run.refused).toEqual([]);
	});

	it('lets those enter first who waited before', async () => {
		const run = new Run(newGate(), 1);
		await run.arrive(2);
		await run.arrive(1, true);
		await run.leave(1);
		expect(run.entered).toEqual([0, 2]);
		await run.leave(1);
		expect(run.entered).toEqual([0, 2, 1]);
	});

	it('keeps the order of those who waited before', async () => {
		const run = new Run(newGate(), 1);
		await run.arrive(1);
		await run.arrive(3, true);
		for (let turn = 0; turn < 3; turn++) await run.leave(1);
		expect(run.entered).toEqual([0, 1, 2, 3]);
	});

	it('is told at once when it is stopped, and keeps no place', async () => {
		const gate = newGate();
		const [stopped, other] = [new Run(gate, 1), new Run(gate, 1)];
		await stopped.arrive(3);
		await stopped.arrive(1, true);
		await other.arrive(2);
		await stopped.abort();
		expect([stopped.entered, stopped.refused.toSorted()]).toEqual([[0], [1, 2, 3]]);
		expect(other.entered).toEqual([]);
		await stopped.leave(1);
		expect(other.entered).toEqual([0]);
		await other.leave(1);
		expect(other.entered).toEqual([0, 1]);
	});

	it('may wait again after it was turned away', async () => {
		const run = new Run(newGate(), 1);
		await run.arrive(2);
		await run.abort();
		expect([run.entered, run.refused]).toEqual([[0], [1]]);
		await run.arrive(1);
		await run.leave(1);
		expect(run.entered).toEqual([0, 2]);
	});

	it('does not lose the place of a request in progress when it is stopped', async () => {
		const gate = newGate();
		const [stopped, other] = [new Run(gate, 1), new Run(gate, 1)];
		await stopped.arrive(1);
		await other.arrive(1);
		await stopped.abort();
		expect([stopped.entered, stopped.refused, other.entered]).toEqual([[0], [], []]);
		await stopped.leave(1);
		expect(other.entered).toEqual([0]);
	});
});

describe('several runs at the gate', () => {
	it('take turns: who comes late does not wait behind a backlog', async () => {
		const gate = newGate();
		const backlog = new Run(gate, 5);
		await backlog.arrive(2_000);
		const [single, read] = [new Run(gate, 5), new Run(gate, 5)];
		await single.arrive(1);
		await read.arrive(1);
		// The backlog has one more turn, then each of the others.
		await backlog.leave(3);
		expect([single.entered, read.entered]).toEqual([[0], [0]]);
		expect(backlog.entered).toHaveLength(6);
	});

	it('take turns evenly, also with requests that are sent again', async () => {
		const gate = newGate();
		const runs = [new Run(gate, 1), new Run(gate, 1), new Run(gate, 1)];
		const [first] = runs;
		await first.arrive(1);
		for (const run of runs) await run.arrive(30, run === first);
		const counts = () => runs.map(({ entered }) => entered.length);
		for (let turn = 0; turn < 30; turn++) {
			for (const run of runs) if (run.inside > 0) await run.leave(1);
			const [most, least] = [Math.max(...counts()), Math.min(...counts())];
			expect(most - least).toBeLessThanOrEqual(1);
		}
		expect(Math.min(...counts())).toBeGreaterThanOrEqual(20);
	});

	it('are let in past one that was stopped while it waited', async () => {
		const gate = newGate();
		const [inside, stopped, next] = [new Run(gate, 1), new Run(gate, 1), new Run(gate, 1)];
		await inside.arrive(1);
		await stopped.arrive(1);
		await next.arrive(1);
		await stopped.abort();
		await inside.leave(1);
		expect([stopped.entered, next.entered]).toEqual([[], [0]]);
	});

	it('are bound by a run as long as it lasts; its end counts once', async () => {
		const gate = newGate();
		const [one, other] = [new Run(gate, 5), new Run(gate, 5)];
		one.close();
		one.close();
		await other.arrive(10);
		expect(other.inside).toBe(5);
	});
});

describe('a pause that the service asks for', () => {
	it('lets nobody in until it is over', async () => {
		const gate = newGate();
		const [run, other] = [new Run(gate, 5), new Run(gate, 5)];
		refuse(gate, 1_000);
		await run.arrive(1);
		await run.arrive(1, true);
		await other.arrive(1);
		await vi.advanceTimersByTimeAsync(999);
		expect([run.entered, other.entered]).toEqual([[], []]);
		await vi.advanceTimersByTimeAsync(1);
		expect([run.entered, other.entered]).toEqual([[1], []]);
		await run.leave(1, false);
		await vi.advanceTimersByTimeAsync(LONG);
		expect([run.entered, other.entered]).toEqual([[1], [0]]);
		await other.leave(1, false);
		await vi.advanceTimersByTimeAsync(LONG);
		expect(run.entered).toEqual([1, 0]);
	});

	it('lasts as long as the longest of several', async () => {
		const gate = newGate();
		refuse(gate, 1_000);
		refuse(gate, 5_000);
		refuse(gate, 2_000);
		const run = new Run(gate, 5);
		await run.arrive(1);
		await vi.advanceTimersByTimeAsync(4_999);
		expect(run.entered).toEqual([]);
		await vi.advanceTimersByTimeAsync(1);
		expect(run.entered).toEqual([0]);
	});

	it('is followed by half as many at once', async () => {
		const gate = newGate();
		const run = new Run(gate, 8);
		await run.arrive(16);
		refuse(gate, 1_000);
		await run.leave(8, false);
		await vi.advanceTimersByTimeAsync(LONG);
		expect(run.entered).toHaveLength(8 + 4);
	});

	it('halves what all runs together have in progress', async () => {
		const gate = newGate();
		const [one, other] = [new Run(gate, 8), new Run(gate, 8)];
		await one.arrive(4);
		await other.arrive(4);
		refuse(gate, 1_000);
		await one.leave(4, false);
		await other.leave(4, false);
		await one.arrive(8);
		await other.arrive(8);
		await vi.advanceTimersByTimeAsync(LONG);
		expect([one.inside, other.inside]).toEqual([2, 2]);
	});

	/** A gate that has learned a rate and whose service has accepted it for a while. */
	async function gateAtItsRate(): Promise<{ gate: AccountGate; run: Run }> {
		const gate = newGate();
		const run = new Run(gate, 100, (own) => void sleep(1).then(() => own.leaveOne()));
		for (let refusal = 0; refusal < 2; refusal++) {
			await run.arrive(20);
			await vi.advanceTimersByTimeAsync(500);
			refuse(gate, 0);
			await vi.advanceTimersByTimeAsync(1_000);
		}
		await run.arrive(10_000);
		await vi.advanceTimersByTimeAsync(5_000);
		return { gate, run };
	}

	/** How many enter within a second. */
	async function entering(run: Run): Promise<number> {
		const before = run.entered.length;
		await vi.advanceTimersByTimeAsync(1_000);
		return run.entered.length - before;
	}

	it('does not come where a rate that was accepted is a little too fast: others go on', async () => {
		const { gate, run } = await gateAtItsRate();
		const before = await entering(run);
		expect(refuse(gate, 2_000)).toBe(false);
		const after = await entering(run);
		expect(after).toBeGreaterThan(before / 2);
		expect(after).toBeLessThan(before);
	});

	it('of a second answer to the same burst halves nothing, and teaches nothing', async () => {
		const { gate, run } = await gateAtItsRate();
		const before = await entering(run);
		expect(refuse(gate, 100, 5)).toBe(false);
		await vi.advanceTimersByTimeAsync(2_000);
		expect(refuse(gate, 100, 2_001)).toBe(true);
		await vi.advanceTimersByTimeAsync(100);
		expect(await entering(run)).toBeGreaterThan(0.8 * before);
	});

	it('comes for all where several that were sent side by side are refused', async () => {
		const { gate, run } = await gateAtItsRate();
		expect(refuse(gate, 2_000, 5)).toBe(false);
		await vi.advanceTimersByTimeAsync(3);
		expect(refuse(gate, 2_000, 8)).toBe(true);
		expect(await entering(run)).toBe(0);
	});

	it('is forgotten once the service has accepted 64 at once', async () => {
		const gate = newGate();
		const run = new Run(gate, 80);
		await run.arrive(5_000);
		refuse(gate, 1_000);
		await run.leave(80, false);
		await vi.advanceTimersByTimeAsync(LONG);
		const inside = new Set<number>();
		for (let step = 0; step < 300; step++) {
			inside.add(run.inside);
			await run.leave(10);
		}
		expect([Math.min(...inside), ...[...inside].filter((now) => now > 64)]).toEqual([40, 80]);
	});

	it('halves very many as well', async () => {
		const gate = newGate();
		const run = new Run(gate, 200);
		await run.arrive(400);
		refuse(gate, 1_000);
		await run.leave(200, false);
		await vi.advanceTimersByTimeAsync(LONG);
		expect(run.inside).toBe(100);
	});

	it('halves once for all answers to one burst', async () => {
		const gate = newGate();
		const run = new Run(gate, 8);
		await run.arrive(16);
		for (let answer = 0; answer < 8; answer++) refuse(gate, 1_000);
		await run.leave(8, false);
		await vi.advanceTimersByTimeAsync(LONG);
		expect(run.entered).toHaveLength(8 + 4);
	});

	it('halves again at the next one, down to one', async () => {
		const gate = newGate();
		const run = new Run(gate, 8);
		await run.arrive(40);
		for (const half of [4, 2, 1, 1]) {
			refuse(gate, 1_000);
			await run.leave(run.inside, false);
			await vi.advanceTimersByTimeAsync(LONG);
			expect(run.inside).toBe(half);
		}
	});

	it('grows back with the answers, step by step', async () => {
		const gate = newGate();
		const run = new Run(gate, 8);
		await run.arrive(200);
		refuse(gate, 1_000);
		await run.leave(8, false);
		await vi.advanceTimersByTimeAsync(LONG);
		const inside: number[] = [];
		for (let left = 8; left < 80; left++) {
			inside.push(run.inside);
			await run.leave(1);
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
		const gate = newGate();
		const run = new Run(gate, 8);
		await run.arrive(60);
		refuse(gate, 1_000);
		await run.leave(8, false);
		for (let round = 0; round < 10; round++) {
			await vi.advanceTimersByTimeAsync(LONG);
			expect(run.entered).toHaveLength(8 + 4 * (round + 1));
			await run.leave(4, false);
		}
	});

	it('outlasts the run that was told of it', async () => {
		const gate = newGate();
		const told = new Run(gate, 8);
		await told.arrive(8);
		refuse(gate, 5_000);
		await told.leave(8, false);
		told.close();
		const next = new Run(gate, 8);
		await next.arrive(8);
		await vi.advanceTimersByTimeAsync(4_999);
		expect(next.entered).toEqual([]);
		await vi.advanceTimersByTimeAsync(LONG);
		expect(next.inside).toBe(4);
	});

	it('does not keep a run that is stopped', async () => {
		const gate = newGate();
		const [stopped, other] = [new Run(gate, 5), new Run(gate, 5)];
		refuse(gate, 60_000);
		await stopped.arrive(2);
		await other.arrive(1);
		await stopped.abort();
		expect([stopped.refused, other.waiting]).toEqual([[0, 1], [0]]);
	});
});

describe('whatever happens at the gate', () => {
	it('keeps bounds, pauses, turns and order, and answers everybody', async () => {
		const run = fc.nat(3);
		const step = fc.oneof(
			{
				weight: 6,
				arbitrary: fc.record({
					kind: fc.constant('come' as const),
					run,
					times: fc.integer({ min: 1, max: 4 }),
					isRetry: fc.boolean(),
				}),
			},
			{
				weight: 5,
				arbitrary: fc.record({
					kind: fc.constant('leave' as const),
					run,
					isAccepted: fc.boolean(),
				}),
			},
			fc.record({ kind: fc.constant('close' as const), milliseconds: fc.nat(100) }),
			fc.record({ kind: fc.constant('abort' as const), run }),
			{
				weight: 3,
				arbitrary: fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.nat(3_000) }),
			},
		);
		const bounds = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
		const seen = { entered: 0, refused: 0, closed: 0, waited: 0, overtaken: 0 };
		await fc.assert(
			fc.asyncProperty(bounds, fc.array(step, { maxLength: 50 }), async (maxima, steps) => {
				const gate = newGate();
				const broken: string[] = [];
				const repeats = maxima.map((): boolean[] => []);
				/** How often each run was passed by each other since it could have entered. */
				const passed = maxima.map(() => maxima.map(() => 0));
				let closedUntil = 0;
				const largest = Math.max(...maxima);
				const mayEnter = ({ waiting }: Run) => waiting.length > 0;
				const onEntered = (entering: Run, number: number) => {
					const index = runs.indexOf(entering);
					const total = runs.reduce((sum, { inside }) => sum + inside, 0);
					if (total > largest) broken.push('more than the largest maximum');
					if (Date.now() < closedUntil) broken.push('while closed');
					const isFirst = (other: number) =>
						repeats[index][other] === repeats[index][number]
							? other < number
							: repeats[index][other];
					if (entering.waiting.some(isFirst)) broken.push('out of order');
					passed[index].fill(0);
					runs.forEach((other, at) => {
						if (other === entering) return;
						passed[at][index] = mayEnter(other) ? passed[at][index] + 1 : 0;
						if (passed[at][index] === 1) seen.overtaken++;
						if (passed[at][index] > 1) broken.push('twice before another had its turn');
					});
				};
				const runs = maxima.map((maximum) => new Run(gate, maximum, onEntered));
				const runAt = (index: number) => runs[index % runs.length];
				for (const now of steps) {
					if (now.kind === 'come') {
						const index = now.run % runs.length;
						for (let time = 0; time < now.times; time++) {
							repeats[index].push(now.isRetry);
							runs[index].come(now.isRetry);
							// One who comes while the run may not send has its turn only when it may.
							if (!mayEnter(runs[index])) passed[index].fill(0);
						}
					} else if (now.kind === 'leave' && runAt(now.run).inside > 0) {
						await runAt(now.run).leave(1, now.isAccepted);
					} else if (now.kind === 'close') {
						closedUntil = Math.max(closedUntil, Date.now() + now.milliseconds);
						refuse(gate, now.milliseconds);
					} else if (now.kind === 'abort') {
						const stopped = runAt(now.run);
						const { waiting } = stopped;
						await stopped.abort();
						if (stopped.waiting.length > 0) broken.push('some were not told');
						if (waiting.some((number) => stopped.entered.includes(number))) {
							broken.push('some entered after the stop');
						}
					}
					await vi.advanceTimersByTimeAsync(now.kind === 'pass' ? now.milliseconds : 0);
					if (Date.now() < closedUntil) seen.closed++;
					if (runs.some(({ waiting }) => waiting.length > 0)) seen.waited++;
				}
				// Nobody waits for ever: pauses end, and places are given back.
				for (let turn = 0; turn <= 4 * 50; turn++) {
					await vi.advanceTimersByTimeAsync(LONG);
					const inside = runs.find((one) => one.inside > 0);
					if (!inside) break;
					await inside.leave(1);
				}
				expect(broken).toEqual([]);
				for (const { entered, refused, size, waiting, inside } of runs) {
					expect([waiting, inside]).toEqual([[], 0]);
					expect(new Set([...entered, ...refused]).size).toBe(size);
					expect(entered.length + refused.length).toBe(size);
					seen.entered += entered.length;
					seen.refused += refused.length;
				}
			}),
			{ numRuns: 1_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
	});
});

describe('many who wait', () => {
	beforeEach(() => {
		vi.useRealTimers();
	});

	/** Lets all that are to be sent through the gate; how long that takes, in milliseconds. */
	async function timeFor(gate: AccountGate, lanes: Lane[], requests: number): Promise<number> {
		const used = processorTime();
		const all = lanes.flatMap((lane) =>
			Array.from({ length: requests }, async () => {
				expect(await gate.enter(lane)).toBeDefined();
				gate.leave(true);
			}),
		);
		await Promise.all(all);
		return used();
	}

	it('of one run take no longer each than a few', async () => {
		const gate = newGate();
		await timeFor(gate, [gate.join(10)], 5_000);
		expect(await timeFor(gate, [gate.join(10)], 50_000)).toBeLessThan(4_000);
	});

	it('of many runs take no longer each than a few', async () => {
		const gate = newGate();
		const lanes = Array.from({ length: 5_000 }, () => gate.join(5));
		expect(await timeFor(gate, lanes, 10)).toBeLessThan(4_000);
	});

	it('are all told of a stop at once', async () => {
		const gate = newGate();
		const lane = gate.join(1);
		const waiting = Array.from({ length: 50_000 }, () => gate.enter(lane));
		const used = processorTime();
		lane.turnAway();
		const told = await Promise.all(waiting);
		expect(used()).toBeLessThan(2_000);
		expect(told.filter((start) => start !== undefined)).toHaveLength(1);
	});
});

describe('gateOf', () => {
	it('is one per account', () => {
		expect(gateOf('account a')).toBe(gateOf('account a'));
		expect(gateOf('account a')).not.toBe(gateOf('account b'));
	});

	it('is forgotten when nobody has used it for ten minutes', async () => {
		const gate = gateOf('account c');
		gate.close(gate.join(5));
		await vi.advanceTimersByTimeAsync(9 * MINUTE);
		expect(gateOf('account c')).toBe(gate);
		gate.close(gate.join(5));
		await vi.advanceTimersByTimeAsync(9 * MINUTE);
		expect(gateOf('account c')).toBe(gate);
		await vi.advanceTimersByTimeAsync(2 * MINUTE);
		expect(gateOf('account c')).not.toBe(gate);
	});

	it('is not forgotten while a run uses it, however long', async () => {
		const gate = gateOf('account d');
		const [one, other] = [gate.join(5), gate.join(3)];
		gate.close(one);
		await vi.advanceTimersByTimeAsync(60 * MINUTE);
		expect(gateOf('account d')).toBe(gate);
		gate.close(other);
		await vi.advanceTimersByTimeAsync(11 * MINUTE);
		expect(gateOf('account d')).not.toBe(gate);
	});

	it('is not forgotten while a run uses it again', async () => {
		const gate = gateOf('account e');
		gate.close(gate.join(5));
		const again = gate.join(5);
		await vi.advanceTimersByTimeAsync(60 * MINUTE);
		expect(gateOf('account e')).toBe(gate);
		gate.close(again);
		await vi.advanceTimersByTimeAsync(11 * MINUTE);
		expect(gateOf('account e')).not.toBe(gate);
	});

	it('is forgotten after several runs with the same maximum', async () => {
		const gate = gateOf('account f');
		for (const lane of [gate.join(5), gate.join(5)]) gate.close(lane);
		await vi.advanceTimersByTimeAsync(11 * MINUTE);
		expect(gateOf('account f')).not.toBe(gate);
	});

	it('holds on to no gate of the past', async () => {
		const gates = Array.from({ length: 100 }, (_, number) => {
			const gate = gateOf(`past ${number}`);
			gate.close(gate.join(5));
			return new WeakRef(gate);
		});
		await vi.advanceTimersByTimeAsync(11 * MINUTE);
		gateOf('present');
		vi.useRealTimers();
		expect(await forgotten(gates)).toBe(gates.length);
	});
});
