import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { invalidValue, missing } from '../outcomes/problem';
import { withRun } from '../sending/runs';
import { requestOptionsIn } from '../service/requestOptions';
import { toText } from '../values/text';
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
					properties: {
						regex: '^\\s*[0-9]+\\s*$',
						errorMessage: 'The list ID must be a number, e.g. 101',
					},
				},
			],
		},
	],
};

/**
 * The locator, for an operation whose path holds the id of the list.
 * @param part of the list, as it stands behind the id
 */
export function listLocatorFor(part = ''): INodeProperties {
	return { ...listLocator, routing: { request: { url: `=${LISTS_PATH}/{{$value}}${part}` } } };
}

/** The id of a list; throws `InvalidInput` for anything that cannot be one. */
export function toListId(value: unknown): string {
	const id = toText(value);
	if (id === '') throw missing('List');
	if (!/^\d+$/.test(id)) throw invalidValue('List', 'The list ID must be a number, e.g. 101');
	return id;
}

/** Fills the list dropdown: the lists of the account whose name holds the text typed so far. */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const lists = await withRun(
		this,
		async (run) => await readLists(async (path) => await run.get(path)),
		{ requestOptions: requestOptionsIn(this.getCurrentNodeParameter('requestOptions')) },
	);
	return {
		results: lists
			.map((list) => simplifyList(list))
			.map(({ id, name }) => ({ name: String(name ?? id), value: String(id) }))
			.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())),
	};
}
