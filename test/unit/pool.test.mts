/** @file Tasks run in their order, no more at once than allowed, and the next one starts before a result is worked on. */

import { sleep } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { Pool } from '../../nodes/shared/lookups/pool.ts';

it('runs tasks in their order, at most so many at once', async () => {
	const pool = new Pool(2);
	const started: number[] = [];
	let running = 0;
	let most = 0;
	for (let task = 0; task < 6; task++) {
		pool.add(async () => {
			started.push(task);
			most = Math.max(most, ++running);
			await sleep(5 - task);
			running--;
			return undefined;
		});
	}
	await pool.done();
	expect([started, most, running]).toEqual([[0, 1, 2, 3, 4, 5], 2, 0]);
});

it('runs urgent tasks before all others, also those that a task adds', async () => {
	const pool = new Pool(1);
	const started: string[] = [];
	const task = (name: string, then?: () => void) => async () => {
		started.push(name);
		await sleep(1);
		then?.();
		return undefined;
	};
	pool.add(task('first', () => pool.add(task('half'), true)));
	pool.add(task('second'));
	pool.add(task('urgent'), true);
	await pool.done();
	expect(started).toEqual(['first', 'half', 'urgent', 'second']);
});

it('starts the next task before it works on the result of one', async () => {
	const pool = new Pool(1);
	const steps: string[] = [];
	for (const [name, takes] of [
		['a', 1],
		['b', 50],
	] as const) {
		pool.add(async () => {
			steps.push(`send ${name}`);
			await sleep(takes);
			return () => void steps.push(`deliver ${name}`);
		});
	}
	await pool.done();
	expect(steps).toEqual(['send a', 'send b', 'deliver a', 'deliver b']);
});
