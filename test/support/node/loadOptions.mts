import { LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	INodeParameters,
} from 'n8n-workflow';

import { ourNodes, type OurNode } from './engine.mts';
import { serverOf } from '../servers/server.mts';
import { soleNode } from './soleNode.mts';

/** The context in which n8n fills a dropdown of one of our nodes, while the node is being edited. */
export function loadOptionsContext(
	type: OurNode,
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters = {},
): ILoadOptionsFunctions {
	const { node, workflow } = soleNode(ourNodes[type], { parameters });
	const server = {
		...serverOf(credential, 'internal', 'dropdown'),
		currentNodeParameters: parameters,
	};
	return new LoadOptionsContext(workflow, node, server, 'listId');
}
