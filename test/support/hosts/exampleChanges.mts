import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, CredentialData, DataTable, RestClient } from '../../hosts/rest.mts';
import type { Workflow } from '../../hosts/workflow.mts';
import { byWebhook } from './savedNodes.mts';

/** The workflow with a data table picked in every node that has one. */
export function withTable(workflow: Workflow, { id, name }: DataTable): Workflow {
	const dataTableId = { __rl: true, mode: 'list', value: id, cachedResultName: name };
	const tables = workflow.nodes.filter(({ parameters }) => 'dataTableId' in parameters);
	if (tables.length === 0) throw new Error('The workflow has no data table');
	return tables.reduce(
		(changed, node) => withParameters(changed, node.name, { dataTableId }),
		workflow,
	);
}

/** The workflow with lookups that do not stop at the first items of a manual run. */
export function withAllItems(workflow: Workflow): Workflow {
	const lookups = workflow.nodes.filter(({ type }) =>
		/contactData(Finder|Verifier|Company)$/.test(type),
	);
	return lookups.reduce(
		(changed, { name }) => withParameters(changed, name, { manualLimit: 0 }),
		workflow,
	);
}

/** The workflow with a webhook in place of its trigger: a call of this path starts it. */
export function withWebhook(workflow: Workflow, trigger: string, path: string): Workflow {
	return withNode(workflow, trigger, ({ id, name, position }) => ({
		...byWebhook(path),
		id,
		name,
		position,
	}));
}

/** The workflow with other parameters of a node. */
export function withParameters(
	workflow: Workflow,
	name: string,
	parameters: INodeParameters,
): Workflow {
	return withNode(workflow, name, (node) => ({
		...node,
		parameters: { ...node.parameters, ...parameters },
	}));
}

/** The workflow with a credential of a node that is not the package's. */
export function withCredentialOf(
	workflow: Workflow,
	name: string,
	{ id, name: title, type }: Credential,
): Workflow {
	return withNode(workflow, name, (node) => ({
		...node,
		credentials: { [type]: { id, name: title } },
	}));
}

/** What people enter in n8n to work with a tool. */
export interface SetUp {
	/** The type of n8n's node for it. */
	readonly node: string;
	readonly credentialType: string;
	readonly credentialData: CredentialData;
	/** What they pick in each of its nodes. */
	readonly picked?: INodeParameters;
}

/** The workflow with a tool set up in each of its nodes, and in the requests that use its credential. */
export async function withTool(
	workflow: Workflow,
	client: RestClient,
	{ node, credentialType, credentialData, picked = {} }: SetUp,
): Promise<Workflow> {
	const credential = await client.createCredential(node, credentialType, credentialData);
	return workflow.nodes
		.filter(
			({ type, parameters }) => type === node || parameters.nodeCredentialType === credentialType,
		)
		.reduce((changed, { name, parameters }) => {
			// What the example fills in itself, nobody picks.
			const isOpen = ([parameter]: [string, unknown]) => !Object(parameters[parameter]).value;
			const own = Object.fromEntries(Object.entries(picked).filter(isOpen));
			return withParameters(withCredentialOf(changed, name, credential), name, own);
		}, workflow);
}

/** The node of this name, which has to be there. */
export function nodeOf(workflow: Workflow, name: string): INode {
	const node = workflow.nodes.find((one) => one.name === name);
	if (!node) throw new Error(`There is no node ${name}`);
	return node;
}

function withNode(workflow: Workflow, name: string, change: (node: INode) => INode): Workflow {
	const changed = nodeOf(workflow, name);
	const nodes = workflow.nodes.map((node) => (node === changed ? change(node) : node));
	return { ...workflow, nodes };
}
