import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../failures/failure';
import type { InterfaceSettings } from '../http/connection';
import { unexpectedResponse } from '../http/errors';
import { objectsIn } from '../http/response';
import { comparableEmail, emailAt, knownStatus, toEmailStatus } from '../values/email';
import { holdsError, isObject, textAt } from '../values/json';

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

/** The verification in a response (interface specification 2.10). Throws a `Failure` for what is none of this email. */
export function verificationIn(response: object, { email }: EmailQuery): IDataObject {
	if (!isObject(response) || !hasStatus(response)) throw withoutStatus(response);
	if (areAtOneHost(emailOf(response), comparableEmail(email))) return response;
	throw unexpectedResponse('a verification of this email');
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
 * The verifications in a response in the order of the emails (interface specification 4.8): by the email that each names, else
 * by its place, where there are as many as emails, as services normalize addresses: without `+tag`, `googlemail.com` as
 * `gmail.com`. One that names another of the emails is never of this one.
 */
export function matchEmails(
	response: object,
	emails: string[],
): Array<IDataObject[] | Error | undefined> {
	const rows = objectsIn(response, 'verifications');
	const names = rows.map(emailOf);
	const asked = emails.map(comparableEmail);
	const isPlaced = rows.length === emails.length;
	return asked.map((email, place) => {
		const { [place]: name } = names;
		const isOther = asked.includes(name) && normal(name) !== normal(email);
		const mayBeOwn = isPlaced && !isOther && areAtOneHost(name, email);
		const byName = names.indexOf(email, name === email ? place : 0);
		const own = rows[byName] ?? (mayBeOwn ? rows[place] : undefined);
		if (own === undefined || hasStatus(own)) return own && [own];
		return withoutStatus(own);
	});
}

/** The email that a verification names, in the form in which emails compare; empty where it names none. */
function emailOf(verification: IDataObject): string {
	return comparableEmail(emailAt(verification) ?? '');
}

/** An email as services normalize it: without `+tag`, at Gmail without dots. */
function normal(email: string): string {
	const [name, host] = email.replace(/\+[^@]*/, '').split('@');
	return host === 'gmail.com' ? `${name.replaceAll('.', '')}@${host}` : `${name}@${host}`;
}

/** Whether two emails may be one mailbox, or the first one is not said. */
function areAtOneHost(one: string, other: string): boolean {
	const hostOf = (email: string) => email.replace(/.*@/, '').replace('googlemail', 'gmail');
	return one === '' || hostOf(one) === hostOf(other);
}

/** The error for a verification without a status: its own message is none of a refusal. */
function withoutStatus(verification: object): Failure {
	return unexpectedResponse('a verification status', { ...verification, message: null });
}

/** Whether a verification has a status: of words that are none of the vocabulary, one without a refusal beside it. */
function hasStatus(result: IDataObject): boolean {
	const status = textAt(result, 'email_status');
	return (
		status !== null && (knownStatus(status) !== undefined || !holdsError({ ...result, status }))
	);
}

/** What a verification says (interface specification 2.10). The email is the one that was checked. */
export function simplifyVerification(result: IDataObject, { email }: EmailQuery): IDataObject {
	const emailStatus = toEmailStatus(textAt(result, 'email_status'));
	return { email, emailStatus, mailboxType: textAt(result, 'mailbox_type') };
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
