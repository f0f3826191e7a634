import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { InvalidInput } from './request/outcome';
import { DEFAULT_PACE, Run } from './request/run';
import { LISTS_PATH, readLists, simplifyList } from './lists';

/** A saved list, picked from the account's lists or given by its id. */
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
					properties: { regex: '^\\s*[0-9]+\\s*$', errorMessage: 'A list ID has digits only' },
				},
			],
		},
	],
};

/** The path of a list, or of something in it, as an expression for the `routing` of the locator. */
export function listUrl(part = ''): string {
	return `=${LISTS_PATH}/{{ String($value).trim() }}${part}`;
}

/** Throws {@link InvalidInput} for anything that cannot be the id of a list. */
export function checkListId(value: string): void {
	if (!/^\d+$/.test(value)) throw new InvalidInput('list ID (digits only)');
}

/** Fills the list dropdown: the lists of the account whose name holds the text typed so far. */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const run = new Run(this);
	const lists = await readLists(
		async (path) => await run.send({ method: 'GET', url: path }, DEFAULT_PACE),
	);
	return {
		results: lists
			.map((list) => simplifyList(list))
			.map(({ id, name }) => ({ name: String(name ?? id), value: String(id) }))
			.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())),
	};
}
