/**
 * @file How much code one item goes through in n8n's engine: what a reader of its path has to know. `LIST_FILES=1` lists
 * the files, too.
 */

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';

import { listWithId, peopleIn } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { report } from '../support/measures/report.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { enteredBy, type Entered } from './support/entered.mts';
import { printTable } from './support/figures.mts';

const service = useService();

// What one journey leaves in the code, e.g. the pace of an account, takes the next one another way.
beforeEach(() => void vi.resetModules());

/** Gets a run ready, after which only the run itself is left to do. */
type Journey = (
	credential: ICredentialDataDecryptedObject,
) => Promise<() => Promise<IDataObject[]>>;

const person = () => known(peopleIn(service(), 1)[0]);

/** Runs a node of a workflow for one item, its other parameters as they are by default. */
async function inWorkflow(
	node: 'contactDataFinder' | 'contactDataCompany',
	operation: string,
	item: IDataObject,
	credential: ICredentialDataDecryptedObject,
) {
	const { runNode } = await import('../support/node/engine.mts');
	return async () =>
		(await runNode({ node, parameters: { operation }, items: [item], credential })).json;
}

const inBulk: Journey = async (credential) => {
	const { fullName, domain } = person();
	return await inWorkflow('contactDataFinder', 'findBulk', { fullName, domain }, credential);
};

const afterRefusal: Journey = async (credential) => {
	service().faults.add({ status: 429, retryAfter: 'seconds', on: { times: 1 } });
	return await inBulk(credential);
};

const byJob: Journey = async (credential) => {
	service().variants.bulkAnswer = 'job';
	return await inBulk(credential);
};

const asTool: Journey = async (credential) => {
	const { toolOf } = await import('../support/node/tool.mts');
	const fields = ['fullName', 'domain'].map((name) => [name, `={{ $fromAI('${name}') }}`]);
	const call = toolOf({
		node: 'contactDataFinder',
		parameters: { operation: 'find', ...Object.fromEntries(fields) },
		credential,
	});
	const { fullName, domain } = person();
	return async () => await call({ fullName, domain });
};

const byPages: Journey = async (credential) => {
	service().options.pageCap = 5;
	const { domain } = person();
	return await inWorkflow('contactDataCompany', 'getLeads', { domain }, credential);
};

const byPoll: Journey = async (credential) => {
	const { pollingTrigger } = await import('../support/node/contexts.mts');
	const { poll } = pollingTrigger({ event: 'newLead', listId: listWithId('102') }, credential);
	// The first poll only remembers which lead is the newest.
	await poll();
	saveLeads(known(service().fixtures.list(102)), 1);
	return async () => (await poll()).map(({ json }) => json);
};

const found = [{ lookupStatus: 'found', email: expect.stringContaining('@') }];

const journeys: Array<{
	name: string;
	prepare: Journey;
	/** That of each response. */
	statuses: number[];
	output: object[];
}> = [
	{
		name: 'Find Emails in Bulk, a 429 first',
		prepare: afterRefusal,
		statuses: [429, 200],
		output: found,
	},
	{
		name: 'Find Emails in Bulk, by a job',
		prepare: byJob,
		statuses: [202, 200, 200, 200],
		output: found,
	},
	{ name: 'Find Email as a tool', prepare: asTool, statuses: [200], output: found },
	{
		name: 'Get Company Leads, two pages',
		prepare: byPages,
		statuses: [200, 200],
		output: Array.from({ length: 10 }, () => ({ fullName: expect.any(String) })),
	},
	{
		name: 'On New Lead in List, one poll',
		prepare: byPoll,
		statuses: [200],
		output: [{ id: expect.any(Number) }],
	},
];

const measured: Array<{ name: string; entered: Entered }> = [];

test.each(journeys)('$name', async ({ name, prepare, statuses, output }) => {
	const run = await prepare(credentialFor(service()));
	const before = service().requests.length;
	const { result, entered } = await enteredBy(run);
	expect(result).toMatchObject(output);
	expect(
		service()
			.requests.slice(before)
			.map(({ status }) => status),
	).toEqual(statuses);
	expect(entered.size).toBeGreaterThan(0);
	measured.push({ name, entered });
});

afterAll(() => {
	const functionsOf = (entered: Entered) =>
		[...entered.values()].reduce((sum, one) => sum + one, 0);
	printTable(
		['one item enters', 'files', 'functions'],
		measured.map(({ name, entered }) => [name, entered.size, functionsOf(entered)]),
	);
	if (!process.env.LIST_FILES) return;
	for (const { name, entered } of measured) {
		const lines = [...entered].map(([file, count]) => `${String(count).padStart(5)}  ${file}`);
		report([`\n${name}: functions, file`, ...lines].join('\n'));
	}
});
