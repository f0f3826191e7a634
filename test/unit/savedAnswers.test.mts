/** @file Answers that n8n stores with an execution: they come back as they were, and never too many. */

import fc from 'fast-check';
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import {
	MAX_SAVED_ANSWERS,
	MAX_SAVED_BYTES,
	SavedAnswers,
	type SavedAnswer,
} from '../../nodes/shared/execution/answers.ts';
import { processorTime } from '../support/processorTime.mts';

const AT = 1_798_675_200_000;

/** Where in the record they are. */
const NAME = 'contactDataAnswers';

/** Answers of about so many characters, with the numbers from `first`. */
function answers(many: number, { first = 0, size = 0 } = {}): SavedAnswer[] {
	const text = 'x'.repeat(size);
	return Array.from({ length: many }, (_, index) => [
		`question ${first + index}`,
		{ results: [{ id: first + index, text }], at: AT + index },
	]);
}

/** The record as n8n reads it again, after it has stored it. */
function stored(record: IContextObject): IContextObject {
	return JSON.parse(JSON.stringify(record));
}

function loaded(record: IContextObject): SavedAnswer[] {
	return new SavedAnswers(stored(record)).load();
}

function textsOf(record: IContextObject): string[] {
	return Array.isArray(record[NAME]) ? record[NAME] : [];
}

/** As n8n stores them: texts inside JSON. */
function bytesOf(record: IContextObject): number {
	return textsOf(record).reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
}

/** How many answers each text holds. */
function perText(record: IContextObject): number[] {
	return textsOf(record).map((text) => JSON.parse(text).length);
}

describe('SavedAnswers', () => {
	it('gives back what was added, in its order', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		expect(saved.isEmpty).toBe(true);
		saved.add(answers(3));
		expect(saved.isEmpty).toBe(false);
		saved.add(answers(400, { first: 3 }));
		expect(loaded(record)).toEqual([...answers(3), ...answers(400, { first: 3 })]);
	});

	it('gives back a miss, several results, and what is no plain text', () => {
		const record: IContextObject = {};
		const all: SavedAnswer[] = [
			['miss', { results: [], at: AT }],
			['several', { results: [{ a: 1 }, { b: [{ c: null }] }], at: 0 }],
			['__proto__', { results: [{ name: 'Ädä 👩 "\\ \u2028' }], at: AT }],
			['', { results: [{}], at: AT }],
		];
		new SavedAnswers(record).add(all);
		expect(loaded(record)).toEqual(all);
	});

	it('gives back any answers, however they are added and however often n8n stores them', () => {
		const results = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), {
			maxLength: 3,
		});
		const answer = fc.tuple(fc.string(), fc.record({ results, at: fc.nat() }));
		const parts = fc.array(fc.array(answer, { maxLength: 5 }), { maxLength: 5 });
		fc.assert(
			fc.property(parts, fc.boolean(), (added, isRead) => {
				let record: IContextObject = {};
				let saved = new SavedAnswers(record);
				for (const part of added) {
					const asJson: SavedAnswer[] = JSON.parse(JSON.stringify(part));
					saved.add(asJson);
					if (!isRead) continue;
					record = stored(record);
					saved = new SavedAnswers(record);
					saved.load();
				}
				expect(loaded(record)).toEqual(JSON.parse(JSON.stringify(added.flat())));
			}),
			{ numRuns: 200 },
		);
	});

	it('leaves no trace where nothing was added', () => {
		const record: IContextObject = { other: 1 };
		const saved = new SavedAnswers(record);
		expect(saved.load()).toEqual([]);
		saved.add([]);
		expect([record, saved.isEmpty]).toEqual([{ other: 1 }, true]);
	});

	it('adds to what was loaded', () => {
		const record: IContextObject = {};
		new SavedAnswers(record).add(answers(2));
		const again = stored(record);
		const saved = new SavedAnswers(again);
		saved.load();
		expect(saved.isEmpty).toBe(false);
		saved.add(answers(2, { first: 2 }));
		expect(loaded(again)).toEqual([...answers(2), ...answers(2, { first: 2 })]);
	});

	it('forgets everything, and begins again', () => {
		const record: IContextObject = { other: 1 };
		const saved = new SavedAnswers(record);
		saved.add(answers(500));
		saved.clear();
		expect([record, saved.isEmpty]).toEqual([{ other: 1 }, true]);
		saved.add(answers(2));
		expect(loaded(record)).toEqual(answers(2));
		// What was counted before does not count any more.
		saved.clear();
		saved.add(answers(MAX_SAVED_ANSWERS));
		expect(loaded(record)).toHaveLength(MAX_SAVED_ANSWERS);
		saved.add(answers(1, { first: MAX_SAVED_ANSWERS }));
		expect(loaded(record)).toHaveLength(MAX_SAVED_ANSWERS - 250 + 1);
	});
});

