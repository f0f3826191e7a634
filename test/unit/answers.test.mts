/** @file What n8n stores of the answers of an execution, where test/engine/outlives.test.mts does not see it. */

import type { IContextObject, IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';

import { AnswerStore } from '../../nodes/shared/execution/answers.ts';
import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { connectionOf } from '../../nodes/shared/http/connection.ts';

const account = connectionOf({ baseUrl: 'https://api.example.com', apiKey: 'the key' });

const HOUR = 60 * 60_000;

/** What a later run finds of these answers, and whether it finds them with another key, or in another text. */
async function stored(answers: Record<string, IDataObject>) {
	const record: IContextObject = {};
	const store = new AnswerStore(record);
	for (const [key, result] of Object.entries(answers)) {
		const answer = { results: [result], at: Date.now() };
		await store.ask(key, account, async () => ({ credits: 1, answer }), 0);
	}
	store.save();
	forgetRecentAnswers();
	return (apiKey = 'the key', change = (text: string) => text) => {
		const later = new AnswerStore(JSON.parse(change(JSON.stringify(record))));
		return Object.keys(answers).filter((key) => later.find(key, { ...account, apiKey }, 0));
	};
}

const many = (length: number, result: IDataObject) =>
	Object.fromEntries(Array.from({ length }, (_, index) => [`company ${index}`, result]));

it('is no answer where it was changed in one letter', async () => {
	const found = await stored({ ada: {} });
	const changed = (text: string) => {
		return text.replace(
			/("sealed":".{40})(.)/,
			(_, start, one) => start + (one === 'A' ? 'B' : 'A'),
		);
	};
	expect(found('the key', changed)).toEqual([]);
});

it('leaves out one huge answer, which does not cost the others', async () => {
	const found = await stored({ ada: {}, huge: { text: 'x'.repeat(110_000) }, ida: {} });
	expect(found()).toEqual(['ada', 'ida']);
});

it.each([
	// 5 million characters, of which sealing takes a quarter; and 10,000 answers.
	[90, { text: 'x'.repeat(90_000) }, 30],
	[10_400, { email: 'ada@acme.com' }, 9_800],
])('goes with the oldest of %i, where they are more than n8n is to store', async (...given) => {
	const [length, result, least] = given;
	const answers = many(length, result);
	const found = await stored({ ada: {}, ...answers });
	const kept = found();
	expect(kept.length).toBeGreaterThan(least);
	expect(kept).toEqual(Object.keys(answers).slice(-kept.length));
	let stores = 0;
	found('the key', (text) => {
		stores = text.length;
		return text;
	});
	expect(stores).toBeLessThan(5_100_000);
});

it('is found for 24 hours', async () => {
	const found = await stored({ ada: {} });
	vi.useFakeTimers({ now: Date.now() + 23 * HOUR });
	expect(found()).toEqual(['ada']);
	vi.setSystemTime(Date.now() + 2 * HOUR);
	expect(found()).toEqual([]);
	vi.useRealTimers();
});

describe('what the process remembers', () => {
	const asked = async (store: AnswerStore, key: string, results: IDataObject[] = [{}]) => {
		let isSent = false;
		const answer = { results, at: Date.now() };
		const work = async () => {
			isSent = true;
			return { credits: results.length, answer };
		};
		await store.ask(key, account, work, 0);
		return isSent;
	};
	const another = () => new AnswerStore({});

	it('50,000 answers, the newest; one that was asked again is new', async () => {
		const of = (number: number) => `person ${number}`;
		const store = another();
		const isKept = (number: number) => another().find(of(number), account, 0) !== undefined;
		for (let number = 0; number < 50_000; number++) await asked(store, of(number));
		store.keep([of(1), { results: [{}], at: Date.now() }], account);
		for (let number = 50_000; number < 99_999; number++) await asked(store, of(number));
		expect([0, 1, 49_999, 50_000, 99_998].filter(isKept)).toEqual([0, 1, 49_999, 50_000, 99_998]);
		await asked(store, of(99_999));
		expect([0, 1, 49_999, 50_000, 99_999].filter(isKept)).toEqual([1, 50_000, 99_999]);
	});

	it('for a day, and what is old makes room at once', async () => {
		await asked(another(), 'ada');
		vi.useFakeTimers({ now: Date.now() + 23 * HOUR });
		expect(another().find('ada', account, 0)).toBeDefined();
		expect(another().find('ada', account, Date.now() - 24 * HOUR)).toBeDefined();
		expect(another().find('ada', account, Date.now() - 22 * HOUR)).toBeUndefined();
		vi.setSystemTime(Date.now() + 2 * HOUR);
		expect(another().find('ada', account, 0)).toBeUndefined();
		vi.useRealTimers();
	});
});
