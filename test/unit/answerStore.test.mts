/** @file Nothing is asked twice within an execution: neither while it is asked nor once it is answered. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	type Answer,
	AnswerStore,
	MAX_ANSWERS,
	MAX_SAVED_ANSWERS,
	OpenQuestion,
	type Results,
	SavedAnswers,
	type Settled,
} from '../../nodes/shared/execution/answers.ts';
import { processorTime } from '../support/processorTime.mts';

/** The moment of every answer here. */
const AT = 1_798_675_200_000;

function answerOf(results: Results): Answer {
	return { results, at: AT };
}

/** What whoever asks is told, the answer at the price of a credit. */
function answered(results: Results): Settled {
	return { answer: answerOf(results), credits: 1 };
}

function failed(error: unknown): Settled {
	return { error, credits: null };
}

/** A store that n8n stores nothing of so far. */
function storeOf(maxAnswers?: number): AnswerStore {
	return new AnswerStore(new SavedAnswers({}), maxAnswers);
}

/** Those who ask a store, as the runs of nodes do: whoever comes first is to find the answer. */
class Askers {
	/** The questions that were to be sent. */
	readonly sent: string[] = [];

	private readonly open = new Map<string, OpenQuestion>();

	constructor(readonly store = storeOf()) {}

	/** The questions without an answer so far. */
	get inProgress(): string[] {
		return [...this.open.keys()];
	}

