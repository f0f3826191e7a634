import { NodeHelpers, Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { ourNodes, type OurNode } from './engine.mts';

/**
 * What the editor makes of an expression in the description of a node, for a node with these
 * parameters (and the defaults of the others) and these items before it.
 */
export function evaluated(
	type: OurNode,
	parameters: INodeParameters,
	expression: string,
	items: IDataObject[] = [],
): unknown {
	const nodeType = ourNodes[type];
	const { description } = nodeType;
	const version = { typeVersion: 1 };
	const node = {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0] satisfies [number, number],
		parameters:
			NodeHelpers.getNodeParameters(
				description.properties,
				parameters,
				true,
				false,
				version,
				description,
			) ?? {},
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
	});
	const input = items.map((json) => ({ json }));
	return workflow.expression.getParameterValue(
		expression,
		null,
		0,
		0,
		node.name,
		input,
		'manual',
		{},
	);
}
