import type { IDataObject } from 'n8n-workflow';
import { asBeforeFile } from '../host/file';
import { isMixed, holdsEmail, isSameEmail } from '../values/email';
import { isObject, objectFrom } from '../values/json';
import { cleanText, isSocialPage, toDomain } from '../values/text';
import {
	isListedCompany,
	isSomebodyElse,
	type Lead,
	nameOf,
	NAMES,
	refuse,
	withBareName,
	withoutHalf,
} from './lead';
import type { Meaning } from './leadNames';
import {
	type Column,
	columnOf,
	type Group,
	isAnybodys,
	isName,
	OF_COMPANY,
	type Plan,
	planOf,
} from './leadPlan';
import { domainsIn, valueOf, whyEmpty } from './leadValues';

/** Where CRMs, bases and forms put the fields of an item, in the order in which they count. */
const CONTAINERS =
	'properties fields body data merge_fields person_id lead contact company organization'.split(' ');

/** The parameters that Lead Fields fills in, by name, with the meanings to look for: the first that has a value counts. */
export type LeadParameters = Record<
	string,
	{
		meanings: Meaning[];
		/** For the model of an AI agent, which then fills in the field. */
		forModel?: string;
		/** Whether the model may leave it out. */
		isOptional?: true;
	}
>;

/** The objects that hold the columns of an item, by their names: the item itself has an empty one. */
type Sections = Map<string, IDataObject>;

/** From how many items it is seen whether a bare `Name` is a company's, and of how many companies it is one. */
const SAMPLE = 1_000;
const SHARE = 0.2;

/**
 * Recognizes leads by the names of their columns. Which are read is decided once for all items of a run that have most of
 * their columns in common: a file leaves empty cells out.
 */
export class LeadReader {
	private readonly columns = new Map<string, Map<string, Column | undefined>>();
	private count = 0;
	private readonly plans = new Map<string, Plan>();

	/** For each column those that some item has beside it. */
	private beside: Map<Column, Set<Column>> | undefined;

	/** What is known by its name and not read, in words. */
	readonly leftAside = new Set<string>();

	/**
	 * @param resultField the field for the result, if any: what an earlier lookup has put there comes before all others
	 * @param items those of the run; without them, each item is a run
	 */
	constructor(
		private readonly resultField = '',
		private readonly items: () => unknown[] = () => [],
	) {}

	read(item: unknown): Lead {
		const sections = this.sectionsOf(item);
		const plan = this.planFor(sections);
		const lead = new Row(sections).putAll(plan);
		if (plan.notPerson) refuse(lead, 'name', plan.notPerson);
		return withoutHalf(withBareName(lead));
	}

	private sectionsOf(item: unknown): Sections {
		const { resultField } = this;
		const sections: Sections = new Map();
		if (!isObject(item)) return sections;
		if (resultField !== '') {
			// The `name` of a company that was found is no person's.
			const { name: _, ...held } = objectFrom(asBeforeFile(item, resultField)[resultField]);
			sections.set(resultField, held);
		}
		sections.set('', item);
		for (const name of CONTAINERS) {
			if (name === resultField || typeof item[name] !== 'object') continue;
			// Of several leads none can be meant.
			const [one, ...more] = [item[name]].flat();
			if (isObject(one) && more.length === 0) sections.set(name, one);
		}
		return sections;
	}

	/** The columns of an item that say something. */
	private columnsOf(sections: Sections): Column[] {
		const all: Column[] = [];
		for (const [section, fields] of sections) {
			const known = this.columns.get(section) ?? new Map<string, Column | undefined>();
			this.columns.set(section, known);
			const order = CONTAINERS.indexOf(section) + 1;
			const isResult = section !== '' && section === this.resultField;
			for (const field of Object.keys(fields)) {
				// The name of a company counts, and the columns of a person.
				if (section === '' && sections.has(field) && !OF_COMPANY.test(field)) continue;
				if (!known.has(field))
					known.set(field, columnOf(section, field, isResult ? -1 : order, this.count++));
				const column = known.get(field);
				if (column) all.push(column);
			}
		}
		return all;
	}

	private planFor(sections: Sections): Plan {
		const own = this.columnsOf(sections);
		const key = own.map(({ id }) => id).join();
		const known = this.plans.get(key);
		if (known) return known;
		// A row is completed with the columns that others have which share most of its own.
		const shared = (others: Set<Column>) => own.filter((one) => others.has(one)).length;
		const beside = [...(this.beside ??= this.besideAll())];
		const more = beside.filter(([, others]) => shared(others) > own.length / 2);
		const plan = planOf([...new Set([...own, ...more.map(([column]) => column)])]);
		plan.notPerson = this.notPersonIn(plan);
		this.plans.set(key, plan);
		return plan;
	}

	private besideAll(): Map<Column, Set<Column>> {
		const beside = new Map<Column, Set<Column>>();
		const seen = new Set<string>();
		for (const item of this.items()) {
			const columns = this.columnsOf(this.sectionsOf(item));
			const key = columns.map(({ id }) => id).join();
			if (seen.has(key)) continue;
			seen.add(key);
			for (const column of columns) {
				const others = beside.get(column) ?? new Set();
				for (const one of columns) others.add(one);
				beside.set(column, others);
			}
		}
		return beside;
	}

