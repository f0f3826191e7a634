import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { ageOptions, knownField, notForTools, queryField } from '../shared/editor/fields';
import type { Known, Lookup, Question } from '../shared/lookups/lookup';
import { DEFAULT_RETRY_UNKNOWN } from '../shared/lookups/options';
import { LEAD_FIELDS } from '../shared/output/fields';
import { canBeEmail, knownStatus, toEmailStatus } from '../shared/values/email';
import { lineAt, textAt } from '../shared/values/json';
import { toText } from '../shared/values/text';

/** The email to verify, and the status that the item already has: the finder returns one with each email. */
export const emailFields: INodeProperties[] = [
	queryField({
		displayName: 'Email',
		name: 'email',
		required: true,
		placeholder: 'e.g. ada@acme.com',
		description:
			"Email to verify. Text that can't be an email is reported as invalid without using a credit.",
	}),
	knownField({
		displayName: 'Existing Status',
		name: 'existingStatus',
		placeholder: 'e.g. {{ $json.emailStatus }}',
		description:
			'Email status that the item already has. If it is valid, invalid or catch-all, the email is not verified and costs nothing.',
	}),
];

/** An item with a status needs no lookup. */
export const existingStatus: Known = {
	parameter: 'existingStatus',
	read(value) {
		const emailStatus = knownStatus(value);
		return emailStatus
			? { fields: { emailStatus }, isUnknown: emailStatus === 'unknown' }
			: undefined;
	},
};

/** The options of all verifications: they say which emails are not sent. */
export const verifierOptions: INodeProperties[] = [
	...ageOptions,
	{
		displayName: 'Skip Items Without Email',
		name: 'skipEmpty',
		type: 'boolean',
		default: false,
		description:
			"Whether to pass items without an email on unchanged, for free. A status from an earlier node stays; without one, it is 'skipped'.",
		displayOptions: notForTools,
	},
	{
		displayName: 'Verify Unknown Again After (Days)',
		name: 'retryUnknownDays',
		type: 'number',
		default: DEFAULT_RETRY_UNKNOWN,
		description:
			"Verify an email whose existing status is unknown again if Checked At is at least this many days ago. Without a date, it's always verified.",
		displayOptions: notForTools,
	},
];

export interface EmailQuery extends IDataObject {
	email: string;
	enrich?: true;
}

/** Emails that differ in their letter case only are the same email. */
export function emailIdentity({ email, ...query }: EmailQuery): IDataObject {
	return { email: email.toLowerCase(), ...query };
}

export function toEmailQuestion(fields: Record<string, unknown>): Question<EmailQuery> {
	const email = toText(fields.email);
	const isEmpty = email === '';
	return {
		query: { email, ...(fields.enrich === true && { enrich: true }) },
		isEmpty,
		missing: isEmpty ? ['Email'] : undefined,
		answer: verifyLocally(email),
	};
}

/** What the operations on emails have in common. */
export const emailLookup = {
	answered: 'verified',
	kind: 'verifier',
	known: existingStatus,
	identity: emailIdentity,
	keeps: LEAD_FIELDS,
	prepare: toEmailQuestion,
} satisfies Partial<Lookup<EmailQuery>>;

/** A verification for a text that cannot be an email, so that no credit is spent; `undefined` for others. */
export function verifyLocally(email: string): IDataObject | undefined {
	if (canBeEmail(email)) return undefined;
	const domain = email.includes('@') ? email.slice(email.lastIndexOf('@') + 1) : '';
	return {
		email,
		domain,
		email_status: 'invalid',
		format: 'invalid',
		message: 'Not a valid email format. Not sent, no credit used.',
	};
}

export function hasStatus(result: IDataObject): boolean {
	return textAt(result, 'email_status') !== null;
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
		emailDomain: textAt(result, 'domain'),
	};
}

/** The fields that a verification with `enrich` adds (interface specification 2.10). */
export function simplifyEnrichment(result: IDataObject): IDataObject {
	return {
		firstName: textAt(result, 'firstName'),
		lastName: textAt(result, 'lastName'),
		title: textAt(result, 'title'),
		company: textAt(result, 'companyName'),
	};
}
