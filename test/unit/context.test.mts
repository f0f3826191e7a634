/** @file Whether a credential is the same for every item, which n8n does not say. */

import { expect, it, vi } from 'vitest';

import { readCredential } from '../../nodes/shared/host/context.ts';

const plain = { baseUrl: 'https://api.example.com', apiKey: 'key=' };
const ofItem = { ...plain, apiKey: '={{ $json.tenantKey }}' };

it.each<[string, unknown[], boolean]>([
	['no field is an expression', [plain], true],
	['the key is one', [ofItem], false],
	['something inside is one', [{ ...plain, nested: { list: ['=1'] } }], false],
	// n8n may hand the fields over one by one.
	['the first part is one', [ofItem, 'https://api.example.com'], false],
	['the last part is one', ['https://api.example.com', ofItem], false],
	['the fields do not come by', [], false],
])('where %s', async (_, handedOver, isForAll) => {
	const workflow = { expression: { getParameterValue: (fields: unknown) => fields } };
	const getCredentials = vi.fn().mockImplementation(async function (this: {
		workflow: typeof workflow;
	}) {
		for (const fields of handedOver) this.workflow.expression.getParameterValue(fields);
		return plain;
	});
	const n8n = { workflow, getCredentials };
	expect(await readCredential(n8n, 2)).toEqual({ credential: plain, isForAll });
});
