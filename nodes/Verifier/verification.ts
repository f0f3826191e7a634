import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	ageOptions,
	leadFrom,
	lookupFields,
	lookupOptions,
	queryField,
	workflowField,
} from '../shared/editor/fields';
import type { Lookup } from '../shared/lookups/lookup';
import { DEFAULT_RETRY_UNKNOWN } from '../shared/input/options';
import {
	canBeEmail,
	comparableEmail,
	knownStatus,
	toEmail,
	toEmailStatus,
} from '../shared/values/email';
import { textAt } from '../shared/values/json';

/** The email to verify, and the status that the item already has: the finder returns one with each email. */
export const emailFields: INodeProperties[] = [
	...leadFrom('the email from a field with a common name, e.g. E-Mail, Work Email'),
	queryField({
		displayName: 'Email',
		name: 'email',
		placeholder: 'e.g. ada@acme.com',
		description:
			"Email to verify. Text that can't be an email is reported as invalid without using a credit. Items without an email are skipped.",
	}),
	workflowField({
		displayName: 'Existing Status',
		name: 'existingStatus',
		placeholder: 'e.g. {{ $json.emailStatus }}',
		description:
			'Email status that the item already has. If it is valid, invalid or catch-all, the email is not verified and costs nothing.',
	}),
];

export const verifierOptions: INodeProperties[] = [
	...lookupOptions,
	...ageOptions,
	workflowField({
		displayName: 'Verify Unknown Again After (Days)',
		name: 'retryUnknownDays',
		type: 'number',
		default: DEFAULT_RETRY_UNKNOWN,
		description:
			"Verify an email whose existing status is unknown again if Checked At is at least this many days ago. Without a date, it's always verified.",
	}),
	workflowField({
		displayName: 'Verify Catch-All Domains Once',
		name: 'catchAllOnce',
		type: 'boolean',
		default: false,
		description:
			'Whether to verify one email of each domain first, and to take the others for catch-all too if it is, for free',
	}),
];

export interface EmailQuery extends IDataObject {
	email: string;
	enrich?: true;
}

/** Emails that differ only in their letter case, or in how their domain is written, are the same email. */
export function emailIdentity({ email, ...query }: EmailQuery): IDataObject {
	return { email: comparableEmail(email), ...query };
}

/** What Verify Email and Verify Emails in Bulk have in common. */
export const emailLookup = {
	cost: '1 credit per email',
	fields: [...emailFields, ...lookupFields],
	lead: {
		email: { meanings: ['email'], forModel: 'Email to verify' },
		existingStatus: { meanings: ['emailStatus'] },
	},
	answered: 'verified',
	kind: 'verifier',
	existing: {
		parameter: 'existingStatus',
		label: 'Existing Status',
		what: 'a status',
		read(text) {
			const emailStatus = knownStatus(text);
			if (emailStatus === undefined) return undefined;
			return { fields: { emailStatus }, isUnknown: emailStatus === 'unknown' };
		},
	},
	identity: emailIdentity,
	catchAll: {
		// What is said of a person, only their own answer says.
		domainOf: ({ email, enrich }) => (enrich ? email : comparableEmail(email).replace(/.*@/, '')),
		isCatchAll: ([result]) => toEmailStatus(textAt(result ?? {}, 'email_status')) === 'catch-all',
	},
	columns: ['status', 'email', 'emailStatus', 'mailboxType', 'credits', 'checkedAt'],
	prepare(values) {
		const email = toEmail(values.text('email'));
		return {
			query: { email, ...(values.raw('enrich') === true && { enrich: true }) },
			isEmpty: email === '',
			answer: canBeEmail(email) ? undefined : { email, email_status: 'invalid' },
		};
	},
} satisfies Partial<Lookup<EmailQuery>>;

export function hasStatus(result: IDataObject): boolean {
	return textAt(result, 'email_status') !== null;
}

/** What a verification says (interface specification 2.10). The address is the one that was checked. */
export function simplifyVerification(result: IDataObject, { email }: EmailQuery): IDataObject {
	return {
		email,
		emailStatus: toEmailStatus(textAt(result, 'email_status')),
		mailboxType: textAt(result, 'mailbox_type'),
	};
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
