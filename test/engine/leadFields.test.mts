/** @file What is asked for a list that nobody has chosen the fields of: judged by what reaches the service. */

import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { runNode } from '../support/node/engine.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** Runs a single lookup of these items, and gives what it sent, what it put out and what it said. */
async function run(operation: 'find' | 'verify', items: IDataObject[]) {
	const { items: output, hints = [] } = await runNode({
		node: operation === 'find' ? 'contactDataFinder' : 'contactDataVerifier',
		...{ items, credential: credentialFor(service()), onError: 'continueRegularOutput' },
		parameters: { operation, leadFields: 'auto', includeInputFields: true },
	});
	const asked = service().requests.map(({ rawQuery }) =>
		Object.fromEntries(new URLSearchParams(rawQuery)),
	);
	return { asked, output: output.map(({ json }) => json), said: hints.map((one) => one.message) };
}

const sites = ['adler-bonn.example', 'post.example', 'krone.example', 'linde.example'];

test('a row without a contact has no name, though its file left the cell out', async () => {
	const names = ['Hotel Adler', 'Pension Post', 'Weinhaus Krone', 'Gasthof Linde'];
	const items = names.map((Name, index): IDataObject => ({ Name, Website: sites[index] }));
	items[2].Ansprechpartner = 'Ada Lovelace';
	const { asked, output } = await run('find', items);
	expect(asked).toEqual([{ fullName: 'Ada Lovelace', domain: sites[2] }]);
	for (const index of [0, 1, 3]) {
		const lookupMessage = 'Not sent: no name (Ansprechpartner is empty in this row)';
		const refused = { lookupStatus: 'invalid_input', lookupMessage, lookupCredits: 0 };
		expect(output[index]).toMatchObject(refused);
	}
});

test('a list of companies buys nothing, and its items say why', async () => {
	const names = ['Hotel Adler & Spa', 'Pension Post', 'Weinhaus Krone GmbH', 'Gasthof Linde'];
	const items = names.map((Name, index): IDataObject => ({ Name, Website: sites[index] }));
	const { asked, output, said } = await run('find', items);
	expect(asked).toEqual([]);
	const why = "Name may be a company's, as no other column is a person's";
	for (const item of output) expect(item.lookupMessage).toBe(`Not sent: no name (${why})`);
	expect(said.join()).toContain('4 without a name');
});

test.each<[what: string, IDataObject]>([
	['a company with an umlaut', { Name: 'Bäckerei Müller', Website: 'baeckerei-mueller.example' }],
	['a person at a mailbox', { Name: 'Ann Lee', domain: 't-online.de' }],
])('%s is not looked up', async (_, item) => {
	expect((await run('find', [item])).asked).toEqual([]);
});

test('what differs in its signs alone is one question', async () => {
	const names = ["Pat O'Brien", 'Pat O’Brien', 'Pat O&#39;Brien', "Pat O'Brien, Jr."];
	const { asked } = await run(
		'find',
		names.map((fullName) => ({ fullName, Website: '[acme.example](https://acme.example)' })),
	);
	expect(asked).toEqual([{ fullName: "Pat O'Brien", domain: 'acme.example' }]);
});

test('an email among other text is verified once, and takes its place', async () => {
	const texts = ['ada@acme.example', 'Ada (ada@acme.example)', 'E-mail: ada@acme.example'];
	const broken = ['a b@acme.example', '.ada@acme.example', 'ada@acme.123'];
	const { asked, output } = await run(
		'verify',
		[...texts, ...broken].map((email) => ({ email })),
	);
	expect(asked.map(({ email }) => email)).toEqual(['ada@acme.example']);
	expect(output.map(({ email }) => email)).toEqual([...Array(3).fill(texts[0]), ...broken]);
	for (const item of output.slice(3))
		expect(item).toMatchObject({ emailStatus: 'invalid', lookupCredits: 0 });
});
