import type { IDataObject } from 'n8n-workflow';
import type { InterfaceSettings } from '../http/connection';
import { unexpectedResponse } from '../http/errors';
import { objectWith } from '../http/response';
import { emailAt, toEmailStatus } from '../values/email';
import { holdsError, isObject, objectAt, textAt } from '../values/json';
import { toText } from '../values/text';
import { simplifyCompany } from './company';

/** The path of the finder (interface specification 4.5). */
export const FIND_PATH = '/api/v2/find';

/** What the finder is asked for (interface specification 4.5, 4.6). */
export type Person = Partial<
	Record<'fullName' | 'firstName' | 'lastName' | 'domain' | 'company' | 'country', string>
> & { includeCompanyData?: true };

/** The query of a single search, with the company under the name that the credential says (interface specification 4.5). */
export function finderQuery(
	{ company, ...person }: Person,
	{ companyNameParameter }: InterfaceSettings,
): IDataObject {
	return { ...person, [companyNameParameter]: company };
}

/** Whether somebody was found: a miss has no result, and in place of one that says nothing there is an error or `undefined`. */
export function isFound(results: unknown): boolean {
	return Array.isArray(results) && results.length > 0;
}

/**
 * The result of a single search, if it holds an email (interface specification 2.7, 4.5). An empty list of results is a
 * miss, and so is a result that has an email or what belongs to one, and leaves the email empty. Any other response says
 * nothing of an email: that throws a `Failure`.
 */
export function foundIn(response: object): IDataObject[] {
	const list: unknown = isObject(response) ? response.results : response;
	if (Array.isArray(list) && list.length === 0) return [];
	const result = objectWith(['email', 'pattern', 'quality'], response, 'a result');
	if (emailAt(result) !== null) return [result];
	// A list or an object may hold an email, and a text with this sign one that cannot be read.
	const isOther = typeof (result.email ?? '') === 'object' || toText(result.email).includes('@');
	if (isOther || holdsError(result)) throw unexpectedResponse('a result', result);
	return [];
}

/** What a result of the finder says (interface specification 2.6 to 2.8, with the spellings of their variants). */
export function simplifyFoundEmail(result: IDataObject): IDataObject {
	return {
		email: emailAt(result),
		emailStatus: toEmailStatus(textAt(objectAt(result, 'quality'), 'status')),
	};
}

/** The specification does not name the key of the company data, so it may be either of two. */
export function companyDataOf({ companyData, company }: IDataObject): IDataObject | null {
	const data = [companyData, company].find(isObject);
	return data === undefined ? null : simplifyCompany(data);
}
