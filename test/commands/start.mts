import { once } from 'node:events';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { IDataObject } from 'n8n-workflow';
import { outputOf } from '../hosts/execution.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import { owner, type CredentialData } from '../hosts/rest.mts';
import { readExample, withCredential, withList } from '../hosts/workflow.mts';
import { Failure } from '../machine/failure.mjs';
import { isFree } from '../machine/ports.mts';
import { demoList, peopleToTry } from '../emulator/demo.mts';
import { startService } from '../emulator/service.mts';
import { readOptions, runCommand } from './command.mjs';
import { step } from './step.mts';

const API_KEY = 'test-key';
const EDITOR_PORT = 5678;

/** What is printed of a lead. */
const FIELDS = {
	fullName: 'Name',
	lookupStatus: 'Status',
	email: 'Email',
	emailStatus: 'Email Status',
};

await runCommand(async (signal) => {
	const { once: endAfterRun, ...given } = readOptions('npm start', {
		once: { type: 'boolean', default: false },
		port: { type: 'string' },
	});
	// With --once nobody opens the editor, so any free port will do.
	const port = Number(given.port ?? (endAfterRun ? 0 : EDITOR_PORT));
	await checkPort(port);

	await using resources = new AsyncDisposableStack();
	const service = await step('Start the service emulator', async () => {
		return await startService({ demo: true });
	});
	resources.defer(async () => await service.close());
	const opened = resources.use(await openHost({ step, signal, port }));
	const { workflowUrl, leads } = await step(
		'Run the example workflow',
		async () => await runExample(opened, { baseUrl: service.baseUrl, apiKey: API_KEY }),
	);

	const { ledger } = service;
	console.log(`
${leadTable(leads)}
${leads.length} leads, ${ledger.total()} credits spent: ${ledger.total('findBulk')} to find, ${ledger.total('verifyBulk')} to verify`);
	if (endAfterRun) return;

	console.log(`
${styleText('bold', 'n8n')}       ${workflowUrl}
           email ${owner.email}, password ${owner.password}
${styleText('bold', 'Emulator')}  ${service.baseUrl}
           API key ${API_KEY}
           people to look up: ${peopleToTry(service.fixtures)}

Ctrl-C ends both.`);
	const { exited, log } = opened.host;
	const ended = exited.then((code) => {
		throw new Failure(`n8n ended by itself with code ${code}.`, { log });
	});
	if (!signal.aborted) await Promise.race([once(signal, 'abort'), ended]);
});

/** 0 is any free one. */
async function checkPort(port: number): Promise<void> {
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		throw new Failure('This is no port number.', { remedy: 'Use e.g. `--port 5700`.' });
	}
	if (port === 0 || (await isFree(port))) return;
	throw new Failure(`Port ${port} is in use.`, {
		remedy: `End what uses it, or take another one: \`npm start -- --port ${port + 1}\`.`,
	});
}

/**
 * Loads the example workflow with a credential into n8n and executes it.
 *
 * @returns the leads in the execution's own data, and where the editor shows the workflow
 */
async function runExample({ client, host, packageName }: OpenHost, connection: CredentialData) {
	const { log, url } = host;
	const credential = await client.createCredential('Emulator', 'contactDataApi', connection);
	const example = await readExample('find-and-verify-list-leads');
	const ready = withList(withCredential(example, packageName, credential), demoList);
	const workflow = await client.createWorkflow(ready);
	const id = await client.startWorkflow(workflow, 'Start');
	const execution = await client.waitForExecution(id);
	if (execution.status !== 'success') {
		const { error } = execution.data.resultData;
		throw new Failure(`The workflow ended with status ${execution.status}: ${error?.message}`, {
			remedy: error?.description ?? undefined,
			log,
		});
	}
	const leads = outputOf(execution, 'Verify Emails in Bulk').map(({ json }) => json);
	if (leads.length === 0 || !leads.every((lead) => lead.fullName && lead.lookupStatus)) {
		throw new Failure('The workflow gave no leads, or some without a name or a status.', { log });
	}
	return { leads, workflowUrl: `${url}/workflow/${workflow.id}` };
}

function leadTable(leads: readonly IDataObject[]): string {
	const table = new Table({
		head: Object.values(FIELDS),
		style: { head: ['bold'], border: [], compact: true },
	});
	table.push(...leads.map((lead) => Object.keys(FIELDS).map((field) => String(lead[field] ?? ''))));
	return table.toString();
}
