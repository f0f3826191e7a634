import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential } from '../../hosts/rest.mts';
import { chain, type Workflow } from '../../hosts/workflow.mts';

/** A workflow that looks up one person, without a model. */
export function findWorkflow(
	packageName: string,
	{ id, name, type }: Credential,
	parameters: INodeParameters,
): Workflow {
	const start: INode = {
		id: 'start',
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const find: INode = {
		id: 'find',
		name: 'Find',
		type: `${packageName}.contactDataFinder`,
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { [type]: { id, name } },
	};
	return { name: 'Find', nodes: [start, find], connections: chain('Start', 'Find') };
}
