import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { runNode, type OurNode } from '../support/engine.mts';
import { everyOperation } from '../support/everyOperation.mts';
import { schemaOf } from '../support/jsonSchema.mts';
import { credentialFor, useService } from '../support/service.mts';

const nodesFolder = fileURLToPath(new URL('../../nodes', import.meta.url));

const service = useService();

/** Where n8n looks for the preview of an operation. */
function fileOf(node: OurNode, resource: unknown, operation: string): string {
	const folder = node.replace('contactData', '');
	return join(nodesFolder, folder, '__schema__', 'v1.0.0', String(resource), `${operation}.json`);
}

/** The output of every operation, from answers that hold all fields of the specification. */
async function outputs(): Promise<Map<string, IDataObject[]>> {
	service().variants.finderExtras = true;
	const credential = credentialFor(service());
	const found = new Map<string, IDataObject[]>();
	for (const { node, operation, parameters } of everyOperation(service())) {
		const { json } = await runNode({ node, parameters, credential });
		found.set(fileOf(node, parameters.resource, operation), json);
		if (operation !== 'findBulk') continue;
		service().variants.bulkAnswer = 'job';
		service().variants.jobPolls = 1;
		const jobTimeout = { ...parameters, options: { jobTimeout: 0, country: 'Kenya' } };
		const [{ jobId }] = (await runNode({ node, parameters: jobTimeout, credential })).json;
		const collect = { resource: 'email', operation: 'getBulkJob', jobId: String(jobId) };
		const { json: rows } = await runNode({ node, parameters: collect, credential });
		found.set(fileOf(node, 'email', 'getBulkJob'), rows);
		service().variants.bulkAnswer = 'rows';
	}
	return found;
}

test('the output previews are up to date (npm run previews)', async () => {
	const found = await outputs();
	for (const [file, json] of found) {
		expect(json.length, file).toBeGreaterThan(0);
		const text = `${JSON.stringify({ ...schemaOf(json), version: 1 }, null, '\t')}\n`;
		if (process.env.UPDATE_PREVIEWS) {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
		}
		expect(await readFile(file, 'utf8').catch(() => 'missing'), file).toBe(text);
	}
	const files = await readdir(nodesFolder, { recursive: true });
	const previews = files.filter((file) => file.includes('__schema__') && file.endsWith('.json'));
	expect(previews.map((file) => join(nodesFolder, file)).sort()).toEqual([...found.keys()].sort());
});
