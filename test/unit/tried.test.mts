/** @file The lookups that a manual run has tried count once each, and for no other execution. */

import { describe, expect, it } from 'vitest';

import { Tried, type TriedRecord } from '../../nodes/shared/execution/execution.ts';

describe('Tried', () => {
	it('counts each lookup once', () => {
		const tried = new Tried({}, '7');
		for (const key of ['a', 'b', 'a']) tried.add(key);
		expect([tried.size, tried.has('a'), tried.has('b'), tried.has('c')]).toEqual([
			2,
			true,
			true,
			false,
		]);
	});

	it('goes on in the record that n8n stores', () => {
		const record: TriedRecord = {};
		const tried = new Tried(record, '7');
		for (const key of ['a', 'a', 'b']) tried.add(key);
		const stored: TriedRecord = JSON.parse(JSON.stringify(record));
		expect(stored).toEqual({ lookupsTried: ['a', 'b'], lookupsTriedBy: '7' });
		const resumed = new Tried(stored, '7');
		resumed.add('c');
		expect([resumed.size, resumed.has('a')]).toEqual([3, true]);
		expect(stored.lookupsTried).toEqual(['a', 'b', 'c']);
	});

	it('begins again for a retry, which n8n hands a copy of the record', () => {
		const record = { lookupsTried: ['a'], lookupsTriedBy: '7' };
		const tried = new Tried(record, '8');
		expect(tried.size).toBe(0);
		expect(record).toEqual({ lookupsTried: [], lookupsTriedBy: '8' });
	});

	it('takes a record that holds something else for an empty one', () => {
		const tried = new Tried({ lookupsTried: 'a', lookupsTriedBy: '7' }, '7');
		expect([tried.size, tried.has('a')]).toEqual([0, false]);
	});
});
