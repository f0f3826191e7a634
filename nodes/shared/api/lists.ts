import type { IDataObject } from 'n8n-workflow';
import { problemOf } from '../failures/failure';
import { cursorIn, objectsIn, objectWith } from '../http/response';
import { emailAt, toEmailStatus } from '../values/email';
import { idAt, numberAt, textAt, timestampAt } from '../values/json';
import { withScheme } from '../values/text';
import { ACCOUNT_PATH, type Getter } from './account';

/** The path of all lists (interface specification 4.2, a variant). */
export const LISTS_PATH = '/api/v2/list';

/** The paths of a list, of its leads and of their export (interface specification 4.2 to 4.4). */
export function listPaths(id: string) {
	const list = `${LISTS_PATH}/${id}`;
	return { list, leads: `${list}/leads`, export: `${list}/data` };
}

/** The lists (interface specification 4.2, a variant), or those that the account names (2.1) without such a path. */
export async function readLists(client: Getter): Promise<IDataObject[]> {
	const lists = await client.get(LISTS_PATH).catch((thrown: unknown) => {
		// A service that does not have the path may take the request for a bad one, too.
		const { isPath, next } = problemOf(thrown);
		if (isPath || next === 'parts') return undefined;
		throw thrown;
	});
	if (lists) return objectsIn(lists, 'a list of lists');
	const account = await client.get(ACCOUNT_PATH);
	return objectsIn(objectWith(['lists'], account, 'a list of lists').lists, 'a list of lists');
}

/** A list (interface specification 2.3 and its variant). Throws a `Failure` for what is none. */
export function listIn(response: object): IDataObject {
	return objectWith(['list_id', 'name'], response, 'a list');
}

/** The fields of a list with Simplify (interface specification 2.3 and its variant). */
export function simplifyList(list: IDataObject): IDataObject {
	return {
		id: idAt(list, 'list_id', 'id'),
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
export function readLeadPage(response: object, isFiltered: boolean) {
	const page = objectWith(['data'], response, 'a page of leads');
	return {
		results: objectsIn(page.data, 'a page of leads'),
		next: cursorIn(page, 'next_start', 'start'),
		total: isFiltered ? numberAt(page, 'count_results') : null,
	};
}

/** The fields of a lead of a list with Simplify (interface specification 2.4 and its variant). */
export function simplifyListLead(lead: IDataObject): IDataObject {
	return {
		id: idAt(lead, 'id'),
		fullName: textAt(lead, 'name'),
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		// Only some services send these.
		...('title' in lead && { title: textAt(lead, 'title') }),
		email: emailAt(lead),
		emailStatus: toEmailStatus(textAt(lead, 'email_status')),
		...('company' in lead && { company: textAt(lead, 'company') }),
		domain: textAt(lead, 'domain'),
		location: textAt(lead, 'location'),
	};
}

/** The fields of a lead of the export with Simplify (interface specification 2.5). */
export function simplifyExportedLead(lead: IDataObject): IDataObject {
	const firstName = textAt(lead, 'first_n');
	const lastName = textAt(lead, 'last_n', 'last_nd');
	return {
		fullName: [firstName, lastName].filter(Boolean).join(' ') || null,
		firstName,
		lastName,
		email: emailAt(lead),
		title: textAt(lead, 'title'),
		company: textAt(lead, 'company'),
		domain: textAt(lead, 'domain'),
		location: textAt(lead, 'location'),
		companyIndustry: textAt(lead, 'company_industry'),
		profileUrl: withScheme(textAt(lead, 'network_url', 'linkedin_url')),
	};
}
