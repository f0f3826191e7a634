import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listPaths } from '../shared/api/lists';
import { emailAt } from '../shared/values/email';

/** The paths of the list that is chosen. */
export const CHOSEN_LIST = listPaths('{{$parameter.listId.value}}');

export const emailOption: INodeProperties = {
	displayName: 'Email',
	name: 'email',
	type: 'options',
	default: 'all',
	options: [
		{ name: 'All Leads', value: 'all' },
		{ name: 'Only with Email', value: 'with' },
		{ name: 'Only without Email', value: 'without' },
	],
	description: 'Which leads to return',
};

/** Whether the option Email wants a lead; `undefined` where it wants all. */
export function wantsLead(
	parameter: (name: string) => unknown,
): ((lead: IDataObject) => boolean) | undefined {
	const wanted = parameter('email');
	if (wanted !== 'with' && wanted !== 'without') return undefined;
	return (lead) => (emailAt(lead) !== null) === (wanted === 'with');
}