	/** Asks, and notes what is told. */
	ask(key: string, told: Settled[] = []): Settled[] {
		const found = this.store.find(key);
		if (found && !(found instanceof OpenQuestion)) {
			told.push({ answer: found, credits: 1 });
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

const ada = answered([{ email: 'ada@acme.com' }]);

describe('AnswerStore', () => {
	it('asks once for all who ask while it is in progress, and after', () => {
		const askers = new Askers();
		const three = [1, 2, 3].map(() => askers.ask('a'));
		expect(three).toEqual([[], [], []]);
		askers.settle('a', ada);
		for (const [settled] of three) expect(settled).toBe(ada);
		const [later] = askers.ask('a');
		expect('answer' in later && later.answer).toBe('answer' in ada && ada.answer);
		expect(askers.sent).toEqual(['a']);
	});

	it('keeps questions apart, those too that look like what every object has', () => {
		const askers = new Askers();
		const keys = ['a', 'b', '__proto__', 'constructor', ''];
		const told = keys.map((key) => askers.ask(key));
		for (const key of keys) askers.settle(key, answered([{ key }]));
		expect(told).toEqual(keys.map((key) => [answered([{ key }])]));
		expect(askers.sent).toEqual(keys);
	});

	it('keeps a miss: it is an answer', () => {
		const askers = new Askers();
		askers.ask('a');
		askers.settle('a', answered([]));
		expect(askers.ask('a')).toEqual([answered([])]);
		expect(askers.sent).toEqual(['a']);
	});

	it('tells all who wait that it failed, and asks again after', () => {
		const askers = new Askers();
		const both = [askers.ask('a'), askers.ask('a')];
		const error = new Error('lost');
		askers.settle('a', failed(error));
		for (const [settled] of both) expect('error' in settled && settled.error).toBe(error);
		const again = askers.ask('a');
		askers.settle('a', ada);
		expect(again).toEqual([ada]);
		expect(askers.sent).toEqual(['a', 'a']);
	});

	it('has the answer before anybody is told, so that who is told may ask', () => {
		const store = storeOf();
		const question = store.ask('a');
		const seen: unknown[] = [];
		question.wait(() => seen.push(store.find('a')));
		question.settle(answered([{ id: 1 }]));
		expect(seen).toEqual([answerOf([{ id: 1 }])]);
		const failing = store.ask('b');
		failing.wait(() => seen.push(store.find('b')));
		failing.settle(failed('lost'));
		expect(seen).toEqual([answerOf([{ id: 1 }]), undefined]);
	});

	it('keeps as many answers as it may, and forgets the oldest', () => {
		const store = storeOf(10);
		const names = Array.from({ length: 12 }, (_, index) => `question ${index}`);
		const isKnown = (name: string) => store.find(name) !== undefined;
		const ask = (name: string) => store.ask(name).settle(answered([{ name }]));
		// The oldest go a few at once.
		for (const name of names.slice(0, 11)) ask(name);
		expect(names.slice(0, 11).every(isKnown)).toBe(true);
		ask(names[11]);
		expect(names.map(isKnown)).toEqual([false, false, ...new Array(10).fill(true)]);
		expect(store.find(names[2])).toEqual(answerOf([{ name: names[2] }]));
		ask(names[0]);
		expect(store.find(names[0])).toEqual(answerOf([{ name: names[0] }]));
	});

	it('holds an execution of a hundred thousand lookups, and never many more', () => {
		expect(MAX_ANSWERS).toBe(100_000);
		const store = storeOf();
		const isKnown = (number: number) => store.find(String(number)) !== undefined;
		const numbers = Array.from({ length: 250_000 }, (_, number) => number);
		for (const number of numbers.slice(0, MAX_ANSWERS)) {
			store.ask(String(number)).settle(answered([]));
		}
		expect(numbers.slice(0, MAX_ANSWERS).every(isKnown)).toBe(true);
		for (const number of numbers.slice(MAX_ANSWERS)) {
			store.ask(String(number)).settle(answered([]));
		}
		const known = numbers.filter(isKnown);
		expect(known.length).toBeGreaterThanOrEqual(MAX_ANSWERS);
		expect(known.length).toBeLessThanOrEqual(1.1 * MAX_ANSWERS);
		expect(known).toEqual(numbers.slice(-known.length));
	});

	it('does not forget a question that is in progress: it would be paid twice', () => {
		const askers = new Askers(storeOf(2));
		const first = [askers.ask('a'), askers.ask('b')];
		for (let number = 0; number < 50; number++) {
			askers.ask(`other ${number}`);
			askers.settle(`other ${number}`, answered([]));
		}
		first.push(askers.ask('a'));
		expect(askers.inProgress).toEqual(['a', 'b']);
		for (const key of ['a', 'b']) askers.settle(key, answered([{ key }]));
		expect(first).toEqual(['a', 'b', 'a'].map((key) => [answered([{ key }])]));
		expect(askers.sent.filter((key) => key === 'a')).toEqual(['a']);
	});

	it('is not confused by the late failure of a question that it has forgotten', () => {
		const store = storeOf(1);
		const forgotten = store.ask('a');
		forgotten.settle(ada);
		for (const key of ['b', 'c']) store.ask(key).settle(answered([]));
		expect(store.find('a')).toBeUndefined();
		const again = store.ask('a');
		forgotten.settle(failed('late'));
		expect(store.find('a')).toBe(again);
		again.settle(ada);
		expect(store.find('a')).toBe('answer' in ada && ada.answer);
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
					askers.settle(key, isAnswer ? answered([{ key }]) : failed(key));
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
					expect(told[0]).toEqual('error' in told[0] ? failed(key) : answered([{ key }]));
				}
			}),
			{ numRuns: 300 },
		);
		expect(shared).toBeGreaterThan(100);
	});
});

/** Everything that n8n has stored, as it would read it again. */
function stored(record: object): SavedAnswers {
	return new SavedAnswers(JSON.parse(JSON.stringify(record)));
}

