import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Question } from '../shared/lookups/lookup';
import type { Results } from '../shared/sending/answerStore';
import { toEmailStatus } from '../shared/values/emailStatus';
import { lineAt, textAt } from '../shared/values/json';
import { NO_CHARACTER, toText } from '../shared/values/text';

/** The address to verify, for one lookup and for many. */
export const emailField: INodeProperties = {
	displayName: 'Email',
	name: 'email',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. ada@acme.com',
	description:
		"Email address to verify. Text that can't be an email is reported as invalid without using a credit.",
	routing: { send: { type: 'query', property: 'email' } },
};

export interface EmailQuery extends IDataObject {
	email: string;
	enrich?: true;
}

/** What tells an address from others: not its letter case. */
export function emailIdentity({ email, ...query }: EmailQuery): IDataObject {
	return { email: email.toLowerCase(), ...query };
}

/** The question that the field asks. */
export function toEmailQuestion(field: unknown): Question<EmailQuery> {
	const email = toText(field);
	return {
		query: { email },
		missing: email === '' ? ['Email'] : undefined,
		answer: verifyLocally(email),
	};
}

/**
 * What the service would answer for a text that cannot be an address, because it has no `@`, no
 * domain, white space or a comma (several addresses) inside, or half a character that no request can
 * carry: such a text is not worth a credit.
 * `undefined` for all others.
 */
export function verifyLocally(email: string): IDataObject | undefined {
	const domain = email.includes('@') ? email.slice(email.lastIndexOf('@') + 1) : '';
	if (domain !== '' && !/[\s,]/.test(email) && !email.includes(NO_CHARACTER)) return undefined;
	return {
		email,
		domain,
		email_status: 'invalid',
		format: 'invalid',
		message: 'Not a valid email format. Not sent, no credit used.',
	};
}

/** Whether a verification says what came out. */
export function hasStatus(result: IDataObject): boolean {
	return textAt(result, 'email_status') !== null;
}

/** 1 credit per email, invalid ones included (8); what was left out may have been charged. */
export function verifyCost(results: Results | undefined): number {
	return results?.length === 0 ? 0 : 1;
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
