import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';
import { readLists, simplifyList } from '../api/lists';
import { withClient } from '../client/accounts';
import { Failure, invalidValue } from '../failures/failure';
import { requestOptionsOf } from '../http/transport';
import { typedText } from '../input/fieldValues';
import { count } from '../values/text';

export const listLocator: INodeProperties = {
	displayName: 'List',
	name: 'listId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'One of the saved lists of the account',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a list...',
			typeOptions: { searchListMethod: 'searchLists', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 101',
			validation: [
				{
					type: 'regex',
					properties: {
						regex: '^\\s*[0-9]+\\s*$',
						errorMessage: 'The list ID must be a number, e.g. 101',
					},
				},
			],
		},
	],
};

/** The id of a list; throws `Failure` for any other value. */
export function toListId(value: unknown): string {
	const text = typedText(value, 'List');
	if (text === '') {
		throw new Failure('missing_list', {
			message: 'Not sent: no list is chosen',
			description: 'Choose a list, or check that the expression of the field List finds an ID.',
		});
	}
	if (!/^\d+$/.test(text)) throw invalidValue('List', 'The list ID must be a number, e.g. 101');
	return text;
}

/** Fills the list dropdown with the lists of the account whose name holds the text that the user typed. */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const requestOptions = requestOptionsOf(this.getCurrentNodeParameter('requestOptions'));
	const lists = await withClient(this, readLists, requestOptions);
	const typed = filter.trim().toLowerCase();
	const results = lists.map(simplifyList).flatMap(({ id, name, leadCount }) => {
		const label = String(name ?? id);
		if (!label.toLowerCase().includes(typed)) return [];
		const leads = typeof leadCount === 'number' ? ` (${count(leadCount, 'lead')})` : '';
		return { name: `${label}${leads}`, value: String(id) };
	});
	return { results };
}
