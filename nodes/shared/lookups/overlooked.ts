import type { Existing } from '../input/item';
import type { LeadParameters } from '../input/leadParameters';
import { isObject } from '../values/json';
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

	/**
	 * Notes a lookup that was paid for: its item may already have what it was for, in a field that was not chosen, or the
	 * email that was found, in one that was not recognized.
	 */
	paid(item: number, credits: number, found: unknown): void {
		const { existing, parameters } = this;
		const held = existing && parameters.unread(existing.parameter, item);
		const wasKnown = existing?.read(held?.value ?? '');
		const isKnown = wasKnown !== undefined && wasKnown.isUnknown !== true;
		const isFound = (text: string) => holdsEmail(text) && isSameEmail(text, found);
		const [unread] = found === undefined ? [] : this.fieldsWith(item, isFound);
		const field = isKnown ? held?.field : unread;
		if (field === undefined) return;
		this.credits += credits;
		this.existingIn.add(field);
	}

	/** Notes an item in which no email was recognized. */
	withoutEmail(item: number): void {
		const names = this.fieldsWith(item, holdsEmail);
		if (names.length > 0) this.unread++;
		for (const name of names) this.emailsIn.add(name);
	}

	/** The fields of an item that hold such a text, where Lead Fields recognizes the fields. */
	private fieldsWith(item: number, isSuch: (text: string) => boolean): string[] {
		const json = this.parameters.json(item);
		if (this.parameters.isChosen || !isObject(json)) return [];
		const texts = Object.entries(json).filter(([, value]) => typeof value === 'string');
		return texts.filter(([, text]) => isSuch(String(text))).map(([name]) => name);
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
