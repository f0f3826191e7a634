import type { Existing } from '../input/item';
import type { LeadParameters } from '../input/leadParameters';
import { objectFrom } from '../values/json';
import { count } from '../values/text';
import { holdsEmail, isSameEmail } from '../values/email';
import { CHOOSE } from './summary';

/** What the items of a lookup hold, and the run did not read though it would have changed what was paid. */
export class Overlooked {
	private credits = 0;
	private readonly existingIn = new Set<string>();
	private readonly emailsIn = new Set<string>();

	/** Items with an email in one of these. */
	private unread = 0;

	constructor(
		private readonly parameters: LeadParameters,
		private readonly existing: Existing | undefined,
	) {}

	/** Notes an email that was paid for: its item may already have it, in a field that was not read. */
	paid(item: number, credits: number, found: unknown): void {
		const [field] = this.fieldsWith(item, (text) => isSameEmail(text, found));
		if (field === undefined) return;
		this.credits += credits;
		this.existingIn.add(field);
	}

	/** Notes an item in which no email was recognized. */
	withoutEmail(item: number): void {
		if (this.parameters.isChosen) return;
		const names = this.fieldsWith(item, holdsEmail);
		if (names.length > 0) this.unread++;
		for (const name of names) this.emailsIn.add(name);
	}

	/** The fields of an item with such a text among those that may be an email. */
	private fieldsWith(item: number, isSuch: (text: string) => boolean): string[] {
		const fields = objectFrom(this.parameters.json(item));
		return Object.keys(fields).filter((name) => {
			const text = fields[name];
			return typeof text === 'string' && text.includes('@') && isSuch(text);
		});
	}

	/**
	 * What the summary says of it, each a warning.
	 * @param hasEmails whether an email was recognized in other items: another column in its place would lose these
	 */
	said(hasEmails: boolean): string[] {
		const { existing, credits, parameters } = this;
		const choose = parameters.isChosen ? '' : CHOOSE;
		const [held, emails] = [this.existingIn, this.emailsIn].map((fields) => [...fields].join(', '));
		const paid = `${count(credits, 'credit')} went to items that already had ${existing?.what} in ${held}, which was not read: ${choose}drag it onto ${existing?.label}`;
		const unread = hasEmails
			? `${count(this.unread, 'item')} without an email: one is in ${emails}, which was not read`
			: `No email was recognized, and emails are in ${emails}: ${CHOOSE}drag it onto Email`;
		return [...(credits > 0 ? [paid] : []), ...(emails ? [unread] : [])];
	}
}
