import { outputOf } from '../hosts/execution.mts';
import type { OpenHost } from '../hosts/open.mts';
import type { CredentialData } from '../hosts/rest.mts';
import { readExample, withCredential, withList } from '../hosts/workflow.mts';
import { Failure } from '../machine/failure.mjs';
import { leadSchema, type Lead } from './leadTable.mts';

const EXAMPLE = 'find-and-verify-list-leads';
const TRIGGER = 'Start';
const RESULT = 'Name, Email and Status';
const TIMEOUT_MS = 120_000;
/** One that the emulator has; the file leaves the choice to its users. */
const LIST = { id: 102, name: 'Trade Fair' };

/**
 * Loads the example workflow with a credential into n8n and executes it.
 *
 * @returns the leads in the execution's own data, and where the editor shows the workflow
 */
export async function runExample(
	{ client, host, packageName }: OpenHost,
	connection: CredentialData,
): Promise<{ leads: Lead[]; workflowUrl: string }> {
	const data = { ...connection, customizeInterface: false };
	const credential = await client.createCredential('Emulator', 'contactDataApi', data);
	const tested = await client.testCredential(credential, data);
	if (tested.status !== 'OK') {
		throw new Failure(`The credential test says: ${tested.message}`, { log: host.log });
	}
	const example = withCredential(await readExample(EXAMPLE), packageName, credential);
	const workflow = await client.createWorkflow(withList(example, LIST));
	const id = await client.startWorkflow(workflow, TRIGGER);
	const execution = await client.waitForExecution(id, TIMEOUT_MS);
	if (execution.status !== 'success') {
		const { error } = execution.data.resultData;
		throw new Failure(`The workflow ended with status ${execution.status}: ${error?.message}`, {
			remedy: error?.description ?? undefined,
			log: host.log,
		});
	}
	const leads = outputOf(execution, RESULT).map(({ json }) => toLead(json));
	if (leads.length === 0) throw new Failure('The workflow gave no leads.', { log: host.log });
	return { leads, workflowUrl: `${host.url}/workflow/${workflow.id}` };
}

function toLead(json: object): Lead {
	const { success, data } = leadSchema.safeParse(json);
	if (success) return data;
	throw new Failure(`The workflow gave a lead without a name or a status: ${JSON.stringify(json)}`);
}
