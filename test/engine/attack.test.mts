/** @file Attacks: each shows a promise that was broken, as a user meets it. */

import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { find, hit, leadOf, miss, numbers, paidAmong } from '../support/leads/lookups.mts';
import { chain, emits, outputOf } from '../support/node/chains.mts';
import { runWorkflow, type OurNode, type TestNode } from '../support/node/engine.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();
useQuickClock();

const row = (number: number): IDataObject => {
	const { first: firstName, last: lastName, domain } = leadOf(number);
	return { firstName, lastName, domain };
};

function node(name: string, type: OurNode, operation: string, options = {}): TestNode {
	const parameters = { operation, options, leadFields: 'auto', includeInputFields: true };
	return { name, type, onError: 'continueRegularOutput', parameters };
}

/** Runs nodes one behind the other, and gives what the last one put out and said. */
async function run(...nodes: TestNode[]) {
	const run = await runWorkflow(chain(nodes, credentialFor(service())));
	const { name } = nodes.at(-1) ?? { name: '' };
	const { hints = [] } = run.data.resultData.runData[name].at(-1) ?? {};
	return { output: outputOf(run, name), said: hints.map(({ message }) => message).join(' ') };
}

/** Whom Find Email asks for. */
async function askedFor(...items: IDataObject[]) {
	await run(emits('Start', items), node('Find', 'contactDataFinder', 'find'));
	return service().requests.map(({ rawQuery }) =>
		Object.fromEntries(new URLSearchParams(rawQuery)),
	);
}

test('nobody is told to look up again what a bulk job is paid for', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000 });
	const { said } = await run(
		emits('Start', numbers(3).map(row)),
		node('Find', 'contactDataFinder', 'findBulk', { jobTimeout: 0 }),
		node('Verify', 'contactDataVerifier', 'verifyBulk'),
	);
	expect(said).toContain('3 waiting for a bulk job');
	expect(said).not.toContain('Look them up again');
});

test('a lead without an email does not make the others unrecognized', async () => {
	const leads = [...paidAmong(find, 20).slice(0, 4), miss];
	const { said } = await run(
		emits(
			'Start',
			leads.map((number) => ({ ...row(number), 'Owner Email': 'rep@us.example' })),
		),
		node('Find', 'contactDataFinder', 'findBulk'),
		node('Verify', 'contactDataVerifier', 'verifyBulk'),
	);
	expect(said).not.toContain('No email was recognized');
});

test("the user's own source stays, though the node before has that name", async () => {
	const { output } = await run(
		emits('Start', [{}]),
		emits('HubSpot', [{ ...row(hit), source: 'HubSpot' }]),
		node('Find', 'contactDataFinder', 'find'),
	);
	expect(output).toMatchObject([{ status: 'found', source: 'HubSpot' }]);
});

test('the colleague who owns a record of a German Salesforce is nobody who is looked up', async () => {
	const own = { Name: 'Ada Lovelace', Firma: 'Acme' };
	const asked = await askedFor(
		{ ...own, 'Lead-Inhaber': 'Bob Ray', 'Lead-Inhaber: E-Mail': 'bob@us.example' },
		{ ...own, Kontaktinhaber: 'Bob Ray' },
	);
	expect(asked).toEqual([{ fullName: 'Ada Lovelace', company: 'Acme' }]);
});

test.each([
	'M. Dupont',
	'Maître Dupont',
	'D. García',
	'Dña. García',
	'Avv. Rossi',
	'Familie Müller',
])('%s is half a name', async (Contact) =>
	expect(await askedFor({ Contact, Company: 'Acme' })).toEqual([]),
);

test('several people on lines of their own are not one', async () => {
	expect(await askedFor({ Contact: 'Ann Lee\nBob Ray', Company: 'Acme' })).toEqual([]);
});

test('a company with an umlaut is the one of its website', async () => {
	const asked = await askedFor({
		Name: 'Bäckerei Müller',
		Website: 'www.baeckerei-mueller.example',
	});
	expect(asked).toEqual([]);
});

test.each(['t-online.de', 'wanadoo.fr', 'libero.it', 'freenet.de', 'laposte.net'])(
	'the mail provider %s is nobody‘s company',
	async (domain) => expect(await askedFor({ Name: 'Ann Lee', domain })).toEqual([]),
);

test.each(['Particulier', 'Privat', 'Self', 'Student', 'Aucune', 'Sin empresa', 'Non renseigné'])(
	'somebody without a company, who wrote %s, is at none',
	async (Company) => expect(await askedFor({ Name: 'Ann Lee', Company })).toEqual([]),
);
