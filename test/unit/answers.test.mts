/** @file The answers of an execution: shared while they are in progress, sealed and bounded where n8n stores them. */

import type { IContextObject } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';

import {
	AnswerStore,
	MAX_STORED_ANSWERS,
	MAX_STORED_LENGTH,
	type Answer,
} from '../../nodes/shared/execution/answers.ts';
import { connectionOf, type Connection } from '../../nodes/shared/http/connection.ts';

afterEach(() => {
	vi.useRealTimers();
});

function connectionWith(apiKey: string): Connection {
	return connectionOf({ baseUrl: 'https://api.example.com', apiKey });
}

const account = connectionWith('key-of-the-account');
const HOUR = 60 * 60_000;

function answered(store: AnswerStore, key: string, answer: Partial<Answer> = {}, own = account) {
	const { settle } = store.open(key, own);
	settle({
		credits: 1,
		answer: { results: [{ email: `${key}@acme.example` }], at: Date.now(), ...answer },
	});
}

/** What a later run of the execution, or a retry, finds: n8n has stored the record and read it again. */
function reopened(record: IContextObject, connection = account): AnswerStore {
	const store = new AnswerStore(JSON.parse(JSON.stringify(record)));
	store.load(connection);
	return store;
}

describe('AnswerStore', () => {
	it('shares an answer that is in progress, and keeps it', async () => {
		const store = new AnswerStore({});
		const { settled, settle } = store.open('ada', account);
		expect(store.find('ada')).toBe(settled);
		const answer = { results: [{ email: 'ada@acme.example' }], at: Date.now() };
		settle({ credits: 1, answer });
		expect(await settled).toEqual({ credits: 1, answer });
		expect(store.find('ada')).toBe(answer);
		expect(store.find('grace')).toBeUndefined();
	});

	it('keeps no error, so that the question may be asked again', async () => {
		const store = new AnswerStore({});
		const { settled, settle } = store.open('ada', account);
		const error = new Error('no answer');
		settle({ credits: 0, error });
		expect(await settled).toEqual({ credits: 0, error });
		expect(store.find('ada')).toBeUndefined();
	});

	it('reuses an answer for 24 hours', () => {
		vi.useFakeTimers();
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		answered(store, 'ada');
		store.save();
		vi.advanceTimersByTime(24 * HOUR - 1);
		expect([store.find('ada'), reopened(record).find('ada')]).toEqual([
			expect.anything(),
			expect.anything(),
		]);
		vi.advanceTimersByTime(1);
		expect([store.find('ada'), reopened(record).find('ada')]).toEqual([undefined, undefined]);
	});

	it('drops the oldest answers from memory where there are too many', () => {
		const store = new AnswerStore({}, 10);
		for (let key = 0; key < 100; key++) answered(store, String(key));
		expect(store.find('99')).toBeDefined();
		expect(store.find('80')).toBeUndefined();
	});
});

describe('what n8n stores of it', () => {
	it('reaches a later run and a retry, and nobody reads it without the API key', () => {
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		answered(store, 'ada');
		store.save();
		expect(reopened(record).find('ada')).toMatchObject({
			results: [{ email: 'ada@acme.example' }],
		});
		expect(reopened(record, connectionWith('another key')).find('ada')).toBeUndefined();
		expect(JSON.stringify(record)).not.toMatch(/ada|acme|email|key-of/);
	});

	it('is nothing where it was changed, or somebody else has written it', () => {
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		answered(store, 'ada');
		store.save();
		const [[name, [batch]]] = Object.entries<Array<Record<string, unknown>>>(
			JSON.parse(JSON.stringify(record)),
		);
		const sealed = String(batch.sealed);
		const changed = `${sealed[0] === 'A' ? 'B' : 'A'}${sealed.slice(1)}`;
		for (const other of [
			{ ...batch, sealed: changed },
			{ ...batch, sealed: '' },
			'text',
			null,
			7,
		]) {
			expect(reopened({ [name]: [other] }).find('ada')).toBeUndefined();
		}
		expect(reopened({ [name]: 'text' }).find('ada')).toBeUndefined();
	});

	it('is opened by the account that it belongs to', () => {
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		const other = connectionWith('key of another');
		answered(store, 'ada');
		answered(store, 'grace', {}, other);
		store.save();
		const later = reopened(record);
		expect([later.find('ada'), later.find('grace')]).toEqual([expect.anything(), undefined]);
		later.load(other);
		expect(later.find('grace')).toBeDefined();
	});

	it('are the last 10,000 answers', () => {
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		const key = (number: number) => `person ${number}`;
		for (let number = 0; number < 2 * MAX_STORED_ANSWERS + 600; number++) {
			answered(store, key(number), { results: [] });
			if (number % 300 === 0) store.save();
		}
		store.save();
		const later = reopened(record);
		const count = Array.from(
			{ length: 2 * MAX_STORED_ANSWERS + 600 },
			(_, number) => number,
		).filter((number) => later.find(key(number))).length;
		expect(count).toBeLessThanOrEqual(MAX_STORED_ANSWERS);
		expect(count).toBeGreaterThan(MAX_STORED_ANSWERS - 600);
		expect(later.find(key(2 * MAX_STORED_ANSWERS + 599))).toBeDefined();
	});

	it('takes 5 MB at most, and one large answer does not cost the others', () => {
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		const text = (length: number) => ({ results: [{ text: 'x'.repeat(length) }] });
		for (let number = 0; number < 100; number++) answered(store, String(number), text(90_000));
		answered(store, 'huge', text(110_000));
		store.save();
		expect(JSON.stringify(record).length).toBeLessThan(1.01 * MAX_STORED_LENGTH);
		const later = reopened(record);
		expect([later.find('99'), later.find('0'), later.find('huge')]).toEqual([
			expect.anything(),
			undefined,
			undefined,
		]);
	});

	it('grows with each run of the execution', () => {
		let record: IContextObject = {};
		for (const key of ['ada', 'grace']) {
			record = JSON.parse(JSON.stringify(record));
			const store = new AnswerStore(record);
			answered(store, key);
			store.save();
		}
		const later = reopened(record);
		expect([later.find('ada'), later.find('grace')]).toEqual([
			expect.anything(),
			expect.anything(),
		]);
	});

	it('is the newer answer where a question was answered again after a day', () => {
		vi.useFakeTimers();
		let record: IContextObject = {};
		for (let day = 0; day < 2; day++) {
			const store = new AnswerStore(record);
			store.load(account);
			answered(store, 'ada');
			store.save();
			record = JSON.parse(JSON.stringify(record));
			if (day === 0) vi.advanceTimersByTime(25 * HOUR);
		}
		expect(reopened(record).find('ada')).toBeDefined();
	});

	it('is the rest where an answer is nested too deep to be written', () => {
		let deep: unknown[] = [];
		for (let level = 0; level < 20_000; level++) deep = [deep];
		const record: IContextObject = {};
		const store = new AnswerStore(record);
		answered(store, 'deep', { results: [{ deep: deep as never }] });
		answered(store, 'ada');
		store.save();
		const later = reopened(record);
		expect([later.find('deep'), later.find('ada')]).toEqual([undefined, expect.anything()]);
	});
});
