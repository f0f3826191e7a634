import type { IDataObject, IPollFunctions } from 'n8n-workflow';

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