describe('what a store saves', () => {
	const keysIn = (record: object) =>
		stored(record)
			.load()
			.map(([key]) => key);

	it('is what it has to say after n8n has stored the execution and read it again', () => {
		const record = {};
		const store = new AnswerStore(new SavedAnswers(record));
		store.ask('hit').settle(answered([{ email: 'ada@acme.com' }, { email: null }]));
		store.ask('miss').settle(answered([]));
		store.ask('failed').settle(failed('lost'));
		store.ask('open');
		expect(record).toEqual({});
		store.save();
		const again = new AnswerStore(stored(record));
		expect(again.find('hit')).toEqual(answerOf([{ email: 'ada@acme.com' }, { email: null }]));
		expect(again.find('miss')).toEqual(answerOf([]));
		expect(again.find('failed')).toBeUndefined();
		expect(again.find('open')).toBeUndefined();
	});

	it('is nothing where nothing was asked', () => {
		const record = {};
		const store = new AnswerStore(new SavedAnswers(record));
		store.save();
		store.unsave();
		expect(record).toEqual({});
	});

	it('is saved once, however often it is told to', () => {
		const record = {};
		const store = new AnswerStore(new SavedAnswers(record));
		store.ask('a').settle(ada);
		for (let time = 0; time < 3; time++) store.save();
		expect(keysIn(record)).toEqual(['a']);
		store.ask('b').settle(ada);
		for (let time = 0; time < 3; time++) store.save();
		expect(keysIn(record)).toEqual(['a', 'b']);
	});

	it('is not saved again by the execution that reads it', () => {
		const record = {};
		const first = new AnswerStore(new SavedAnswers(record));
		first.ask('a').settle(ada);
		first.save();
		const second = new AnswerStore(new SavedAnswers(record));
		second.save();
		second.ask('b').settle(ada);
		second.save();
		expect(keysIn(record)).toEqual(['a', 'b']);
	});

	it('is all of it again where it was taken back in between', () => {
		const record = {};
		const store = new AnswerStore(new SavedAnswers(record));
		for (const key of ['a', 'b']) store.ask(key).settle(ada);
		store.save();
		store.ask('c').settle(ada);
		store.unsave();
		expect(record).toEqual({});
		store.ask('d').settle(ada);
		store.unsave();
		store.save();
		expect(keysIn(record)).toEqual(['a', 'b', 'c', 'd']);
		expect(store.find('a')).toEqual(answerOf([{ email: 'ada@acme.com' }]));
	});

	it('is the latest that it may save, of however many', () => {
		const record = {};
		const store = new AnswerStore(new SavedAnswers(record));
		const names = Array.from({ length: 5 * MAX_SAVED_ANSWERS + 7 }, (_, index) => `${index}`);
		for (const name of names) store.ask(name).settle(answered([]));
		const latest = names.slice(-MAX_SAVED_ANSWERS);
		store.save();
		expect(keysIn(record)).toEqual(latest);
		store.unsave();
		store.save();
		expect(keysIn(record)).toEqual(latest);
	});

	it('takes no time where there is nothing to take back, however much is known', () => {
		const store = storeOf();
		for (let key = 0; key < 50_000; key++) store.ask(`${key}`).settle(answered([]));
		const used = processorTime();
		for (let run = 0; run < 5_000; run++) store.unsave();
		expect(used()).toBeLessThan(500);
	});

	it('is what any sequence of saving and taking back leaves: each answer once, in order', () => {
		const steps = fc.array(fc.constantFrom('answer', 'fail', 'save', 'unsave', 'restart'), {
			maxLength: 30,
		});
		const seen = { full: 0, empty: 0 };
		fc.assert(
			fc.property(steps, (kinds) => {
				const record = {};
				let store = new AnswerStore(new SavedAnswers(record));
				// What is answered, and how much of it n8n has.
				let known: string[] = [];
				let saved: string[] = [];
				kinds.forEach((kind, index) => {
					const key = `${index}`;
					if (kind === 'answer') known.push(key);
					if (kind === 'answer') store.ask(key).settle(answered([{ key }]));
					if (kind === 'fail') store.ask(key).settle(failed('lost'));
					if (kind === 'save') {
						store.save();
						saved = [...known];
					}
					if (kind === 'unsave') {
						store.unsave();
						saved = [];
					}
					if (kind === 'restart') {
						store = new AnswerStore(new SavedAnswers(record));
						known = [...saved];
					}
					expect(keysIn(record)).toEqual(saved);
				});
				expect(known.filter((key) => store.find(key) === undefined)).toEqual([]);
				seen[saved.length > 0 ? 'full' : 'empty']++;
			}),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});
});

describe('OpenQuestion', () => {
	it('tells everybody once, in the order in which they came; only the first answer counts', () => {
		const told: unknown[] = [];
		const question = new OpenQuestion((settled) => told.push(['first', settled]));
		question.wait((settled) => told.push(['second', settled]));
		question.settle(ada);
		question.settle(failed('late'));
		question.settle(answered([]));
		// Who comes later is told at once.
		question.wait((settled) => told.push(['late', settled]));
		expect(told).toEqual([
			['first', ada],
			['second', ada],
			['late', ada],
		]);
	});
});
