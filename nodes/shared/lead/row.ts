import type { IDataObject } from 'n8n-workflow';
import { holdsEmail, isMixed, isSameEmail } from '../values/email';
import { cleanText, wordsOf } from '../values/text';
import { valueOf, whyEmpty } from './cells';
import { isOfPeople } from './columnNames';
import { type Lead, nameOf, NAMES, refuse } from './lead';
import { toFullName } from './personName';
import { type Column, columnKey, isName, type Person, type Plan } from './plan';
import { rulesOf } from './rules';

/** The objects that hold the columns of an item, by their names: the item itself has an empty one. */
export type Sections = Map<string, IDataObject>;

/** When a column is read because of its cell and those beside it: after all others, or not at all. */
export const LATE_RULES = rulesOf<(column: Column, row: Row) => boolean>({
	'A private email counts where there is no other, and a private website not at all': (
		column,
		row,
	) => row.isPrivate(column),
	'What is no email hides none': (column, row) => {
		if (column.meaning !== 'email') return false;
		const text = row.valueIn(column);
		// One that is to be refused counts before a word such as `unknown`.
		return !holdsEmail(text) && !isMixed(text);
	},
});

/** What is read of one item. */
export class Row {
	/** @param lead what is chosen of it */
	constructor(
		private readonly sections: Sections,
		private readonly plan: Plan,
		private readonly lead: Lead,
	) {}

	/** Reads the columns that the plan has for it. */
	read(): Lead {
		const { columns, others } = this.plan;
		const late = columns.filter((column) => LATE_RULES.some(([, rule]) => rule(column, this)));
		for (const column of columns) {
			if (late.includes(column)) continue;
			// Beside a status of this package, `email` is what a lookup has found.
			const { meaning, section } = column;
			const own = meaning === 'email' && this.statusIn(section) !== '' && this.emailIn(section);
			if (own) this.put(own);
			this.put(column);
		}
		for (const other of others) this.join(other);
		for (const column of late) if (column.meaning === 'email') this.put(column);
		this.putStatus();
		return this.lead;
	}

	/** The column of an object that is called `email`, however a sheet spells that; first the one that is spelled so. */
	private emailIn(section: string, columns = this.plan.columns): Column | undefined {
		return columns.find((one) => one.section === section && one.letters === 'email');
	}

	/** Whether a column beside a bare name says that it is a person's: there is one for a company, for a half, or only people have it. */
	get isSomebodys(): boolean {
		const { columns, list } = this.plan;
		// An API has every column in every row: what is null there says nothing.
		const isThere = ({ section, field }: Pick<Column, 'section' | 'field'>) =>
			(this.sections.get(section)?.[field] ?? null) !== null;
		// An ERP has the number of a company in `Account`.
		const says = ({ meaning, owner, letters }: Column) =>
			owner === 'your' ||
			!(/^acc(?:oun)?t$/.test(letters) || ['name', 'domain', 'email'].includes(meaning));
		const isPersons = (section: string, field: string) =>
			isThere({ section, field }) && isOfPeople(field) && list.has(columnKey(section, field));
		const hasPersons = ([section, fields]: [string, IDataObject]) =>
			Object.keys(fields).some((field) => isPersons(section, field));
		return columns.some((one) => says(one) && isThere(one)) || [...this.sections].some(hasPersons);
	}

	valueIn({ meaning, section, field }: Column): string {
		return valueOf(meaning, this.sections.get(section)?.[field]);
	}

	statusIn(section: string): string {
		return cleanText(this.sections.get(section)?.emailStatus);
	}

	/** Whether the label of Google Contacts beside an email or a website says that it is the person's own. */
	isPrivate({ section, field }: Column): boolean {
		if (!field.endsWith(' - Value')) return false;
		const label = this.sections.get(section)?.[field.replace(/Value$/, 'Label')];
		return /home|profile|blog/i.test(cleanText(label));
	}

	/** Reads a column, if none before it had a value. */
	private put(column: Column, { found, lacking } = this.lead): void {
		const { meaning, section, field } = column;
		const isChosen = found === this.lead.found && this.plan.choice.has(meaning);
		if (found[meaning] || isChosen) return;
		const value = this.valueIn(column);
		if (value !== '') found[meaning] = { value, field };
		else
			lacking[meaning] ??= { field, why: whyEmpty(meaning, this.sections.get(section)?.[field]) };
	}

	/**
	 * Reads what another person has, if that one has the same name here, or a part of it. Where one who is as sure has another
	 * name, nobody knows who is meant: of both only the email is read.
	 */
	private join(other: Person): void {
		const their: Lead = { found: {}, lacking: {} };
		for (const column of other.columns) if (isName(column)) this.put(column, their);
		const [few, many] = [their, this.lead]
			.map((lead) => wordsOf(toFullName(nameOf(lead))))
			.toSorted((one, another) => one.length - another.length);
		const isSame = few.every((word) => many.includes(word));
		const { isAnother } = this.plan;
		if (isAnother && other.section + other.owner === '')
			this.putEmailOf(other, nameOf(their) === '');
		if (few.length === 0 || !(isSame || this.plan.rivals.includes(other))) return;
		const field = other.columns.find(isName)?.field;
		if (!isSame) for (const one of NAMES) refuse(this.lead, one, `differs from ${field}`);
		for (const column of other.columns) {
			if (isSame ? !isName(column) : column.meaning === 'email') this.put(column);
		}
	}

	/** Reads an email of the item's own though somebody else is chosen: one that a lookup has found, or beside no name. */
	private putEmailOf({ columns, section }: Person, isNobodys: boolean): void {
		const status = cleanText(this.sections.get(section)?.lookupStatus);
		const isFound = ['found', 'verified'].includes(status);
		for (const column of columns) {
			const isLeads = isNobodys || (isFound && column.letters === 'email');
			if (column.meaning === 'email' && isLeads) this.put(column);
		}
	}

	/** Reads the status of the email: it belongs to the `email` beside it, or else to the email that is read there. */
	private putStatus(): void {
		const { found } = this.lead;
		if (this.plan.choice.has('emailStatus')) return;
		for (const [section, fields] of this.sections) {
			const value = this.statusIn(section);
			if (value === '') continue;
			const others = this.plan.others.flatMap(({ columns }) => columns);
			const own = this.emailIn(section) ?? this.emailIn(section, others);
			// What is typed, or made by an expression, stands in no object.
			const holders = [...this.sections.values()].filter((one) =>
				Object.hasOwn(one, found.email?.field ?? ''),
			);
			const isOfEmail = own
				? isSameEmail(this.valueIn(own), found.email?.value)
				: holders.length === 0 || holders.includes(fields);
			if (found.email && !isOfEmail) continue;
			found.emailStatus = { value, field: 'emailStatus' };
			return;
		}
	}
}
