import type { INode, INodeParameters } from 'n8n-workflow';

import { asSaved } from '../node/asSaved.mts';
import type { TestHost } from './host.mts';

/** A node as n8n saves it. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters,
): INode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** A node of the package, with the credential of the host unless another is given. */
export function ours(
	{ packageName, credential }: Pick<TestHost, 'packageName' | 'credential'>,
	name: string,
	type: string,
	parameters: INodeParameters,
): INode {
	return {
		...node(name, `${packageName}.${type}`, 1, asSaved(type, parameters)),
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	};
}

/** Starts a workflow by hand. */
export function manually(name = 'Start'): INode {
	return node(name, 'n8n-nodes-base.manualTrigger', 1, {});
}

/** Starts a workflow in production, by a call. */
export function byWebhook(
	path: string,
	responseMode: 'onReceived' | 'lastNode' = 'onReceived',
): INode {
	const parameters = { path, httpMethod: 'POST', responseMode };
	return { ...node('Start', 'n8n-nodes-base.webhook', 2, parameters), webhookId: path };
}
