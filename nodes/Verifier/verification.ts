import type { INodeProperties } from 'n8n-workflow';
import { type EmailQuery, verifierQuery } from '../shared/api/verifier';
import {
	leadFields,
	lookupOptions,
	manualLimit,
	queryField,
	refreshAfter,
	workflowField,
} from '../shared/editor/fields';
import type { Lookup } from '../shared/lookups/lookup';
import { canBeEmail, knownStatus, toEmail } from '../shared/values/email';

/** The email to verify, and the status that the item already has: the finder returns one with each email. */
export const emailFields: INodeProperties[] = leadFields(
	'the email from a field with a common name, e.g. E-Mail, Work Email',
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
);

export const verifierOptions: INodeProperties[] = [...lookupOptions, refreshAfter];

/** What Verify Email and Verify Emails in Bulk have in common. */
export const emailLookup = {
	cost: '1 credit per email',
	fields: [...emailFields, manualLimit],
	lead: {
		email: { meanings: ['email'], forModel: 'Email to verify' },
		existingStatus: { meanings: ['emailStatus'] },
	},
	hitStatus: 'verified',
	finds: 'emailStatus',
	kind: 'verifier',
	existing: {
		parameter: 'existingStatus',
		what: 'a status',
		read(text) {
			const emailStatus = knownStatus(text);
			if (emailStatus === undefined) return undefined;
			return { fields: { emailStatus }, isUnknown: emailStatus === 'unknown' };
		},
	},
	identity: verifierQuery,
	columns: ['lookupStatus', 'email', 'emailStatus', 'mailboxType', 'lookupCredits', 'checkedAt'],
	prepare(values) {
		const email = toEmail(values.text('email'));
		return {
			query: { email, ...(values.raw('enrich') === true && { enrich: true }) },
			isEmpty: email === '',
			result: canBeEmail(email) ? undefined : { email, email_status: 'invalid' },
		};
	},
} satisfies Partial<Lookup<EmailQuery>>;
