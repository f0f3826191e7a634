import { NodeHelpers, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { ourNodes, type OurNode } from './engine.mts';
import { soleNode } from './soleNode.mts';

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
	const withDefaults = NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		{ typeVersion: 1 },
		description,
	);
	const { node, workflow } = soleNode(nodeType, { parameters: withDefaults ?? {} });
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
