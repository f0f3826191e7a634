import type {
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';
import { withClient } from '../shared/client/accounts';
import { stopError } from '../shared/output/onError';
import { problemOf } from '../shared/output/problem';

/** An event that starts a workflow: its entry in the menu, its own fields, and its poll. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** The items that start the workflow. */
	poll(context: IPollFunctions): Promise<IDataObject[]>;
}

/** Reads from the service for a poll; throws the error that n8n shows. */
export async function readForPoll<T>(
	context: IPollFunctions,
	read: Parameters<typeof withClient<T>>[1],
): Promise<T> {
	try {
		return await withClient(context, read);
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	}
}

/**
 * The data that n8n stores for the trigger between two polls. It drops the keys of another event, so that
 * an event that the user chooses again begins anew.
 */
export function stateOf(context: IPollFunctions, keys: string[]): IDataObject {
	const state = context.getWorkflowStaticData('node');
	for (const key of Object.keys(state)) {
		if (!keys.includes(key)) delete state[key];
	}
	return state;
}
