/** @file What n8n stores of the answers of an execution, where test/engine/outlives.test.mts does not see it. */

import type { IContextObject, IDataObject } from 'n8n-workflow';
import { expect, it, vi } from 'vitest';

import { AnswerStore } from '../../nodes/shared/execution/answers.ts';
import { connectionOf } from '../../nodes/shared/http/connection.ts';

const account = connectionOf({ baseUrl: 'https://api.example.com', apiKey: 'the key' });

const HOUR = 60 * 60_000;

/** What a later run finds of these answers, and whether it finds them with another key. */
async function stored(answers: Record<string, IDataObject>) {
	const record: IContextObject = {};
	const store = new AnswerStore(record);
	for (const [key, result] of Object.entries(answers)) {
		const answer = { results: [result], at: Date.now() };
		await store.ask(key, account, async () => ({ credits: 1, answer }));
	}
	store.save();
	return (apiKey: string) => {
		const later = new AnswerStore(JSON.parse(JSON.stringify(record)));
		return Object.keys(answers).filter((key) => later.find(key, { ...account, apiKey }));
	};
}

it('is sealed with the key of the account', async () => {
	const found = await stored({ ada: {} });
	expect([found('the key'), found('another key')]).toEqual([['ada'], []]);
});

it('leaves out one huge answer, which does not cost the others', async () => {
	const found = await stored({ ada: {}, huge: { text: 'x'.repeat(110_000) }, ida: {} });
	expect(found('the key')).toEqual(['ada', 'ida']);
});

it('goes with the oldest, where long answers are more than n8n is to store', async () => {
	const long = { text: 'x'.repeat(90_000) };
	const keys = Array.from({ length: 90 }, (_, index) => `company ${index}`);
	const found = await stored({ ada: {}, ...Object.fromEntries(keys.map((key) => [key, long])) });
	const kept = found('the key');
	// 5 million characters, of which sealing takes a quarter.
	expect(kept.length).toBeGreaterThan(30);
	expect(kept).toEqual(keys.slice(-kept.length));
});

it('is found for 24 hours', async () => {
	const found = await stored({ ada: {} });
	vi.useFakeTimers({ now: Date.now() + 23 * HOUR });
	expect(found('the key')).toEqual(['ada']);
	vi.setSystemTime(Date.now() + 2 * HOUR);
	expect(found('the key')).toEqual([]);
	vi.useRealTimers();
});
