import type { Existing } from '../input/item';
import type { LeadParameters } from '../input/leadParameters';
import { isSameEmail } from '../values/email';
import { objectFrom } from '../values/json';
import { count } from '../values/text';
import { CHOOSE } from './summary';

/** Emails that were paid for though their items had them, in fields that were not read. */
export class Overlooked {
	private credits = 0;
	private readonly fields = new Set<string>();

	constructor(
		private readonly parameters: LeadParameters,
		private readonly existing: Existing,
	) {}

	/** Notes an email that was paid for. */
	paid(item: number, credits: number, email: unknown): void {
		const fields = objectFrom(this.parameters.json(item));
		const field = Object.keys(fields).find((name) => {
			const text = fields[name];
			return typeof text === 'string' && text.includes('@') && isSameEmail(text, email);
		});
		if (field === undefined) return;
		this.credits += credits;
		this.fields.add(field);
	}

	/** What the summary says of them, if there are any. */
	get said(): string[] {
		const { credits, existing, fields, parameters } = this;
		if (credits === 0) return [];
		const choose = parameters.isChosen ? '' : CHOOSE;
		return [
			`${count(credits, 'credit')} went to items that already had ${existing.what} in ${[...fields].join(', ')}, which was not read: ${choose}drag it onto ${parameters.labelOf(existing.parameter)}`,
		];
	}
}