describe('how much is saved', () => {
	it('has the limits that the documentation names', () => {
		expect([MAX_SAVED_ANSWERS, MAX_SAVED_BYTES]).toEqual([10_000, 5_000_000]);
	});

	it('is as many answers as may be, and not one more', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		saved.add(answers(MAX_SAVED_ANSWERS));
		expect(loaded(record)).toEqual(answers(MAX_SAVED_ANSWERS));
		saved.add(answers(1, { first: MAX_SAVED_ANSWERS }));
		const left = loaded(record).map(([key]) => key);
		// The oldest go, text by text, and no more of them than one text holds.
		expect(left).toHaveLength(MAX_SAVED_ANSWERS - 250 + 1);
		const all = [...answers(MAX_SAVED_ANSWERS), ...answers(1, { first: MAX_SAVED_ANSWERS })];
		expect(left).toEqual(all.map(([key]) => key).slice(-left.length));
	});

	it('is as many bytes as may be: the oldest go', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		const all = answers(6_000, { size: 1_500 });
		for (let start = 0; start < all.length; start += 100) {
			saved.add(all.slice(start, start + 100));
			expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		}
		const left = loaded(record);
		expect(left.length).toBeGreaterThan(2_500);
		expect(left).toEqual(all.slice(-left.length));
	});

	it('is counted in bytes, not in characters', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		const wide = 'ä'.repeat(1_000);
		const all = Array.from(
			{ length: 4_000 },
			(_, index): SavedAnswer => [String(index), { results: [{ wide }], at: AT }],
		);
		saved.add(all);
		expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		expect(loaded(record)).toEqual(all.slice(-loaded(record).length));
		expect(loaded(record).length).toBeGreaterThan(1_500);
	});

	it('is counted as it is stored, with every quote and backslash twice', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		const all = Array.from(
			{ length: 4_000 },
			(_, index): SavedAnswer => [
				String(index),
				{ results: [{ quotes: '"\\'.repeat(300) }], at: AT },
			],
		);
		saved.add(all);
		expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		expect(JSON.stringify(record).length).toBeLessThan(MAX_SAVED_BYTES * 1.01);
		expect(loaded(record)).toEqual(all.slice(-loaded(record).length));
		expect(loaded(record).length).toBeGreaterThan(1_500);
	});

	it('goes into texts of 250 answers', () => {
		const record: IContextObject = {};
		new SavedAnswers(record).add(answers(620));
		expect(perText(record)).toEqual([250, 250, 120]);
	});

	it('goes into texts of few answers where they are large, so that few go at once', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		saved.add(answers(250, { size: 30_000 }));
		expect(Math.max(...perText(record))).toBe(4);
		for (const text of textsOf(record)) expect(text.length).toBeLessThan(140_000);
		expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		// No more goes than must: another text would be too much.
		expect(bytesOf(record)).toBeGreaterThan(MAX_SAVED_BYTES - 140_000);
		expect(loaded(record).at(-1)).toEqual(answers(250, { size: 30_000 }).at(-1));
	});

	it('leaves out an answer that is not worth all others, and keeps those', () => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		const [large] = answers(1, { first: 900, size: MAX_SAVED_BYTES / 2 });
		const [smaller] = answers(1, { first: 901, size: MAX_SAVED_BYTES / 2 - 1_000 });
		saved.add([...answers(2), large, smaller, ...answers(2, { first: 2 })]);
		expect(loaded(record)).toEqual([...answers(2), smaller, ...answers(2, { first: 2 })]);
		const alone: IContextObject = {};
		const none = new SavedAnswers(alone);
		none.add([large]);
		expect([alone, none.isEmpty]).toEqual([{}, true]);
	});

	it('is bounded too where n8n gives back more than was ever saved', () => {
		const record: IContextObject = {};
		new SavedAnswers(record).add(answers(250));
		const [text] = Array.isArray(record[NAME]) ? record[NAME] : [];
		const large: IContextObject = { [NAME]: Array(100).fill(text) };
		const saved = new SavedAnswers(large);
		saved.load();
		saved.add(answers(1));
		expect(loaded(large).length).toBeLessThanOrEqual(MAX_SAVED_ANSWERS);
		expect(loaded(large).at(-1)).toEqual(answers(1)[0]);
	});

	it.each([
		['one answer', answers(1, { size: MAX_SAVED_BYTES + 1 })],
		['a few answers of one call', answers(20, { size: MAX_SAVED_BYTES / 10 })],
	])('leaves no trace of %s too large to be saved beside what may be', (_, large) => {
		const record: IContextObject = {};
		const saved = new SavedAnswers(record);
		saved.add(answers(10));
		saved.add(large);
		expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		expect(bytesOf(stored(record))).toBeLessThanOrEqual(MAX_SAVED_BYTES);
		saved.add(answers(5, { first: 100 }));
		expect(loaded(record).slice(-5)).toEqual(answers(5, { first: 100 }));
		expect(bytesOf(record)).toBeLessThanOrEqual(MAX_SAVED_BYTES);
	});

	it('takes time by what is added, not by what is there', () => {
		const timeFor = (calls: number) => {
			const saved = new SavedAnswers({});
			saved.add(answers(9_000, { size: 300 }));
			const used = processorTime();
			for (let call = 0; call < calls; call++) saved.add(answers(1, { first: call, size: 300 }));
			return used();
		};
		timeFor(100);
		// As a whole, it would be 3 MB a call.
		expect(timeFor(2_000)).toBeLessThan(1_000);
	});
});

