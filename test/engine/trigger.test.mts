import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import { ContactDataTrigger } from '../../nodes/Trigger/ContactDataTrigger.node.ts';
import { listWithId } from '../support/everyOperation.mts';
import { known } from '../support/expected.mts';
import { pollingTrigger } from '../support/poll.mts';
import { soleNode } from '../support/soleNode.mts';
import { saveLeads } from '../support/saveLeads.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const list = (id: number) => known(service().fixtures.list(id));
const save = (id: number, count: number) => saveLeads(list(id), count);

const trigger = (id: number, stored = {}) =>
	pollingTrigger(
		{ event: 'newLead', listId: listWithId(String(id)), simple: true },
		credentialFor(service()),
		stored,
	);

const ids = (items: Array<{ json: { id?: unknown } }>) => items.map(({ json }) => json.id);

describe('On New Lead in List', () => {
	test('the first poll remembers the newest lead and gives nothing, with one small request', async () => {
		const { poll, state } = trigger(101);
		const newest = list(101).leads.at(-1)?.id;
		expect(await poll()).toEqual([]);
		expect(service().requests.map(({ rawQuery }) => rawQuery)).toEqual(['size=1']);
		expect(state()).toEqual({ 'node:Trigger': { listId: '101', newestId: newest } });
	});

	test('each poll gives the leads saved since, oldest first, each once', async () => {
		const { poll, state } = trigger(102);
		await poll();
		expect(await poll()).toEqual([]);
		const first = save(102, 3);
		expect(ids(await poll())).toEqual(first);
		expect(await poll()).toEqual([]);
		const second = save(102, 1);
		const restarted = trigger(102, state());
		expect(ids(await restarted.poll())).toEqual(second);
		expect(await restarted.poll()).toEqual([]);
	});

	test.each(['id', 'offset'] as const)(
		'however many pages they fill, with `start` as %s and capped pages',
		async (leadsStart) => {
			service().variants.leadsStart = leadsStart;
			service().options.pageCap = 7;
			const { poll } = trigger(102);
			await poll();
			const saved = save(102, 60);
			expect(ids(await poll())).toEqual(saved);
		},
	);

	test('with deletions in between, of the remembered lead too', async () => {
		const { poll } = trigger(102);
		await poll();
		const { leads } = list(102);
		leads.splice(-2, 2);
		const saved = save(102, 4);
		leads.splice(
			leads.findIndex(({ id }) => id === saved[1]),
			1,
		);
		expect(ids(await poll())).toEqual([saved[0], saved[2], saved[3]]);
	});

	test('a poll that ends half-way gives nothing and loses nothing', async () => {
		service().options.pageCap = 10;
		const { poll, state } = trigger(102);
		await poll();
		const before = state();
		const saved = save(102, 35);
		service().faults.add({ on: { nth: 3 }, status: 403 });
		await expect(poll()).rejects.toThrow('Your plan does not include this feature');
		expect(state()).toEqual(before);
		expect(ids(await poll())).toEqual(saved);
	});

	test('a cursor that comes again in the middle of a backlog loses nothing', async () => {
		service().options.pageCap = 10;
		const { poll, state } = trigger(102);
		await poll();
		const before = state();
		const saved = save(102, 35);
		service().faults.add({ repeatCursor: true, on: { nth: 2 } });
		await expect(poll()).rejects.toThrow('without new results');
		expect(state()).toEqual(before);
		expect(ids(await poll())).toEqual(saved);
	});

	// n8n starts a poll on schedule, whether or not the one before has ended.
	test.each([
		['first', 0],
		['last', 1_000],
	])(
		'two polls at the same time give each lead once; the one that starts first ends %s',
		async (_, delayMs) => {
			service().options.pageCap = 10;
			const { poll, state } = trigger(102);
			await poll();
			const saved = save(102, 35);
			service().options.latencyMs = 50;
			service().faults.add({ delayMs, on: { nth: 1 } });
			const before = service().requests.length;
			const first = poll();
			await vi.waitUntil(() => service().requests.length > before, { interval: 10 });
			const later = save(102, 5);
			const both = await Promise.all([first, poll()]);
			expect(both.flatMap(ids).sort()).toEqual([...saved, ...later]);
			expect(state()).toMatchObject({ 'node:Trigger': { newestId: later.at(-1) } });
			expect(await poll()).toEqual([]);
		},
	);

	test('of two first polls at the same time only one remembers', async () => {
		const { poll } = trigger(102);
		service().faults.add({ delayMs: 200, on: { nth: 1 } });
		service().faults.add({ delayMs: 600, on: { nth: 2 } });
		const [first, second] = [poll(), poll()];
		await Promise.race([first, second]);
		const saved = save(102, 2);
		expect(await second).toEqual([]);
		expect(ids(await poll())).toEqual(saved);
	});

	test('another list begins anew', async () => {
		const { poll, state } = trigger(102);
		await poll();
		save(101, 2);
		const other = trigger(101, state());
		expect(await other.poll()).toEqual([]);
		const saved = save(101, 2);
		expect(ids(await other.poll())).toEqual(saved);
	});

	test('an empty list, and its first lead', async () => {
		list(102).leads.length = 0;
		const { poll } = trigger(102);
		expect(await poll()).toEqual([]);
		await expect(poll('manual')).rejects.toThrow('The list has no leads');
		const saved = save(102, 1);
		expect(ids(await poll())).toEqual(saved);
	});

	test('a manual run gives up to five recent leads and remembers nothing', async () => {
		const { poll, state } = trigger(101);
		const newest = list(101)
			.leads.slice(-5)
			.map(({ id }) => id)
			.reverse();
		expect(ids(await poll('manual'))).toEqual(newest);
		expect(state()).toEqual({});
	});

	test('tells what is wrong', async () => {
		const wrong = pollingTrigger({ listId: listWithId('999') }, credentialFor(service()));
		await expect(wrong.poll()).rejects.toMatchObject({
			message: expect.stringMatching(/^The list or job was not found/),
			description: expect.stringContaining('Check that it still exists'),
		});
		const none = pollingTrigger({ listId: listWithId('') }, credentialFor(service()));
		await expect(none.poll()).rejects.toThrow('missing List');
	});
});

describe('the fields and the subtitle', () => {
	const list = { listId: { mode: 'list', value: '' } };

	test.each([
		['newLead', 'On New Lead in List', { ...list, simple: true }],
		['lowCredits', 'On Low Credits', { creditKind: 'any', threshold: 100, simple: true }],
	])('of %s', (event, label, fields) => {
		const nodeType = new ContactDataTrigger();
		const { description } = nodeType;
		const shown = description.properties.filter((property) =>
			NodeHelpers.displayParameter({ event }, property, { typeVersion: 1 }, description),
		);
		const fieldsShown = shown.filter(({ type }) => type !== 'notice');
		const defaults = fieldsShown.map((one) => [one.name, one.default]);
		expect(Object.fromEntries(defaults)).toEqual({ event: 'newLead', ...fields });
		const { node, workflow } = soleNode(nodeType, { parameters: { event } });
		const { expression } = workflow;
		const subtitle = description.subtitle ?? '';
		expect(expression.getParameterValue(subtitle, null, 0, 0, node.name, [], 'manual', {})).toBe(
			label,
		);
	});
});