	/** Why the bare name in these columns is no person's, if enough items of the run have a company there. */
	private notPersonIn({ columns }: Plan): string | undefined {
		const of = (one: Meaning) => columns.find(({ meaning }) => meaning === one);
		const [name, website] = [of('name'), of('domain')];
		const sample = this.items().slice(0, SAMPLE);
		if (!name || sample.length < 2 || of('company')) return undefined;
		const rows = sample.map((item) => this.sectionsOf(item));
		const textIn = (row: Sections, column = name) => valueOf(column.meaning, cellIn(row, column));
		const named = rows.filter((row) => textIn(row) !== '');
		const isOfCompany = (row: Sections) =>
			isListedCompany(textIn(row), website && textIn(row, website));
		const companies = named.filter(isOfCompany).length;
		if (companies === 0 || companies < named.length * SHARE) return undefined;
		const why = `looks like a company in ${companies} of ${named.length} items`;
		this.leftAside.add(`${name.field} ${why}`);
		return why;
	}
}

function cellIn(sections: Sections, { section, field }: Column) {
	return sections.get(section)?.[field];
}

/** What is read of one item. */
class Row {
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
	putAll({ columns, others, rivals, saysWhose }: Plan): Lead {
		const { lead, from } = this;
		const { found } = lead;
		for (const column of columns) {
			// Beside a status of this package, `email` is what a lookup has found.
			const { meaning, section } = column;
			const isFound = meaning === 'email' && this.statusIn(section) !== '';
			const first = isFound ? columns.filter((one) => one.isEmail && one.section === section) : [];
			for (const one of [...first, column]) if (!this.isPrivate(one)) this.put(one);
		}
		for (const column of columns) if (column.meaning === 'email') this.put(column);
		for (const other of others) {
			const name = this.nameIn(other);
			if (name === '' || nameOf(lead) === '' || isSomebodyElse(name, lead)) continue;
			for (const column of other.columns) if (!isName(column)) this.put(column);
		}
		for (const rival of rivals) {
			if (!isSomebodyElse(this.nameIn(rival), lead)) continue;
			const field = rival.columns.find(isName)?.field;
			for (const name of NAMES) refuse(lead, name, `differs from ${field}`);
		}
		for (const { field, section, isOf } of saysWhose) {
			const own = isOf && from[isOf];
			if (!own || own.section !== section || !isAnybodys(own)) continue;
			refuse(
				lead,
				isOf,
				`may be ${isOf === 'domain' ? "the person's" : 'your'} own, beside ${field}`,
			);
		}
		if (this.isOfNetwork(columns)) delete found.domain;
		this.putStatus(columns);
		// In Odoo, companies and people are in one list.
		for (const fields of this.sections.values()) {
			if (!/^(?:true|1)$/i.test(String(fields.is_company ?? fields['Is a Company']))) continue;
			for (const name of NAMES) refuse(lead, name, 'looks like a company');
		}
		return lead;
	}

	private statusIn(section: string): string {
		return cleanText(this.sections.get(section)?.emailStatus);
	}

	/** Whether the label beside a value says that it is the person's own, as in an export of Google Contacts. */
	private isPrivate({ section, field }: Column): boolean {
		if (!/ - Value$/.test(field)) return false;
		const fields = this.sections.get(section);
		const label = ['Label', 'Type'].map((one) => fields?.[field.replace(/Value$/, one)]).join(' ');
		return /home|priv|profile|blog/i.test(label);
	}

	private nameIn({ columns }: Group): string {
		const own = new Row(this.sections);
		for (const column of columns) if (isName(column)) own.put(column);
		return nameOf(own.lead);
	}

	/** Whether another column has the page at a network that the domain is of. */
	private isOfNetwork(columns: Column[]): boolean {
		const domain = toDomain(this.lead.found.domain?.value ?? '');
		if (domain === '' || !isSocialPage(`${domain}/page`)) return false;
		const pages = columns.filter((one) => one.meaning === 'domain' && one !== this.from.domain);
		return pages
			.flatMap((one) => domainsIn(cellIn(this.sections, one)))
			.some((page) => `.${page}`.endsWith(`.${domain}`));
	}

	/** Reads the status of the email: it belongs to the `email` beside it. */
	private putStatus(columns: Column[]): void {
		const { found } = this.lead;
		for (const section of this.sections.keys()) {
			const value = this.statusIn(section);
			if (value === '') continue;
			const emails = columns.filter((one) => one.isEmail && one.section === section);
			const own = emails.find(({ field }) => field === 'email') ?? emails[0];
			const { email } = this.from;
			const isOwn = section === email?.section && (!own || own.field === email.field);
			const isSame = () =>
				isSameEmail(valueOf('email', own && cellIn(this.sections, own)), found.email?.value);
			if (!found.email || isOwn || isSame()) {
				found.emailStatus = { value, field: 'emailStatus' };
				return;
			}
		}
	}
}

/** Whether a text is an email, or holds one that is to be refused: it counts before a word such as `unknown`. */
function isEmail(text: string): boolean {
	return holdsEmail(text) || isMixed(text);
}
