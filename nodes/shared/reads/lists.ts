import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';
import { withClient } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { hasCode } from '../http/errors';
import { objectsIn, objectWith } from '../http/response';
import { requestOptionsOf } from '../http/transport';
import { typedText } from '../input/fieldValues';
import { emailAt, toEmailStatus } from '../values/email';
import { numberAt, textAt, timestampAt } from '../values/json';
import { count, withScheme } from '../values/text';
import { InvalidInput, invalidValue } from '../failures/failure';
import { PATHS } from '../http/paths';

/** The lists (interface specification 4.2, a variant), or those that the account names (2.1) without such a path. */
export async function readLists(client: Pick<AccountClient, 'get'>): Promise<IDataObject[]> {
	const lists = await client.get(PATHS.lists).catch((thrown: unknown) => {
		// The codes of a service that does not have a path (interface specification 7).
		if (hasCode(thrown, [400, 404, 405])) return undefined;
		throw thrown;
	});
	if (lists) return objectsIn(lists, 'a list of lists');
	const account = await client.get(PATHS.account);
	return objectsIn(objectWith(['lists'], account, 'a list of lists').lists, 'a list of lists');
}

/** A list (interface specification 2.3 and its variant). Throws a `ServiceError` for what is none. */
export function listIn(answer: object): IDataObject {
	return objectWith(['list_id', 'name'], answer, 'a list');
}

/** The fields of a list with Simplify (interface specification 2.3 and its variant). */
export function simplifyList(list: IDataObject): IDataObject {
	return {
		id: numberAt(list, 'list_id', 'id'),
		name: textAt(list, 'name'),
		createdAt: timestampAt(list, 'creation_date'),
		leadCount: numberAt(list, 'count_leads', 'leads'),
		emailCount: numberAt(list, 'count_leads_emails'),
	};
}

/**
 * A page of the leads of a list, newest first (interface specification 4.3). The next page starts at
 * `next`, whether the service takes `start` for a lead id or for an offset.
 * @param isFiltered whether a keyword was sent: only then `count_results` counts all the results
 */
export function readLeadPage(answer: object, isFiltered: boolean) {
	const page = objectWith(['data'], answer, 'a page of leads');
	return {
		results: objectsIn(page.data, 'a page of leads'),
		// A service may state 0 for the end; no further page starts there.
		next: numberAt(page, 'next_start') || null,
		total: isFiltered ? numberAt(page, 'count_results') : null,
	};
}

/** The fields of a lead of a list with Simplify (interface specification 2.4 and its variant). */
export function simplifyListLead(lead: IDataObject): IDataObject {
	return {
		id: numberAt(lead, 'id'),
		fullName: textAt(lead, 'name'),
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		// Only some services send these.
		...('title' in lead && { title: textAt(lead, 'title') }),
		email: emailAt(lead),
		emailStatus: toEmailStatus(textAt(lead, 'email_status')),
		...('company' in lead && { company: textAt(lead, 'company') }),
		domain: textAt(lead, 'domain'),
		profileUrl: withScheme(textAt(lead, 'network_url', 'linkedin_url')),
		location: textAt(lead, 'location'),
		companyIndustry: textAt(lead, 'company_industry'),
		companyFounded: textAt(lead, 'company_founded', 'compnay_founded'),
		companySize: numberAt(lead, 'company_size'),
		companyHeadquarters: textAt(lead, 'company_hq'),
	};
}

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

/** The id of a list; throws `InvalidInput` for any other value. */
export function toListId(value: unknown): string {
	const text = typedText(value, 'List');
	if (text === '') {
		throw new InvalidInput({
			reason: 'missing_list',
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
	return {
		results: lists
			.map(simplifyList)
			.map(({ id, name, leadCount }) => {
				const leads = typeof leadCount === 'number' ? ` (${count(leadCount, 'lead')})` : '';
				return { name: `${String(name ?? id)}${leads}`, value: String(id) };
			})
			.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())),
	};
}
