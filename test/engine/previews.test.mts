/** @file What n8n shows in the output panel before a node's first run: a JSON schema for each operation. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { root } from '../machine/paths.mjs';
import { isRecord } from '../emulator/values.mts';
import { runNode } from '../support/node/engine.mts';
import { bulkJob, everyOperation, type Sample } from '../operations.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** The schema that all of the values have in common; a value that is `null` once and text once is text. */
function schemaOf(values: unknown[]): object {
	const known = values.filter((value) => value !== null && value !== undefined);
	if (known.length === 0) return { type: 'null' };
	if (known.every(Array.isArray)) return { type: 'array', items: schemaOf(known.flat()) };
	if (!known.every(isRecord)) return { type: typeof known[0] };
	const names = new Set(known.flatMap((value) => Object.keys(value)));
	const properties = [...names].map((name) => [name, schemaOf(known.map((value) => value[name]))]);
	return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Where n8n looks for the preview of an operation. */
function fileOf({ node, operation, parameters: { resource } }: Sample): string {
	const folder = join('nodes', node.replace('contactData', ''), '__schema__', 'v1.0.0');
	return join(folder, String(resource), `${operation}.json`);
}

test('the output previews are up to date (npm run previews)', async () => {
	const samples = [...everyOperation(service()), bulkJob('9001')];
	service().variants.finderExtras = true;
	for (const sample of samples) {
		const { node, operation, parameters } = sample;
		if (operation === 'getBulkJob') {
			const { fullName: name, domain } = samples[0].parameters;
			await acceptJob(service(), { tId: 1, name, domain });
		}
		const { json } = await runNode({ node, parameters, credential: credentialFor(service()) });
		expect(json, operation).not.toEqual([]);
		const text = `${JSON.stringify({ ...schemaOf(json), version: 1 }, null, '\t')}\n`;
		const file = join(root, fileOf(sample));
		if (process.env.UPDATE_PREVIEWS) {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
		}
		expect(await readFile(file, 'utf8').catch(() => 'missing'), file).toBe(text);
	}
	const files = await readdir(join(root, 'nodes'), { recursive: true });
	const previews = files.filter((file) => file.includes('__schema__') && file.endsWith('.json'));
	const expected = samples.map(fileOf).toSorted();
	expect(previews.map((file) => join('nodes', file)).toSorted()).toEqual(expected);
});
