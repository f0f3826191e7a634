import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { emailAt } from '../shared/values/email';
import { PATHS } from '../shared/http/paths';

/** The path of a list, with its id. */
export const LIST_PATH = `=${PATHS.lists}/{{$parameter.listId.value}}`;

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
	const wanted = parameter('options.email');
	if (wanted !== 'with' && wanted !== 'without') return undefined;
	return (lead) => (emailAt(lead) !== null) === (wanted === 'with');
}
