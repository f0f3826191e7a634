/** @file Where n8n runs code of the package outside of a workflow that executes: a poll, a dropdown, a credential. */

import { ExecuteContext, LoadOptionsContext, PollContext, RoutingNode } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type IRequestOptions,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ContactDataApi } from '../../../credentials/ContactDataApi.credentials.ts';
import { ContactDataTrigger } from '../../../nodes/Trigger/ContactDataTrigger.node.ts';
import { ourNodes } from './engine.mts';
import { serverOf } from '../servers/server.mts';
import { soleNode } from './soleNode.mts';

/** The trigger in a workflow, as n8n keeps it between two polls. */
export interface Polled {
	/** One poll: the items that start the workflow. */
	poll: (mode?: WorkflowExecuteMode) => Promise<INodeExecutionData[]>;
	/** What n8n would store of it. */
	state: () => IDataObject;
	/** Lets the next poll begin with what was stored earlier. */
	goBack: (state: IDataObject) => void;
	rename: (name: string) => void;
}

let opened = 0;

/**
 * Puts the trigger into a workflow, with what an earlier process has stored of it.
 *
 * @param budget how many milliseconds n8n gives a poll, which n8n 1, without that and other hooks, does not tell; n8n's own unless
 * given
 */
export function pollingTrigger(
	parameters: INodeParameters,
	credential: ICredentialDataDecryptedObject,
	stored: IDataObject = {},
	budget?: number | 'n8n 1',
): Polled {
	const trigger = new ContactDataTrigger();
	const { node, workflow } = soleNode(
		trigger,
		{ name: 'Trigger', parameters },
		// What was stored comes from an earlier process, of which the trigger knows nothing.
		{ id: `test-${(opened += 1)}`, active: true, staticData: structuredClone(stored) },
	);
	const poll = async (mode: WorkflowExecuteMode = 'trigger') => {
		const activation = mode === 'manual' ? 'manual' : 'activate';
		const server = serverOf(credential, mode, 'poll');
		const context = new PollContext(workflow, node, server, mode, activation);
		if (budget === 'n8n 1') {
			for (const since2 of ['getPollBudgetMs', '__commitCursor']) {
				Reflect.deleteProperty(context, since2);
			}
		} else if (budget) Object.assign(context, { getPollBudgetMs: () => budget });
		return (await trigger.poll.call(context))?.[0] ?? [];
	};
	return {
		poll,
		state: () => JSON.parse(JSON.stringify(workflow.staticData)),
		goBack: (state) => {
			workflow.staticData = structuredClone(state);
		},
		rename: (name) => {
			node.name = name;
		},
	};
}

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
