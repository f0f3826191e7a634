/** @file A long loop lets the rest of n8n go on: often at first, more seldom later. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Breather } from '../../nodes/shared/host/breather.ts';

beforeEach(() => {
	vi.useFakeTimers();
});

afterEach(() => {
	vi.useRealTimers();
});

describe('Breather', () => {
	it('is due after 5 ms at first, then after twice as long each time, up to 40 ms', async () => {
		const breather = new Breather();
		for (const slice of [5, 10, 20, 40, 40]) {
			vi.advanceTimersByTime(slice);
			expect(breather.isDue).toBe(false);
			vi.advanceTimersByTime(1);
			expect(breather.isDue).toBe(true);
			const breath = breather.breathe();
			await vi.advanceTimersToNextTimerAsync();
			await breath;
			expect(breather.isDue).toBe(false);
		}
	});

	it('lets what else there is to do go first', async () => {
		const done: string[] = [];
		setTimeout(() => done.push('something else'), 0);
		const breath = new Breather().breathe().then(() => done.push('breath'));
		await vi.advanceTimersByTimeAsync(1);
		await breath;
		expect(done).toEqual(['something else', 'breath']);
	});
});
