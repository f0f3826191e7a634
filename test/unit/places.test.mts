/** @file Requests start in their order, urgent ones first, no more at once than there are places. */

import { sleep } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { Places } from '../../nodes/shared/values/places.ts';

it('gives places in their order, urgent ones first, and each back once', async () => {
	const places = new Places(2);
	const started: string[] = [];
	let running = 0;
	let most = 0;
	const work = async (name: string, isUrgent = false, then?: () => Promise<void>) => {
		const leave = await places.take(isUrgent);
		started.push(name);
		most = Math.max(most, ++running);
		await sleep(started.length);
		running--;
		const rest = then?.();
		leave();
		leave();
		await rest;
	};
	await Promise.all([
		work('first', false, async () => await work('half', true)),
		...['second', 'third', 'fourth'].map(async (name) => await work(name)),
	]);
	expect(started).toEqual(['first', 'second', 'half', 'third', 'fourth']);
	expect([most, running]).toEqual([2, 0]);
});
