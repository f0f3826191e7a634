import { LoadOptionsContext } from 'n8n-core';
import {
	Workflow,
	type ICredentialDataDecryptedObject,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';

import { ourNodes, type OurNode } from './engine.mts';
import { serverOf } from './server.mts';

/** The context in which n8n fills a dropdown of one of our nodes, while the node is being edited. */
export function loadOptionsContext(
	type: OurNode,
	credential: ICredentialDataDecryptedObject,
): ILoadOptionsFunctions {
	const node = {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0] satisfies [number, number],
		parameters: {},
		credentials: { contactDataApi: { id: '1', name: 'Test' } },
	};
	const nodeTypeOf = () => ourNodes[type];
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: nodeTypeOf,
			getByNameAndVersion: nodeTypeOf,
			getKnownTypes: () => ({}),
		},
	});
	const server = serverOf(credential, 'internal', 'dropdown');
	return new LoadOptionsContext(workflow, node, server, 'listId');
}
