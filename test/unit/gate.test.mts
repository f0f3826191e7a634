/** @file The gate of an account: turns between runs, one bound, and a pause for all when the service asks. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AccountGate, gateOf } from '../../nodes/shared/pace/gate.ts';
import { Lane } from '../../nodes/shared/pace/lane.ts';
import { Failure } from '../../nodes/shared/failures/failure.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Longer than the gate spreads what it lets in after a pause, in milliseconds. */
const LONG = 600_000;

const MINUTE = 60_000;

function refusal(retryAfter?: number): Failure {
	return new Failure('rate_limited', { httpCode: 429, retryAfter });
}

/** One run of a node at the gate: what became of each of its requests, by their numbers. */
class Run {
	readonly requests: Array<'waiting' | 'entered' | 'refused'> = [];

	/** When the requests started that entered and did not leave. */
	private readonly starts: number[] = [];

	readonly lane: Lane;

	constructor(
		private readonly gate: AccountGate,
		readonly maxConcurrency: number,
		private readonly onEntered: (run: Run, number: number) => void = () => {},
		maxWait = Number.POSITIVE_INFINITY,
	) {
		this.lane = gate.join(maxConcurrency, maxWait);
	}

	get inside(): number {
		return this.starts.length;
	}

	/** The numbers of those who still wait. */
	get waiting(): number[] {
		return [...this.requests.keys()].filter((number) => this.requests[number] === 'waiting');
	}

	/** One more comes. */
	come(): void {
		const number = this.requests.push('waiting') - 1;
		void this.gate.enter(this.lane).then((start) => {
			this.requests[number] = start === undefined ? 'refused' : 'entered';
			if (start === undefined) return;
			this.starts.push(start);
			this.onEntered(this, number);
		});
	}

	async leave(isAccepted = true): Promise<void> {
		this.gate.leave(this.lane, this.starts.shift() ?? 0, isAccepted);
		await vi.advanceTimersByTimeAsync(0);
	}

	/** The service refuses one that is inside, and asks to wait, in milliseconds. */
	async refuse(retryAfter?: number): Promise<number> {
		const pause = this.gate.pauseAfter(this.lane, this.starts[0], refusal(retryAfter));
		await this.leave(false);
		return pause;
	}

	/** The execution is stopped. */
	async abort(): Promise<void> {
		this.lane.turnAway();
		await vi.advanceTimersByTimeAsync(0);
	}
}

it('keeps bounds, pauses, turns and order, whatever happens, and answers every request', async () => {
	const kind = fc.constantFrom('come', 'come', 'leave', 'leave', 'pass', 'close', 'abort');
	const amount = fc.nat(3_000);
	const step = fc.record({ kind, run: fc.nat(3), isAccepted: fc.boolean(), amount });
	const bounds = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
	const seen = { entered: 0, refused: 0, closed: 0, waited: 0, overtaken: 0 };
	await fc.assert(
		fc.asyncProperty(bounds, fc.array(step, { maxLength: 50 }), async (maxima, steps) => {
			const gate = new AccountGate();
			const broken: string[] = [];
			/** How often each run was passed by each other since it could have entered. */
			const passed = maxima.map(() => maxima.map(() => 0));
			let closedUntil = 0;
			const largest = Math.max(...maxima);
			const mayEnter = ({ waiting, inside, maxConcurrency }: Run) =>
				waiting.length > 0 && inside < maxConcurrency;
			const onEntered = (entering: Run, number: number) => {
				const index = runs.indexOf(entering);
				const total = runs.reduce((sum, { inside }) => sum + inside, 0);
				if (total > largest) broken.push('more than the largest maximum');
				if (entering.inside > entering.maxConcurrency) broken.push('more than its own maximum');
				if (Date.now() < closedUntil) broken.push('while closed');
				if (entering.waiting.some((other) => other < number)) broken.push('out of order');
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
					for (let time = 0; time <= now.amount % 4; time++) {
						runs[index].come();
						// One who comes while the run may not send has its turn only when it may.
						if (!mayEnter(runs[index])) passed[index].fill(0);
					}
				} else if (now.kind === 'leave' && runAt(now.run).inside > 0) {
					await runAt(now.run).leave(now.isAccepted);
				} else if (now.kind === 'close') {
					const wait = now.amount % 100;
					closedUntil = Math.max(closedUntil, Date.now() + wait);
					gate.pauseAfter(runAt(now.run).lane, performance.now(), refusal(wait));
				} else if (now.kind === 'abort') {
					const stopped = runAt(now.run);
					const { waiting } = stopped;
					await stopped.abort();
					if (stopped.waiting.length > 0) broken.push('some were not told');
					if (waiting.some((number) => stopped.requests[number] === 'entered')) {
						broken.push('some entered after the stop');
					}
				}
				await vi.advanceTimersByTimeAsync(now.kind === 'pass' ? now.amount : 0);
				if (Date.now() < closedUntil) seen.closed++;
				if (runs.some(({ waiting }) => waiting.length > 0)) seen.waited++;
			}
			// Nobody waits for ever: pauses end, and places are given back.
			for (let turn = 0; turn <= 4 * 50; turn++) {
				await vi.advanceTimersByTimeAsync(LONG);
				const inside = runs.find((one) => one.inside > 0);
				if (!inside) break;
				await inside.leave();
			}
			expect(broken).toEqual([]);
			for (const { requests, waiting, inside } of runs) {
				expect([waiting, inside]).toEqual([[], 0]);
				for (const request of requests) if (request !== 'waiting') seen[request]++;
			}
		}),
		{ numRuns: 1_000 },
	);
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
});

describe('a run that the service refuses', () => {
	const settled = async (time = 0) => await vi.advanceTimersByTimeAsync(time);

	it('shortens no pause of another run once it has given up', async () => {
		vi.spyOn(Math, 'random').mockReturnValue(1);
		const gate = new AccountGate();
		const [short, long] = [0, 15 * MINUTE].map((wait) => new Run(gate, 1, undefined, wait));
		for (const run of [short, long]) run.come();
		await settled();
		await short.refuse();
		expect(short.lane.givenUp).toBeDefined();
		await long.leave(false);
		long.come();
		await settled(1_000);
		const pause = await long.refuse();
		vi.restoreAllMocks();
		expect(pause).toBe(500);
	});
});

it('is one per account, until no run has used it for ten minutes', async () => {
	const gate = gateOf('account a');
	expect(gateOf('account b')).not.toBe(gate);
	const [first, second] = [gate.join(5, MINUTE), gate.join(3, MINUTE)];
	gate.close(first);
	await vi.advanceTimersByTimeAsync(60 * MINUTE);
	expect(gateOf('account a')).toBe(gate);
	gate.close(second);
	await vi.advanceTimersByTimeAsync(9 * MINUTE);
	// A run that begins before the ten minutes are over counts.
	gate.close(gate.join(5, MINUTE));
	await vi.advanceTimersByTimeAsync(9 * MINUTE);
	expect(gateOf('account a')).toBe(gate);
	await vi.advanceTimersByTimeAsync(2 * MINUTE);
	expect(gateOf('account a')).not.toBe(gate);
});
