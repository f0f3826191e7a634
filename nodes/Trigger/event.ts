import type {
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';

/** What starts a workflow: its entry in the menu, the fields that only it has, and how it is looked for. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** One poll: the items that start the workflow. */
	poll(context: IPollFunctions): Promise<IDataObject[]>;
}

/**
 * What n8n keeps for the trigger between two polls. Another event has other keys: what it has left behind
 * goes, so that an event that is chosen again begins anew, as after its first activation.
 */
export function stateOf(context: IPollFunctions, keys: string[]): IDataObject {
	const state = context.getWorkflowStaticData('node');
	for (const key of Object.keys(state)) {
		if (!keys.includes(key)) delete state[key];
	}
	return state;
}
