/** @file Nothing is asked twice within an execution: neither while it is asked nor once it is answered. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	AnswerStore,
	MAX_ANSWERS,
	OpenQuestion,
	type Results,
	type Settled,
} from '../../nodes/shared/sending/answerStore.ts';

/** Those who ask a store, as the runs of nodes do: whoever comes first is to find the answer. */
class Askers {
	/** The questions that were to be sent. */
	readonly sent: string[] = [];

	private readonly open = new Map<string, OpenQuestion>();

	constructor(readonly store = new AnswerStore()) {}

	/** The questions without an answer so far. */
	get inProgress(): string[] {
		return [...this.open.keys()];
	}

	/** Asks, and notes what is told. */
	ask(key: string, told: Settled[] = []): Settled[] {
		const found = this.store.find(key);
		if (Array.isArray(found)) {
			told.push({ results: found });
			return told;
		}
		const question = found ?? this.store.ask(key);
		question.wait((settled) => told.push(settled));
		if (!found) {
			this.sent.push(key);
			this.open.set(key, question);
		}
		return told;
	}

	settle(key: string, settled: Settled): void {
		const question = this.open.get(key);
		if (!question) throw new TypeError(`Nobody asked ${key}`);
		this.open.delete(key);
		question.settle(settled);
	}
}

const ada: Results = [{ email: 'ada@acme.com' }];

