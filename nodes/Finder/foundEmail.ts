import type { IDataObject } from 'n8n-workflow';

import { toEmailStatus } from '../shared/values/emailStatus';
import { isObject, lineAt, numberAt, objectAt, textAt } from '../shared/values/json';
import type { Person } from './person';

/** Whether the service found an email; an answer without one is a miss, like a 404. */
export function hasEmail(result: object): boolean {
	return isObject(result) && textAt(result, 'email') !== null;
}

/**
 * A finder result in the package's words (interface specification 2.6 to 2.8, with the spellings of
 * their variants). What the service does not repeat comes from the question; without a result, all
 * that was asked is still there.
 */
export function simplifyFoundEmail(result: IDataObject, person: Person): IDataObject {
	const quality = objectAt(result, 'quality');
	const firstName = textAt(result, 'firstName') ?? person.firstName ?? null;
	const lastName = textAt(result, 'lastName') ?? person.lastName ?? null;
	const joined = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : null;
	return {
		email: textAt(result, 'email'),
		emailStatus: toEmailStatus(textAt(quality, 'status')),
		emailStatusMessage: lineAt(quality, 'status_message'),
		result: textAt(quality, 'result') ?? textAt(result, 'result'),
		pattern: textAt(result, 'pattern'),
		firstName,
		lastName,
		fullName: textAt(result, 'name', 'fullName') ?? person.fullName ?? joined,
		company: textAt(result, 'company', 'companyName') ?? person.company ?? null,
		domain: textAt(result, 'domain') ?? person.domain ?? null,
		country: textAt(result, 'country') ?? person.country ?? null,
		companyId: numberAt(result, 'companyNetworkID', 'companyNetworkid'),
		accuracy: numberAt(result, 'accuracy'),
	};
}
