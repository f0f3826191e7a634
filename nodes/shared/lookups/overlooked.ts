import type { Existing } from '../input/item';
import type { Parameters } from '../input/parameters';
import { isObject } from '../values/json';
import { count } from '../values/text';
import { holdsEmail } from '../values/email';

/** What the items of a lookup hold, and the run did not read though it would have changed what was paid. */
export class Overlooked {
	private credits = 0;
	private readonly existingIn = new Set<string>();
	private readonly emailsIn = new Set<string>();

	/** Items with an email in one of these. */
	private unread = 0;

	constructor(
		private readonly parameters: Parameters,
		private readonly existing: Existing | undefined,
	) {}

	/** Notes a lookup that was paid for: where the fields are chosen, its item may already have what it was for. */
	paid(item: number, credits: number): void {
		const field = this.existing && this.parameters.unread(this.existing.parameter, item);
		if (field === undefined) return;
		this.credits += credits;
		this.existingIn.add(field);
	}

	/** Notes an item in which no email was recognized. */
	withoutEmail(item: number): void {
		const json = this.parameters.json(item);
		if (this.parameters.readFrom === undefined || !isObject(json)) return;
		const names = Object.keys(json).filter((name) => {
			const { [name]: value } = json;
			return typeof value === 'string' && holdsEmail(value);
		});
		if (names.length > 0) this.unread++;
		for (const name of names) this.emailsIn.add(name);
	}

	/**
	 * What the summary says of it, each a warning.
	 * @param hasEmails whether an email was recognized in other items: another column in its place would lose these
	 */
	said(hasEmails: boolean): string[] {
		const { existing, credits } = this;
		const [held, emails] = [this.existingIn, this.emailsIn].map((fields) => [...fields].join(', '));
		const paid = `${count(credits, 'credit')} went to items that already had ${existing?.what} in ${held}, which was not read: drag it onto ${existing?.label}`;
		const unread = hasEmails
			? `${count(this.unread, 'item')} without an email: one is in ${emails}, which was not read`
			: `No email was recognized, and emails are in ${emails}: set Lead Fields to Choose Below and drag it onto Email`;
		return [...(credits > 0 ? [paid] : []), ...(emails ? [unread] : [])];
	}
}
