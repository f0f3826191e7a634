import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Question } from '../shared/request/lookup';
import { toEmailStatus } from '../shared/values/emailStatus';
import { lineAt, textAt } from '../shared/values/json';
import { toText } from '../shared/values/text';

/** The address to verify, for one lookup and for many. */
export const emailField: INodeProperties = {
	displayName: 'Email',
	name: 'email',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. ada@acme.com',
	description:
		'The email address to verify. What cannot be one is answered as invalid and costs no credit.',
	routing: { send: { type: 'query', property: 'email' } },
};

export interface EmailQuery extends IDataObject {
	email: string;
	enrich?: true;
}

/** Tells an address from others, whatever its letter case. */
export function emailKey(query: EmailQuery): string {
	return `verify ${JSON.stringify(query).toLowerCase()}`;
}

/** The question that the field asks. */
export function toEmailQuestion(field: unknown): Question<EmailQuery> {
	const email = toText(field);
	return {
		query: { email },
		missing: email === '' ? 'email' : undefined,
		answer: verifyLocally(email),
	};
}

/**
 * What the service would answer for a text that cannot be an address, because it has no `@`, no
 * domain, or white space or a comma (several addresses) inside: such a text is not worth a credit.
 * `undefined` for all others.
 */
export function verifyLocally(email: string): IDataObject | undefined {
	const domain = email.includes('@') ? email.slice(email.lastIndexOf('@') + 1) : '';
	if (domain !== '' && !/[\s,]/.test(email)) return undefined;
	return {
		email,
		domain,
		email_status: 'invalid',
		format: 'invalid',
		message: 'Not sent, so it cost no credit: this is not the form of an email address',
	};
}

/** A verification in the package's words (interface specification 2.10). */
export function simplifyVerification(result: IDataObject): IDataObject {
	return {
		email: textAt(result, 'email'),
		emailStatus: toEmailStatus(textAt(result, 'email_status')),
		message: lineAt(result, 'message'),
		result: textAt(result, 'result'),
		format: textAt(result, 'format'),
		mailboxStatus: textAt(result, 'mailbox_status'),
		mailboxType: textAt(result, 'mailbox_type'),
		mailExchange: textAt(result, 'mailbox_exchange'),
		domain: textAt(result, 'domain'),
	};
}

/** The fields that a verification with `enrich` adds (2.10). */
export function simplifyEnrichment(result: IDataObject): IDataObject {
	return {
		firstName: textAt(result, 'firstName'),
		lastName: textAt(result, 'lastName'),
		title: textAt(result, 'title'),
		company: textAt(result, 'companyName'),
	};
}
