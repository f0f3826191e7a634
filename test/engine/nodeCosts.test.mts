/** @file What an execution tells of its costs: of all its nodes together, and of each. */

import { expect, test } from 'vitest';

import { numbers, subjectsOf, findBulk } from '../support/bulk.mts';
import { chain, emits, looksUp, runOverWaits, toldInFull, waits } from '../support/chains.mts';
import { runWorkflow } from '../support/engine.mts';
import { find, verify } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const leads = numbers(12);
const found = subjectsOf(findBulk, leads).length;
const items = leads.map((number) => ({ ...find.item(number), ...verify.item(number) }));

test('one node: what it has spent', async () => {
	const nodes = [emits('Start', items), looksUp('Find', find)];
	const run = await runWorkflow(chain(nodes, credentialFor(service())));
	expect(toldInFull(run)).toBe(`${found} credits spent`);
});

test('several: the sum, and what each has spent, over a Wait too', async () => {
	const nodes = [
		emits('Start', items),
		looksUp('Find', find),
		waits(),
		emits('Again', items),
		looksUp('Verify: all', verify),
		emits('More', [{ ...find.item(13), ...find.item(14) }]),
	];
	const runs = await runOverWaits(chain(nodes, credentialFor(service())));
	const text = `${found + 12} credits spent (Find: ${found}, Verify: all: 12)`;
	expect(runs.map(toldInFull)).toEqual([`${found} credits spent`, text]);
	expect(service().ledger.total()).toBe(found + 12);
});

test('a node that spent nothing is not named', async () => {
	const nodes = [
		emits('Start', items),
		looksUp('Find', find),
		emits('Again', items),
		looksUp('Find Again', find),
	];
	const run = await runWorkflow(chain(nodes, credentialFor(service())));
	expect(toldInFull(run)).toBe(`${found} credits spent`);
});

test('the names of many nodes fit into what n8n keeps', async () => {
	const nodes = [emits('Start', items.slice(0, 1))];
	for (const number of numbers(20)) {
		nodes.push(emits(`Items ${number}`, [verify.item(number)]));
		nodes.push(looksUp(`Verify what came in ${'x'.repeat(40)} ${number}`, verify));
	}
	const told = toldInFull(await runWorkflow(chain(nodes, credentialFor(service())))) ?? '';
	expect(told).toMatch(/^20 credits spent \(Verify what.*…\)$/);
	expect(told.length).toBeLessThan(512);
});
