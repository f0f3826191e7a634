/** @file First in, first out, as fast with many as with few. */

import { expect, it } from 'vitest';

import { Queue } from '../../nodes/shared/values/queue.ts';

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
