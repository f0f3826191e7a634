import { once } from 'node:events';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { z } from 'zod';
import { outputOf } from '../hosts/execution.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import { owner, type CredentialData } from '../hosts/rest.mts';
import { readExample, withCredential, withList } from '../hosts/workflow.mts';
import { Failure } from '../machine/failure.mjs';
import { isFree } from '../machine/ports.mts';
import { demoList } from '../emulator/demo.mts';
import { startService } from '../emulator/service.mts';
import { readOptions, runCommand } from './command.mjs';
import { step } from './step.mts';

const API_KEY = 'test-key';
const EDITOR_PORT = 5678;
const RUN_TIMEOUT_MS = 120_000;

/** What the example workflow tells of a lead. */
const leadSchema = z.object({
	fullName: z.string().min(1),
	status: z.string().min(1),
	email: z.string().nullable(),
	emailStatus: z.string().nullable(),
});

await runCommand(async (signal) => {
	const { once: endAfterRun, ...given } = readOptions('npm start', {
		once: { type: 'boolean', default: false },
		port: { type: 'string' },
	});
	// With --once nobody opens the editor, so any free port will do.
	const port = given.port ?? (endAfterRun ? undefined : String(EDITOR_PORT));
	if (port !== undefined) await checkPort(port);

	await using resources = new AsyncDisposableStack();
	const service = await step('Start the service emulator', async () => {
		return await startService({ demo: true });
	});
	resources.defer(async () => await service.close());
	const opened = resources.use(
		await openHost({ step, signal, port: port === undefined ? port : Number(port) }),
	);
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

Ctrl-C ends both.`);
	const { exited, log } = opened.host;
	const ended = exited.then((code) => {
		throw new Failure(`n8n ended by itself with code ${code}.`, { log });
	});
	if (!signal.aborted) await Promise.race([once(signal, 'abort'), ended]);
});

async function checkPort(text: string): Promise<void> {
	const port = Number(text);
	if (!Number.isInteger(port) || port <= 0 || port > 65_535) {
		throw new Failure(`"${text}" is no port number.`, { remedy: 'Use e.g. `--port 5700`.' });
	}
	if (await isFree(port)) return;
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
	const data = { ...connection, customizeInterface: false };
	const credential = await client.createCredential('Emulator', 'contactDataApi', data);
	const tested = await client.testCredential(credential, data);
	if (tested.status !== 'OK') {
		throw new Failure(`The credential test says: ${tested.message}`, { log });
	}
	const example = await readExample('find-and-verify-list-leads');
	const ready = withList(withCredential(example, packageName, credential), demoList);
	const workflow = await client.createWorkflow(ready);
	const id = await client.startWorkflow(workflow, 'Start');
	const execution = await client.waitForExecution(id, RUN_TIMEOUT_MS);
	if (execution.status !== 'success') {
		const { error } = execution.data.resultData;
		throw new Failure(`The workflow ended with status ${execution.status}: ${error?.message}`, {
			remedy: error?.description ?? undefined,
			log,
		});
	}
	const leads = outputOf(execution, 'Verify Emails in Bulk').map(({ json }) => {
		const { success, data: lead } = leadSchema.safeParse(json);
		if (success) return lead;
		throw new Failure(`A lead came without a name or a status: ${JSON.stringify(json)}`);
	});
	if (leads.length === 0) throw new Failure('The workflow gave no leads.', { log });
	return { leads, workflowUrl: `${url}/workflow/${workflow.id}` };
}

function leadTable(leads: ReadonlyArray<z.infer<typeof leadSchema>>): string {
	const table = new Table({
		head: ['Name', 'Status', 'Email', 'Email Status'],
		style: { head: ['bold'], border: [], compact: true },
	});
	for (const { fullName, status, email, emailStatus } of leads) {
		table.push([fullName, status, email ?? '', emailStatus ?? '']);
	}
	return table.toString();
}
