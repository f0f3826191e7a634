import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, DataTable } from '../hosts/rest.mts';
import type { Workflow } from '../hosts/workflow.mts';
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

/** The workflow with another origin in the URL of a node that asks one. */
export function withOrigin(workflow: Workflow, name: string, origin: string): Workflow {
	const url = String(nodeOf(workflow, name).parameters.url);
	return withParameters(workflow, name, {
		url: url.replace(/https:\/\/\w+\.example\.com/, origin),
	});
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
