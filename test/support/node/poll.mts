import { PollContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { ContactDataTrigger } from '../../../nodes/Trigger/ContactDataTrigger.node.ts';
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
 * @param budget how many milliseconds n8n gives a poll, which n8n 1 does not tell; n8n's own unless given
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
		if (budget === 'n8n 1') Reflect.deleteProperty(context, 'getPollBudgetMs');
		else if (budget) Object.assign(context, { getPollBudgetMs: () => budget });
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
