/** @file Requests start in their order, no more at once than allowed, and the next one before a result is worked on. */

import { sleep } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { Pool } from '../../nodes/shared/lookups/pool.ts';

it('runs tasks in their order, urgent ones first, at most so many at once', async () => {
	const pool = new Pool(2);
	const started: string[] = [];
	let running = 0;
	let most = 0;
	const add = (name: string, isUrgent = false, then?: () => void) =>
		pool.add(async () => {
			started.push(name);
			most = Math.max(most, ++running);
			await sleep(started.length);
			running--;
			then?.();
			return undefined;
		}, isUrgent);
	add('first', false, () => add('half', true));
	for (const name of ['second', 'third', 'fourth']) add(name);
	await pool.done();
	expect(started).toEqual(['first', 'second', 'half', 'third', 'fourth']);
	expect([most, running]).toEqual([2, 0]);
});

it('starts the next task before it works on the result of one', async () => {
	const pool = new Pool(1);
	const steps: string[] = [];
	for (const name of ['a', 'b']) {
		pool.add(async () => {
			steps.push(`send ${name}`);
			await sleep(1);
			return () => void steps.push(`deliver ${name}`);
		});
	}
	await pool.done();
	expect(steps).toEqual(['send a', 'send b', 'deliver a', 'deliver b']);
});
