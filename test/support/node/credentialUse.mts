import { ExecuteContext, RoutingNode } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeProperties,
	type INodeType,
	type IRequestOptions,
} from 'n8n-workflow';

import { ContactDataApi } from '../../../credentials/ContactDataApi.credentials.ts';
import { ourNodes } from './engine.mts';
import { serverOf } from '../servers/server.mts';
import { soleNode } from './soleNode.mts';

/** A node of n8n that uses the credential, and what it is run in. */
function otherNode(
	credential: ICredentialDataDecryptedObject,
	name: string,
	properties: INodeProperties[] = [],
) {
	const { description } = ourNodes.contactDataAccount;
	const nodeType: INodeType = {
		description: { ...description, name, properties, requestDefaults: undefined },
	};
	const { node, workflow } = soleNode(nodeType);
	const server = serverOf(credential, 'internal', 'credential');
	const run = createRunExecutionData();
	const input = { main: [[{ json: {} }]] };
	const by = { node, data: {}, source: null };
	const context = new ExecuteContext(workflow, node, server, 'internal', run, 0, [], input, by, []);
	return { nodeType, context };
}

/** What n8n's credential dialog gets for its test, as its server runs it. */
export async function testCredential(
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject | undefined> {
	const { request } = new ContactDataApi().test;
	const { nodeType, context } = otherNode(credential, 'tester', [
		{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
	]);
	const decrypted = { id: '1', name: 'Test', type: 'contactDataApi', data: { ...credential } };
	const output = await new RoutingNode(context, nodeType, decrypted).runNode();
	return output?.[0]?.[0]?.json;
}

/** What n8n's HTTP Request node gets for an address, when a user picks the credential there. */
export async function requestWithCredential(
	credential: ICredentialDataDecryptedObject,
	uri: string,
	more: IRequestOptions = {},
): Promise<unknown> {
	const { context } = otherNode(credential, 'n8n-nodes-base.httpRequest');
	return await context.helpers.requestWithAuthentication.call(context, 'contactDataApi', {
		headers: { accept: 'application/json' },
		method: 'GET',
		uri,
		gzip: true,
		rejectUnauthorized: true,
		json: true,
		...more,
	});
}