describe('what somebody else wrote there', () => {
	const [one, other] = answers(2);
	const textOf = (...entries: unknown[]) => JSON.stringify(entries);
	const good = textOf([one[0], one[1].at, one[1].results]);

	it.each([
		['nothing', null],
		['a text', good],
		['a number', 5],
		['an object', { texts: [good] }],
		['an empty list', []],
		['a list of something else', [null, 5, {}, [], true]],
		['texts that are no JSON', ['', 'x', '[', '{"a":', `${good}x`, 'undefined']],
		['texts that are no lists', ['null', '5', '"x"', '{}', 'true']],
		['lists of something else', ['[null,5,"x",{},[]]']],
		['a key that is no text', [textOf([5, AT, []])]],
		['a moment that is no number', [textOf(['a', '2026-11-21', []])]],
		['no moment', [textOf(['a', null, []])]],
		['a moment after the last that there is', [textOf(['a', 8.64e15 + 1, []])]],
		['a moment before the first', [textOf(['a', -8.64e15 - 1, []])]],
		['a moment beyond all numbers', ['[["a",1e999,[]]]']],
		['results that are no list', [textOf(['a', AT, {}])]],
		['too little', [textOf(['a', AT])]],
	])('is no answer where it is %s', (_, value) => {
		const record: IContextObject = { [NAME]: value };
		const saved = new SavedAnswers(record);
		expect(saved.load()).toEqual([]);
		saved.add([one]);
		expect(loaded(record)).toEqual([one]);
		for (const text of textsOf(record)) expect(text).toBeTypeOf('string');
		saved.clear();
		expect(record).toEqual({});
	});

	it('does not take away what is good beside it', () => {
		const texts = ['x', good, 5, textOf(null, [other[0], other[1].at, other[1].results], ['b'])];
		expect(loaded({ [NAME]: texts })).toEqual([one, other]);
	});

	it('is an answer of the first or the last moment that there is', () => {
		const text = textOf(['first', -8.64e15, []], ['last', 8.64e15, []]);
		const moments = loaded({ [NAME]: [text] }).map(([, { at }]) => new Date(at).toISOString());
		expect(moments).toEqual(['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z']);
	});

	it('is left out of the results of an answer', () => {
		const text = textOf(['a', AT, [null, { id: 1 }, 'x', [], 5]]);
		expect(loaded({ [NAME]: [text] })).toEqual([['a', { at: AT, results: [{ id: 1 }] }]]);
	});

	it('never makes it fail, whatever it is', () => {
		const texts = fc.array(fc.oneof(fc.json(), fc.string(), fc.jsonValue()));
		fc.assert(
			fc.property(fc.oneof(texts, fc.jsonValue()), (value) => {
				const record: IContextObject = { [NAME]: value };
				const saved = new SavedAnswers(record);
				for (const [key, { at, results }] of saved.load()) {
					expect([typeof key, typeof at, Array.isArray(results)]).toEqual([
						...['string', 'number'],
						true,
					]);
				}
				saved.add([one]);
				expect(loaded(record).at(-1)).toEqual(one);
			}),
			{ numRuns: 300 },
		);
	});
});
