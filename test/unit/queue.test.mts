/** @file First in, first out, as fast with many as with few, and nothing is held that was taken. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Queue } from '../../nodes/shared/values/queue.ts';
import { forgotten } from './garbage.mts';
import { processorTime } from '../support/processorTime.mts';

describe('Queue', () => {
	it('tells an entry that is nothing from no entry by its length', () => {
		const queue = new Queue<undefined>();
		queue.add(undefined);
		expect(queue.length).toBe(1);
		expect(queue.next()).toBeUndefined();
		expect(queue.length).toBe(0);
		expect(queue.next()).toBeUndefined();
		expect(queue.length).toBe(0);
	});

	it('is no other than a list, whatever is done', () => {
		const step = fc.record({
			kind: fc.constantFrom('add' as const, 'next' as const),
			times: fc.integer({ min: 1, max: 2_000 }),
		});
		const seen = { long: 0, emptied: 0 };
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
				const queue = new Queue<number>();
				const list: number[] = [];
				let added = 0;
				for (const { kind, times } of steps) {
					for (let time = 0; time < times; time++) {
						if (kind === 'next') expect(queue.next()).toBe(list.shift());
						else {
							queue.add(added);
							list.push(added++);
						}
					}
					expect([queue.length, queue.first]).toEqual([list.length, list.at(0)]);
					if (list.length > 2_000) seen.long++;
					if (list.length === 0 && added > 0) seen.emptied++;
				}
			}),
			{ numRuns: 100 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});

	it('takes for each step the same time, however many wait', () => {
		const timeFor = (entries: number) => {
			const queue = new Queue<number>();
			const used = processorTime();
			for (let entry = 0; entry < entries; entry++) queue.add(entry);
			for (let entry = 0; entry < entries; entry += 2) {
				queue.next();
				queue.add(queue.next() ?? 0);
			}
			return used();
		};
		timeFor(10_000);
		expect(timeFor(1_000_000)).toBeLessThan(5_000);
	});

	it('does not hold on to what was taken', async () => {
		const queue = new Queue<object>();
		const references: Array<WeakRef<object>> = [];
		for (let entry = 0; entry < 20_000; entry++) {
			const object = { entry };
			references.push(new WeakRef(object));
			queue.add(object);
		}
		while (queue.length > 5_000) queue.next();
		const taken = references.slice(0, 20_000 - queue.length);
		// A few may be held, never more than are still to come.
		expect(await forgotten(taken)).toBeGreaterThanOrEqual(taken.length - 5_000);
		while (queue.length > 0) queue.next();
		// The engine of JavaScript may still hold the one that it had last.
		expect(await forgotten(references)).toBeGreaterThan(references.length - 5);
		// The queue itself is still there.
		expect(queue.length).toBe(0);
	});
});
