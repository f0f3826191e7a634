/** @file First in, first out, as fast with many as with few. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Queue } from '../../nodes/shared/values/queue.ts';

it('is no other than a list, whatever is done', () => {
	const step = fc.record({
		kind: fc.constantFrom('add' as const, 'next' as const),
		times: fc.integer({ min: 1, max: 2_000 }),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
			const queue = new Queue<number>();
			const list: number[] = [];
			let added = 0;
			for (const { kind, times } of steps) {
				for (let time = 0; time < times; time++) {
					if (kind === 'next') {
						if (queue.next() !== list.shift()) expect.fail('Another entry');
					} else {
						queue.add(added);
						list.push(added++);
					}
				}
				expect([queue.length, queue.first]).toEqual([list.length, list.at(0)]);
			}
		}),
		{ numRuns: 100 },
	);
});

// What takes time by the square takes hours.
it('takes for each step the same time, however many wait', () => {
	const queue = new Queue<number>();
	for (let entry = 0; entry < 1_000_000; entry++) queue.add(entry);
	for (let entry = 0; entry < 1_000_000; entry += 2) {
		queue.next();
		queue.add(queue.next() ?? 0);
	}
	expect(queue.length).toBe(1_000_000 / 2);
});
