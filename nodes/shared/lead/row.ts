import type { IDataObject } from 'n8n-workflow';
import { holdsEmail, isMixed, isSameEmail } from '../values/email';
import { cleanText, isSocialPage, toDomain } from '../values/text';
import { holds, isSomebodyElse, type Lead, nameOf, NAMES, refuse } from './lead';
import { type Column, type Group, isName, type Plan } from './plan';
import { cellText, valueOf, whyEmpty } from './cells';

/** The objects that hold the columns of an item, by their names: the item itself has an empty one. */
export type Sections = Map<string, IDataObject>;

export function cellIn(sections: Sections, { section, field }: Column) {
	return sections.get(section)?.[field];
}

/** What is read of one item. */
export class Row {
	readonly lead: Lead = { found: {}, lacking: {} };

	constructor(private readonly sections: Sections) {}

	/** Reads a column, if none before it had a value. */
	put(column: Column): void {
		const { meaning, field } = column;
		const { found, lacking } = this.lead;
		if (found[meaning]) return;
		const cell = cellIn(this.sections, column);
		const value = valueOf(meaning, cell);
		if (value === '') lacking[meaning] ??= { field, why: whyEmpty(meaning, cell) };
		else found[meaning] = { value, field };
	}

	/** Reads the columns that a plan has for it. */
	read({ columns, others, rivals }: Plan): Lead {
		const { lead } = this;
		const late = columns.filter((one) => this.isLate(one));
		const sure = columns.filter((one) => !late.includes(one) && !this.isPrivate(one));
		for (const column of sure) {
			// Beside a status of this package, `email` is what a lookup has found.
			if (column.meaning === 'email' && this.statusIn(column.section) !== '') {
				for (const one of emailsOf(sure, column.section)) this.put(one);
			}
			this.put(column);
		}
		for (const rival of rivals) this.compare(rival);
		for (const other of others) this.join(other);
		for (const column of late) this.put(column);
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
		const { firstName, lastName, name: bare } = this.lead.found;
		const name = this.nameIn(other);
		if (name === '' || nameOf(this.lead) === '') return;
		if (!isSomebodyElse(name, this.lead)) {
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

	/** Whether an email counts after all others: it is private, or there is none. */
	private isLate(column: Column): boolean {
		if (column.meaning !== 'email') return false;
		const text = valueOf('email', cellIn(this.sections, column));
		// One that is to be refused counts before a word such as `unknown`.
		return this.isPrivate(column) || !(holdsEmail(text) || isMixed(text));
	}

	/** Whether the label of Google Contacts beside an email or a website says that it is the person's own. */
	private isPrivate({ section, field }: Column): boolean {
		if (!field.endsWith(' - Value')) return false;
		const label = this.sections.get(section)?.[field.replace(/Value$/, 'Label')];
		return /home|profile|blog/i.test(cleanText(label));
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
		const texts = columns
			.filter(({ meaning }) => meaning === 'domain')
			.flatMap((one) => cellIn(this.sections, one))
			.map((cell) => cellText('domain', cell));
		return texts.some((text) => isSocialPage(text) && `.${toDomain(text)}`.endsWith(`.${domain}`));
	}

	/** Reads the status of the email: it belongs to the `email` beside it, or else to the email that is read there. */
	private putStatus(columns: Column[]): void {
		const { email } = this.lead.found;
		for (const [section, fields] of this.sections) {
			const value = this.statusIn(section);
			if (value === '') continue;
			const [own] = emailsOf(columns, section);
			const isOfEmail = own
				? isSameEmail(valueOf('email', cellIn(this.sections, own)), email?.value)
				: Object.hasOwn(fields, email?.field ?? '');
			if (email && !isOfEmail) continue;
			this.lead.found.emailStatus = { value, field: 'emailStatus' };
			return;
		}
	}
}

/** The columns of an object that are called `email`, however a sheet spells that; first the one that is spelled so. */
function emailsOf(columns: Column[], section: string): Column[] {
	return columns.filter((one) => one.section === section && one.letters === 'email');
}
