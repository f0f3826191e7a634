/** @file First in, first out, as fast with many as with few, and nothing is held that was taken. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Queue } from '../../nodes/shared/values/queue.ts';
import { forgotten } from './garbage.mts';
import { processorTime } from '../support/processorTime.mts';

describe('Queue', () => {
	it('gives out the entries in the order in which they came', () => {
		const queue = new Queue<string>();
		for (const entry of ['a', 'b', 'c', 'd']) queue.add(entry);
		expect(queue.next()).toBe('a');
		expect(queue.peek(2)).toEqual(['b', 'c']);
		expect(queue.length).toBe(3);
		expect(queue.take(2)).toEqual(['b', 'c']);
		queue.add('e');
		expect(queue.take(10)).toEqual(['d', 'e']);
		expect([queue.length, queue.next(), queue.peek(1), queue.take(1)]).toEqual([
			0,
			undefined,
			[],
			[],
		]);
	});

	it('tells an entry that is nothing from no entry by its length', () => {
		const queue = new Queue<undefined>();
		queue.add(undefined);
		expect(queue.length).toBe(1);
		expect(queue.next()).toBeUndefined();
		expect(queue.length).toBe(0);
	});

	it('is no other than a list, whatever is done', () => {
		const many = fc.integer({ min: 0, max: 2_000 });
		const step = fc.oneof(
			fc.record({ kind: fc.constant('add' as const), many }),
			fc.record({ kind: fc.constantFrom('take' as const, 'peek' as const), many }),
			fc.record({ kind: fc.constant('next' as const), many: fc.integer({ min: 1, max: 50 }) }),
		);
		const seen = { long: 0, emptied: 0 };
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
				const queue = new Queue<number>();
				const list: number[] = [];
				let added = 0;
				for (const { kind, many: times } of steps) {
					if (kind === 'take') expect(queue.take(times)).toEqual(list.splice(0, times));
					else if (kind === 'peek') expect(queue.peek(times)).toEqual(list.slice(0, times));
					else
						for (let time = 0; time < times; time++) {
							if (kind === 'next') expect(queue.next()).toBe(list.shift());
							else {
								queue.add(added);
								list.push(added++);
							}
						}
					expect(queue.length).toBe(list.length);
					if (list.length > 2_000) seen.long++;
					if (list.length === 0 && added > 0) seen.emptied++;
				}
				expect(queue.take(added)).toEqual(list);
			}),
			{ numRuns: 100 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});

	it('does not change what it gave out', () => {
		const queue = new Queue<number>();
		for (let entry = 0; entry < 5; entry++) queue.add(entry);
		const [peeked, taken] = [queue.peek(3), queue.take(3)];
		queue.add(5);
		queue.take(3);
		expect([peeked, taken]).toEqual([
			[0, 1, 2],
			[0, 1, 2],
		]);
	});

	it('takes for each step the same time, however many wait', () => {
		const timeFor = (entries: number) => {
			const queue = new Queue<number>();
			const used = processorTime();
			for (let entry = 0; entry < entries; entry++) queue.add(entry);
			for (let entry = 0; entry < entries; entry += 5) {
				queue.next();
				queue.take(3);
				queue.peek(100);
				queue.add(queue.next() ?? 0);
			}
			return used();
		};
		timeFor(10_000);
		expect(timeFor(1_000_000)).toBeLessThan(5_000);
	});

	it.each([
		['one by one', 1],
		['many at once', 700],
	])('does not hold on to what was taken, %s', async (_, most) => {
		const queue = new Queue<object>();
		const references: Array<WeakRef<object>> = [];
		for (let entry = 0; entry < 20_000; entry++) {
			const object = { entry };
			references.push(new WeakRef(object));
			queue.add(object);
		}
		while (queue.length > 5_000) queue.take(most);
		const taken = references.slice(0, 20_000 - queue.length);
		expect(taken.length).toBeGreaterThan(14_000);
		// A few may be held, never more than are still to come.
		expect(await forgotten(taken)).toBeGreaterThanOrEqual(taken.length - 5_000);
		while (queue.length > 0) queue.take(most);
		// The engine of JavaScript may still hold the one that it had last.
		expect(await forgotten(references)).toBeGreaterThan(references.length - 5);
		// The queue itself is still there.
		expect(queue.length).toBe(0);
	});
});