describe('AnswerStore', () => {
	it('asks once for all who ask while it is in progress, and after', () => {
		const askers = new Askers();
		const three = [1, 2, 3].map(() => askers.ask('a'));
		expect(three).toEqual([[], [], []]);
		askers.settle('a', { results: ada });
		for (const [settled] of [...three, askers.ask('a')]) {
			expect('results' in settled && settled.results).toBe(ada);
		}
		expect(askers.sent).toEqual(['a']);
	});

	it('keeps questions apart, those too that look like what every object has', () => {
		const askers = new Askers();
		const keys = ['a', 'b', '__proto__', 'constructor', ''];
		const told = keys.map((key) => askers.ask(key));
		for (const key of keys) askers.settle(key, { results: [{ key }] });
		expect(told).toEqual(keys.map((key) => [{ results: [{ key }] }]));
		expect(askers.sent).toEqual(keys);
	});

	it('keeps a miss: it is an answer', () => {
		const askers = new Askers();
		askers.ask('a');
		askers.settle('a', { results: [] });
		expect(askers.ask('a')).toEqual([{ results: [] }]);
		expect(askers.sent).toEqual(['a']);
	});

	it('tells all who wait that it failed, and asks again after', () => {
		const askers = new Askers();
		const both = [askers.ask('a'), askers.ask('a')];
		const error = new Error('lost');
		askers.settle('a', { error });
		for (const [settled] of both) expect('error' in settled && settled.error).toBe(error);
		const again = askers.ask('a');
		askers.settle('a', { results: ada });
		expect(again).toEqual([{ results: ada }]);
		expect(askers.sent).toEqual(['a', 'a']);
	});

	it('has the answer before anybody is told, so that who is told may ask', () => {
		const store = new AnswerStore();
		const question = store.ask('a');
		const seen: unknown[] = [];
		question.wait(() => seen.push(store.find('a')));
		question.settle({ results: ada });
		expect(seen).toEqual([ada]);
		const failing = store.ask('b');
		failing.wait(() => seen.push(store.find('b')));
		failing.settle({ error: 'lost' });
		expect(seen).toEqual([ada, undefined]);
	});

	it('keeps as many answers as it may, and forgets the oldest', () => {
		const store = new AnswerStore(10);
		const names = Array.from({ length: 12 }, (_, index) => `question ${index}`);
		const isKnown = (name: string) => store.find(name) !== undefined;
		const ask = (name: string) => store.ask(name).settle({ results: [{ name }] });
		// The oldest go a few at once.
		for (const name of names.slice(0, 11)) ask(name);
		expect(names.slice(0, 11).every(isKnown)).toBe(true);
		ask(names[11]);
		expect(names.map(isKnown)).toEqual([false, false, ...new Array(10).fill(true)]);
		expect(store.find(names[2])).toEqual([{ name: names[2] }]);
		ask(names[0]);
		expect(store.find(names[0])).toEqual([{ name: names[0] }]);
	});

	it('holds an execution of a hundred thousand lookups, and never many more', () => {
		expect(MAX_ANSWERS).toBe(100_000);
		const store = new AnswerStore();
		const isKnown = (number: number) => store.find(String(number)) !== undefined;
		const numbers = Array.from({ length: 250_000 }, (_, number) => number);
		for (const number of numbers.slice(0, MAX_ANSWERS)) {
			store.ask(String(number)).settle({ results: [] });
		}
		expect(numbers.slice(0, MAX_ANSWERS).every(isKnown)).toBe(true);
		for (const number of numbers.slice(MAX_ANSWERS)) {
			store.ask(String(number)).settle({ results: [] });
		}
		const known = numbers.filter(isKnown);
		expect(known.length).toBeGreaterThanOrEqual(MAX_ANSWERS);
		expect(known.length).toBeLessThanOrEqual(1.1 * MAX_ANSWERS);
		expect(known).toEqual(numbers.slice(-known.length));
	});

	it('does not forget a question that is in progress: it would be paid twice', () => {
		const askers = new Askers(new AnswerStore(2));
		const first = [askers.ask('a'), askers.ask('b')];
		for (let number = 0; number < 50; number++) {
			askers.ask(`other ${number}`);
			askers.settle(`other ${number}`, { results: [] });
		}
		first.push(askers.ask('a'));
		expect(askers.inProgress).toEqual(['a', 'b']);
		for (const key of ['a', 'b']) askers.settle(key, { results: [{ key }] });
		expect(first).toEqual(['a', 'b', 'a'].map((key) => [{ results: [{ key }] }]));
		expect(askers.sent.filter((key) => key === 'a')).toEqual(['a']);
	});

	it('is not confused by the late failure of a question that it has forgotten', () => {
		const store = new AnswerStore(1);
		const forgotten = store.ask('a');
		forgotten.settle({ results: ada });
		for (const key of ['b', 'c']) store.ask(key).settle({ results: [] });
		expect(store.find('a')).toBeUndefined();
		const again = store.ask('a');
		forgotten.settle({ error: 'late' });
		expect(store.find('a')).toBe(again);
		again.settle({ results: ada });
		expect(store.find('a')).toBe(ada);
	});

	it('has at most one request in progress per question, and none once it is answered', () => {
		const step = fc.oneof(
			fc.record({ kind: fc.constant('ask' as const), key: fc.constantFrom('a', 'b', 'c') }),
			fc.record({ kind: fc.constantFrom('answer' as const, 'fail' as const), index: fc.nat(9) }),
		);
		let shared = 0;
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				const askers = new Askers();
				const state = new Map<string, 'in progress' | 'answered'>();
				const outcomes: Array<{ key: string; told: Settled[] }> = [];
				let expected = 0;
				const settle = (key: string, isAnswer: boolean) => {
					if (isAnswer) state.set(key, 'answered');
					else state.delete(key);
					askers.settle(key, isAnswer ? { results: [{ key }] } : { error: key });
				};
				for (const now of steps) {
					const { inProgress } = askers;
					if (now.kind === 'ask') {
						if (state.has(now.key)) shared++;
						else expected++;
						if (!state.has(now.key)) state.set(now.key, 'in progress');
						outcomes.push({ key: now.key, told: askers.ask(now.key) });
					} else if (inProgress.length > 0) {
						settle(inProgress[now.index % inProgress.length], now.kind === 'answer');
					}
					expect(askers.sent).toHaveLength(expected);
					expect(askers.inProgress.toSorted()).toEqual(
						[...state].flatMap(([key, at]) => (at === 'in progress' ? [key] : [])).toSorted(),
					);
				}
				for (const key of askers.inProgress) settle(key, true);
				for (const { key, told } of outcomes) {
					expect(told).toHaveLength(1);
					expect(told[0]).toEqual('error' in told[0] ? { error: key } : { results: [{ key }] });
				}
			}),
			{ numRuns: 300 },
		);
		expect(shared).toBeGreaterThan(100);
	});
});

describe('OpenQuestion', () => {
	it('tells everybody once, in the order in which they came; only the first answer counts', () => {
		const told: unknown[] = [];
		const question = new OpenQuestion((settled) => told.push(['first', settled]));
		question.wait((settled) => told.push(['second', settled]));
		question.settle({ results: ada });
		question.settle({ error: 'late' });
		question.settle({ results: [] });
		expect(told).toEqual([
			['first', { results: ada }],
			['second', { results: ada }],
		]);
	});
});
