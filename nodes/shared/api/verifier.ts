import type { IDataObject } from 'n8n-workflow';
import type { InterfaceSettings } from '../http/connection';
import { unexpectedResponse } from '../http/errors';
import { objectsIn } from '../http/response';
import { comparableEmail, toEmailStatus } from '../values/email';
import { isObject, textAt } from '../values/json';

/** The path of the verifier (interface specification 4.7). */
export const VERIFY_PATH = '/v3/verify';

/** The most emails of one request (interface specification 8). */
export const MAX_EMAILS = 50;

/** The length of a URL, in characters, that every proxy and server accepts. */
const MAX_URL = 6_000;

/** What the verifier is asked for (interface specification 4.7). */
export interface EmailQuery extends IDataObject {
	email: string;
	enrich?: true;
}

/** The query of a single verification. Emails that differ only in their letter case, or in how their domain is written, are the same. */
export function verifierQuery({ email, ...query }: EmailQuery): IDataObject {
	return { email: comparableEmail(email), ...query };
}

/** The verification in a response (interface specification 2.10). Throws a `ServiceError` for what is none. */
export function verificationIn(response: object): IDataObject {
	if (isObject(response) && hasStatus(response)) return response;
	throw unexpectedResponse('a verification status', response);
}

/** How many of these emails, the first ones, fit into the URL of one request. */
export function countFitting(
	queries: EmailQuery[],
	{ bulkVerifierPath }: InterfaceSettings,
): number {
	// 200 characters are for the Base URL.
	let length = 200 + bulkVerifierPath.length;
	const fit = queries.findIndex(({ email }) => {
		length += '&email='.length + encodeURIComponent(email).length;
		return length > MAX_URL;
	});
	return fit < 0 ? queries.length : fit;
}

/** A bulk request, in the form that the credential says (interface specification 4.8). */
export function bulkRequest(
	emails: string[],
	{ bulkVerifierPath, bulkVerifierQuery }: InterfaceSettings,
) {
	return {
		url: bulkVerifierPath,
		qs: { email: bulkVerifierQuery === 'comma' ? emails.join(',') : emails },
		arrayFormat: 'repeat' as const,
	};
}

/**
 * The verifications in a response in the order of the emails (in lower case), by the email that each names, never by
 * position: first where both are spelt the same, then where they are the same mailbox.
 */
export function matchEmails(response: object, emails: string[]): Array<IDataObject[] | undefined> {
	const complete = objectsIn(response, 'verifications').filter(hasStatus);
	const byEmail = (some: IDataObject[], spell: (email: string) => string) =>
		new Map(some.map((result) => [spell(textAt(result, 'email') ?? ''), result] as const));
	const exactly = byEmail(complete, (email) => email.toLowerCase());
	const taken = new Set(emails.map((email) => exactly.get(email)));
	const others = complete.filter((result) => !taken.has(result));
	const roughly = byEmail(others, comparableEmail);
	return emails.map((email) => {
		const result = exactly.get(email) ?? roughly.get(comparableEmail(email));
		return result && [result];
	});
}

function hasStatus(result: IDataObject): boolean {
	return textAt(result, 'email_status') !== null;
}

/** The status of an email that a verification gives (interface specification 3). */
export function statusOf(verification: IDataObject): string | null {
	return toEmailStatus(textAt(verification, 'email_status'));
}

/** What a verification says (interface specification 2.10). The email is the one that was checked. */
export function simplifyVerification(result: IDataObject, { email }: EmailQuery): IDataObject {
	return { email, emailStatus: statusOf(result), mailboxType: textAt(result, 'mailbox_type') };
}

/** What a verification with `enrich` says of the person, if anything (interface specification 2.10). */
export function personDataOf(result: IDataObject): IDataObject | null {
	const person = {
		firstName: textAt(result, 'firstName'),
		lastName: textAt(result, 'lastName'),
		title: textAt(result, 'title'),
		company: textAt(result, 'companyName'),
		result: textAt(result, 'result'),
	};
	return Object.values(person).some((value) => value !== null) ? person : null;
}
