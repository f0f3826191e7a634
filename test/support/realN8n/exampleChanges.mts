import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, CredentialData, RestClient } from '../../hosts/rest.mts';
import type { Workflow } from '../../hosts/workflow.mts';

/** The name of a node, or what nodes have in common. */
type Which = string | ((node: INode) => boolean);

/** The workflow with a change of some nodes. */
export function withNodes(
	workflow: Workflow,
	which: Which,
	change: (node: INode) => Partial<INode>,
): Workflow {
	const named = typeof which === 'string' ? nodeOf(workflow, which) : undefined;
	const isMeant = typeof which === 'string' ? (node: INode) => node === named : which;
	const nodes = workflow.nodes.map((node) => (isMeant(node) ? { ...node, ...change(node) } : node));
	return { ...workflow, nodes };
}

/** The workflow with other parameters of some nodes. */
export function withParameters(
	workflow: Workflow,
	which: Which,
	changed: INodeParameters,
): Workflow {
	return withNodes(workflow, which, ({ parameters }) => ({
		parameters: { ...parameters, ...changed },
	}));
}

/** The workflow with a credential of a node that is not the package's. */
export function withCredentialOf(
	workflow: Workflow,
	which: Which,
	{ id, name, type }: Credential,
): Workflow {
	return withNodes(workflow, which, () => ({ credentials: { [type]: { id, name } } }));
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
	const isUser = ({ type, parameters }: INode) =>
		type === node || parameters.nodeCredentialType === credentialType;
	return withNodes(withCredentialOf(workflow, isUser, credential), isUser, ({ parameters }) => {
		// What the example fills in itself, nobody picks.
		const isOpen = ([parameter]: [string, unknown]) => !Object(parameters[parameter]).value;
		const own = Object.fromEntries(Object.entries(picked).filter(isOpen));
		return { parameters: { ...parameters, ...own } };
	});
}

/** The node of this name, which has to be there. */
export function nodeOf({ nodes }: Workflow, name: string): INode {
	const node = nodes.find((one) => one.name === name);
	if (!node) throw new Error(`There is no node ${name}`);
	return node;
}
