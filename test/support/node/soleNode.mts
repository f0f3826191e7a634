import { Workflow, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';

/** A node with a credential, and the workflow that has nothing else in it. */
export interface SoleNode {
	node: INode;
	workflow: Workflow;
}

/**
 * Puts a node into a workflow of its own.
 *
 * @param settings what else the workflow has
 */
export function soleNode(
	nodeType: INodeType,
	{ name = 'Node', parameters = {} }: { name?: string; parameters?: INodeParameters } = {},
	settings: Partial<ConstructorParameters<typeof Workflow>[0]> = {},
): SoleNode {
	const node: INode = {
		id: '1',
		name,
		type: nodeType.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { contactDataApi: { id: '1', name: 'Test' } },
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
		// Luxon knows the offset of this zone without asking for it, for each expression that is evaluated.
		settings: { timezone: 'utc' },
		...settings,
	});
	return { node, workflow };
}
