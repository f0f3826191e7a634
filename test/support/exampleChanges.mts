import type { INode, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import type { Credential } from '../hosts/rest.mts';
import type { Workflow } from '../hosts/workflow.mts';

/** The fields of an Edit Fields node. */
const fieldsSchema = z.object({
	assignments: z.array(
		z.object({ id: z.string(), name: z.string(), value: z.string(), type: z.string() }),
	),
});

/** The workflow with another value in a field of its node "Settings". */
export function withSetting(workflow: Workflow, name: string, value: string): Workflow {
	const { parameters } = nodeOf(workflow, 'Settings');
	const { assignments } = fieldsSchema.parse(parameters.assignments);
	if (!assignments.some((one) => one.name === name)) throw new Error(`There is no setting ${name}`);
	const changed = assignments.map((one) => (one.name === name ? { ...one, value } : one));
	return withParameters(workflow, 'Settings', { assignments: { assignments: changed } });
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
