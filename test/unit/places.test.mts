/** @file However many accounts a run has, no more requests are in progress than it may have. */

import { describe, expect, it } from 'vitest';

import { Places } from '../../nodes/shared/lookups/pool.ts';

describe('Places', () => {
	it('are taken until there are none', () => {
		const places = new Places(2);
		expect([places.take(), places.take(), places.take()]).toEqual([true, true, false]);
	});

	it('are not lost with one who was called and needs none any more', () => {
		const places = new Places(1);
		const called: string[] = [];
		places.take();
		places.whenFree(() => called.push('needs none'));
		for (const name of ['first', 'second']) {
			places.whenFree(() => called.push(places.take() ? name : `${name} in vain`));
		}
		places.free();
		expect(called).toEqual(['needs none', 'first']);
		places.free();
		expect(called).toEqual(['needs none', 'first', 'second']);
	});

	it('call one who waits for each place that is free again, in their order', () => {
		const places = new Places(1);
		const called: string[] = [];
		places.take();
		const taken = (name: string) => () => {
			if (places.take()) called.push(name);
		};
		for (const name of ['first', 'second']) places.whenFree(taken(name));
		places.free();
		expect(called).toEqual(['first']);
		places.free();
		expect(called).toEqual(['first', 'second']);
		expect(places.take()).toBe(false);
		places.free();
		expect(places.take()).toBe(true);
	});
});
