/** @file Nothing is asked twice within an execution: neither under way nor answered. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { AnswerStore, MAX_ANSWERS } from '../../nodes/shared/request/answers.ts';
import { rejectionOf } from './thrown.mts';

/** A service that answers when told to. */
function slowService() {
	const open: Array<{
		question: string;
		resolve: (answer: object) => void;
		reject: (reason: Error) => void;
	}> = [];
	const asked: string[] = [];
	const ask = (question: string) => async () => {
		asked.push(question);
		return await new Promise<object>((resolve, reject) => open.push({ question, resolve, reject }));
	};
	return { open, asked, ask };
}

describe('AnswerStore', () => {
	it('asks once for all who ask while it is under way, and after', async () => {
		const store = new AnswerStore();
		const { open, asked, ask } = slowService();
		const three = [1, 2, 3].map(() => store.once('a', ask('a')));
		const answer = { email: 'ada@acme.com' };
		open[0].resolve(answer);
		for (const given of await Promise.all(three)) expect(given).toBe(answer);
		expect(await store.once('a', ask('a'))).toBe(answer);
		expect(asked).toEqual(['a']);
	});

	it('keeps questions apart', async () => {
		const store = new AnswerStore();
		const asked = ['a', 'b'].map((id) => store.once(id, async () => ({ id })));
		expect(await Promise.all(asked)).toEqual([{ id: 'a' }, { id: 'b' }]);
	});

	it('tells all who wait that it failed, and asks again after', async () => {
		const store = new AnswerStore();
		const { open, asked, ask } = slowService();
		const both = [store.once('a', ask('a')), store.once('a', ask('a'))].map(rejectionOf);
		const reason = new Error('lost');
		open[0].reject(reason);
		for (const given of await Promise.all(both)) expect(given).toBe(reason);

		const again = store.once('a', ask('a'));
		open[1].resolve({ id: 'a' });
		expect(await again).toEqual({ id: 'a' });
		expect(asked).toEqual(['a', 'a']);
	});

	it('takes an exception while asking for a failure', async () => {
		const store = new AnswerStore();
		const reason = new Error('at once');
		const failing = store.once('a', () => {
			throw reason;
		});
		expect(await rejectionOf(failing)).toBe(reason);
		expect(await store.once('a', async () => ({ id: 'a' }))).toEqual({ id: 'a' });
	});

	it('keeps as many answers as it may, and forgets the oldest', async () => {
		const store = new AnswerStore(3);
		const asked: string[] = [];
		const once = async (question: string) =>
			await store.once(question, async () => {
				asked.push(question);
				return { question };
			});
		for (const question of ['a', 'b', 'c', 'd']) await once(question);
		expect(asked.splice(0)).toEqual(['a', 'b', 'c', 'd']);
		for (const question of ['b', 'c', 'd']) await once(question);
		expect(asked.splice(0)).toEqual([]);
		expect(await once('a')).toEqual({ question: 'a' });
		expect(asked.splice(0)).toEqual(['a']);
		for (const question of ['c', 'd', 'a']) await once(question);
		expect(asked.splice(0)).toEqual([]);
	});

	it('holds an execution of a hundred thousand lookups', () => {
		expect(MAX_ANSWERS).toBe(100_000);
	});

	it('does not forget a question that is under way: it would be paid twice', async () => {
		const store = new AnswerStore(2);
		const { open, asked, ask } = slowService();
		const questions = ['a', 'b', 'c', 'a'];
		const answers = questions.map((question) => store.once(question, ask(question)));
		for (const { question, resolve } of open) resolve({ question });
		expect(await Promise.all(answers)).toEqual(questions.map((question) => ({ question })));
		expect(asked).toEqual(['a', 'b', 'c']);
	});

	it('is not confused by the late failure of a question that it has forgotten', async () => {
		const store = new AnswerStore(1);
		const { open, asked, ask } = slowService();
		const first = store.once('a', ask('a')).catch(() => 'failed');
		const others = ['b', 'a'].map((question) => store.once(question, ask(question)));
		open[0].reject(new Error('late'));
		expect(await first).toBe('failed');
		for (const { question, resolve } of open) resolve({ question });
		await Promise.allSettled(others);
		const before = asked.length;
		const twice = [store.once('a', ask('a')), store.once('a', ask('a'))];
		for (const { question, resolve } of open) resolve({ question });
		expect(await Promise.all(twice)).toEqual([{ question: 'a' }, { question: 'a' }]);
		expect(asked.length - before).toBeLessThanOrEqual(1);
	});

	it('has at most one request under way per question, and none once it is answered', async () => {
		const step = fc.oneof(
			fc.record({ kind: fc.constant('ask' as const), question: fc.constantFrom('a', 'b', 'c') }),
			fc.record({ kind: fc.constantFrom('answer' as const, 'fail' as const), index: fc.nat(9) }),
		);
		let shared = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				const store = new AnswerStore();
				const { open, asked, ask } = slowService();
				const state = new Map<string, 'under way' | 'answered'>();
				const outcomes: Array<Promise<{ question: string; given: unknown }>> = [];
				let expected = 0;
				for (const now of steps) {
					if (now.kind === 'ask') {
						const { question } = now;
						if (state.has(question)) shared++;
						else expected++;
						if (!state.has(question)) state.set(question, 'under way');
						outcomes.push(
							store.once(question, ask(question)).then(
								(given) => ({ question, given }),
								(given: unknown) => ({ question, given }),
							),
						);
					} else if (open.length > 0) {
						const [{ question, resolve, reject }] = open.splice(now.index % open.length, 1);
						if (now.kind === 'answer') {
							state.set(question, 'answered');
							resolve({ question });
						} else {
							state.delete(question);
							reject(new Error(question));
						}
					}
					// Lets what was settled take effect.
					for (let turn = 0; turn < 5; turn++) await Promise.resolve();
					expect(asked).toHaveLength(expected);
					expect(open.map(({ question }) => question).toSorted()).toEqual(
						[...state].flatMap(([name, at]) => (at === 'under way' ? [name] : [])).toSorted(),
					);
				}
				for (const { question, resolve } of open) resolve({ question });
				for (const { question, given } of await Promise.all(outcomes)) {
					expect(given).toEqual(given instanceof Error ? new Error(question) : { question });
				}
			}),
			{ numRuns: 300 },
		);
		expect(shared).toBeGreaterThan(100);
	});
});
