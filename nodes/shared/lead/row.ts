import type { IDataObject } from 'n8n-workflow';
import { holdsEmail, isMixed, isSameEmail } from '../values/email';
import { cleanText, isSocialPage, toDomain } from '../values/text';
import { holds, isSomebodyElse, type Lead, nameOf, NAMES, refuse } from './lead';
import type { Meaning } from './columnNames';
import { type Column, type Group, isName, type Plan } from './plan';
import { cellText, valueOf, whyEmpty } from './cells';

/** The objects that hold the columns of an item, by their names: the item itself has an empty one. */
export type Sections = Map<string, IDataObject>;

export function cellIn(sections: Sections, { section, field }: Column) {
	return sections.get(section)?.[field];
}

/** Whose a company or a website may be that has only the bare name, beside one that says whose it is. */
const WHOSE = [
	['company', 'your'],
	['domain', "the person's"],
] as const;

/** What is read of one item. */
export class Row {
	readonly lead: Lead = { found: {}, lacking: {} };

	private readonly from: Partial<Record<Meaning, Column>> = {};

	constructor(private readonly sections: Sections) {}

	/** Reads a column, if none before it had a value. */
	put(column: Column): void {
		const { meaning, field } = column;
		const { found, lacking } = this.lead;
		const { [meaning]: before } = found;
		// What is no email does not hide the one in another column.
		if (before && (meaning !== 'email' || isEmail(before.value))) return;
		const cell = cellIn(this.sections, column);
		const value = valueOf(meaning, cell);
		if (value === '') lacking[meaning] ??= { field, why: whyEmpty(meaning, cell) };
		else if (!before || isEmail(value)) {
			found[meaning] = { value, field };
			this.from[meaning] = column;
		}
	}

	/** Reads the columns that a plan has for it. */
	read({ columns, others, rivals }: Plan): Lead {
		const { lead, from } = this;
		for (const column of columns) {
			// Beside a status of this package, `email` is what a lookup has found.
			if (column.meaning === 'email' && this.statusIn(column.section) !== '') {
				for (const one of emailsOf(columns, column.section)) this.put(one);
			}
			if (!this.isPrivate(column)) this.put(column);
		}
		for (const one of columns) if (one.meaning === 'email' && this.isPrivate(one)) this.put(one);
		for (const rival of rivals) this.compare(rival);
		for (const other of others) this.join(other);
		for (const [meaning, whose] of WHOSE) {
			const { beside } = from[meaning] ?? {};
			if (beside !== undefined) refuse(lead, meaning, `may be ${whose} own, beside ${beside}`);
		}
		if (this.isOfNetwork(columns)) delete lead.found.domain;
		this.putStatus(columns);
		// In Odoo, companies and people are in one list.
		for (const fields of this.sections.values()) {
			if (!/^(?:true|1)$/i.test(String(fields.is_company ?? fields['Is a Company']))) continue;
			for (const name of NAMES) refuse(lead, name, 'looks like a company');
		}
		return lead;
	}

	/** Reads what another person of the item has, if that one has the same name. */
	private join(other: Group): void {
		const { lead } = this;
		const { firstName, lastName, name: bare } = lead.found;
		const name = this.nameIn(other);
		if (name === '' || nameOf(lead) === '') return;
		if (!isSomebodyElse(name, lead)) {
			const isWhole = firstName && lastName;
			for (const column of other.columns) if (isWhole || !isName(column)) this.put(column);
		}
		// Half of the name is that person's: the bare `name` may be a shop's.
		else if (bare && holds(name, (firstName ?? lastName)?.value)) this.compare(other);
	}

	/** Refuses the name where another one, which is as sure, differs. */
	private compare(rival: Group): void {
		if (!isSomebodyElse(this.nameIn(rival), this.lead)) return;
		const field = rival.columns.find(isName)?.field;
		for (const name of NAMES) refuse(this.lead, name, `differs from ${field}`);
	}

	private statusIn(section: string): string {
		return cleanText(this.sections.get(section)?.emailStatus);
	}

	/** Whether the label beside a value says that it is the person's own, as in an export of Google Contacts. */
	private isPrivate({ section, field }: Column): boolean {
		if (!field.endsWith(' - Value')) return false;
		const fields = this.sections.get(section);
		const label = ['Label', 'Type'].map((one) => fields?.[field.replace(/Value$/, one)]).join(' ');
		return /home|priv|profile|blog/i.test(label);
	}

	private nameIn({ columns }: Group): string {
		const own = new Row(this.sections);
		for (const column of columns) if (isName(column)) own.put(column);
		return nameOf(own.lead);
	}

	/** Whether the domain is that of a network, at which another column has the company's page. */
	private isOfNetwork(columns: Column[]): boolean {
		const domain = toDomain(this.lead.found.domain?.value ?? '');
		if (!isSocialPage(`${domain}/page`, domain)) return false;
		return columns
			.filter((one) => one.meaning === 'domain' && one !== this.from.domain)
			.flatMap((one) => cellIn(this.sections, one))
			.some((cell) => `.${toDomain(cellText('domain', cell))}`.endsWith(`.${domain}`));
	}

	/** Reads the status of the email: it belongs to the `email` beside it, or else to the email that is read there. */
	private putStatus(columns: Column[]): void {
		const { email } = this.lead.found;
		for (const section of this.sections.keys()) {
			const value = this.statusIn(section);
			if (value === '') continue;
			const emails = emailsOf(columns, section);
			const own = emails.find(({ field }) => field === 'email') ?? emails[0];
			const isOwn = own
				? isSameEmail(valueOf('email', cellIn(this.sections, own)), email?.value)
				: section === this.from.email?.section;
			if (email && !isOwn) continue;
			this.lead.found.emailStatus = { value, field: 'emailStatus' };
			return;
		}
	}
}

/** The columns of an object that are called `email`, however a sheet spells that. */
function emailsOf(columns: Column[], section: string): Column[] {
	return columns.filter((one) => one.section === section && one.letters === 'email');
}

/** Whether a text is an email, or holds one that is to be refused: it counts before a word such as `unknown`. */
function isEmail(text: string): boolean {
	return holdsEmail(text) || isMixed(text);
}
