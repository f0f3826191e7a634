import { LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';

import { ourNodes } from './engine.mts';
import { serverOf } from '../servers/server.mts';
import { soleNode } from './soleNode.mts';

/** What n8n fills the dropdown of the saved lists with while the node is being edited, and a text is typed. */
export async function searchLists(
	credential: ICredentialDataDecryptedObject,
	typed?: string,
	parameters: INodeParameters = {},
): Promise<INodeListSearchResult> {
	const { contactDataList } = ourNodes;
	const { node, workflow } = soleNode(contactDataList, { parameters });
	const server = serverOf(credential, 'internal', 'dropdown');
	server.currentNodeParameters = parameters;
	const context = new LoadOptionsContext(workflow, node, server, 'listId');
	return await contactDataList.methods.listSearch.searchLists.call(context, typed);
}
