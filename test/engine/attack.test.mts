/** @file What is left of the attacks: each shows what a user meets. They fail. */

import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { chain, emits } from '../support/node/chains.mts';
import { runNode, runWorkflow, type TestNode } from '../support/node/engine.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

test('a loop of one row at a time reads it as a run of all does', async () => {
	const rows: IDataObject[] = [
		{ Name: 'Hotel Adler', Website: 'adler-bonn.example' },
		{ Name: 'Pension Post', Website: 'post.example', Ansprechpartner: 'Ada Lovelace' },
	];
	const finder: TestNode = {
		name: 'Find',
		type: 'contactDataFinder',
		onError: 'continueRegularOutput',
		parameters: { operation: 'find', leadFields: 'auto', includeInputFields: true },
	};
	const askedIn = async (...batches: IDataObject[][]) => {
		for (const batch of batches) {
			await runWorkflow(chain([emits('Start', batch), finder], credentialFor(service())));
		}
		const asked = service().requests.map(({ rawQuery }) => rawQuery);
		service().reset();
		return asked;
	};
	const atOnce = await askedIn(rows);
	expect(await askedIn(...rows.map((row) => [row]))).toEqual(atOnce);
});

test('a lead whose email is to be looked up again, but that has no company, keeps it without a stop', async () => {
	const lead = { Name: 'Ada Lovelace', email: 'ada@acme.example', emailStatus: 'catch-all' };
	const { error, json } = await runNode({
		...{ node: 'contactDataFinder', credential: credentialFor(service()), items: [lead] },
		parameters: {
			...{ operation: 'find', leadFields: 'auto', includeInputFields: true },
			options: { keepEmailIf: 'valid' },
		},
	});
	expect(error?.message).toBeUndefined();
	expect(json).toMatchObject([{ status: 'known', ...lead }]);
});
