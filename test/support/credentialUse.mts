import { ExecuteContext, RoutingNode } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeProperties,
	type INodeType,
	type IRequestOptions,
} from 'n8n-workflow';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { serverOf } from './server.mts';
import { soleNode } from './soleNode.mts';

/** A node of n8n that uses the credential. */
function otherNode(name: string, properties: INodeProperties[]): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['input'],
			version: 1,
			description: 'Uses the credential of the package',
			defaults: { name },
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: 'contactDataApi', required: true }],
			properties,
		},
	};
}

function contextOf(nodeType: INodeType, credential: ICredentialDataDecryptedObject) {
	const { node, workflow } = soleNode(nodeType);
	const input = { main: [[{ json: {} }]] };
	const server = serverOf(credential, 'internal', 'credential');
	return new ExecuteContext(
		workflow,
		node,
		server,
		'internal',
		createRunExecutionData(),
		0,
		[],
		input,
		executeDataOf(node),
		[],
	);
}

const executeDataOf = (node: INode) => ({ node, data: {}, source: null });

/** What n8n's credential dialog gets for its test, as its server runs it. */
export async function testCredential(
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject | undefined> {
	const { request } = new ContactDataApi().test;
	const nodeType = otherNode('tester', [
		{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
	]);
	const decrypted = { id: '1', name: 'Test', type: 'contactDataApi', data: { ...credential } };
	const routing = new RoutingNode(contextOf(nodeType, credential), nodeType, decrypted);
	const output = await routing.runNode();
	return output?.[0]?.[0]?.json;
}

/** What n8n's HTTP Request node gets for an address, when a user picks the credential there. */
export async function requestWithCredential(
	credential: ICredentialDataDecryptedObject,
	uri: string,
	more: IRequestOptions = {},
): Promise<unknown> {
	const context = contextOf(otherNode('n8n-nodes-base.httpRequest', []), credential);
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
