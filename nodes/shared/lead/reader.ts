import type { IDataObject } from 'n8n-workflow';
import { asBeforeFile } from '../host/file';
import { isObject, objectFrom } from '../values/json';
import { decideName, isListedCompany, type Lead } from './lead';
import type { Meaning } from './columnNames';
import { type Column, columnOf, OF_COMPANY, type Plan, planOf } from './plan';
import { cellIn, Row, type Sections } from './row';
import { valueOf } from './cells';

/** Where CRMs, bases and forms put the fields of an item, in the order in which they count. */
const CONTAINERS =
	'properties fields body data merge_fields person_id lead contact company organization'.split(' ');

/** Columns that say something, and what is read of the items that have just these. */
interface Shape {
	columns: Column[];
	plan?: Plan;
}

/** How many items show whether a bare `Name` is a company's, and the share of companies among them that makes it one. */
const SAMPLE = 1_000;
const SHARE = 0.2;

/** Names of columns that lists of places have, as from a map, and lists of people have not. */
const OF_PLACE = /^(?:rating|reviews?(?:[ _]?count)?|opening[ _]?hours|place[ _]?id)$/i;

/**
 * Recognizes leads by the names of their columns. Which are read is decided once for all items of a run that have most of
 * their columns in common: a file leaves empty cells out.
 */
export class LeadReader {
	private readonly columns = new Map<string, Column | undefined>();
	private readonly byKey = new Map<string, Shape>();
	private readonly votes = new Map<string, string | undefined>();
	private readonly shapes = new Map<object, Shape>();

	/** For each column all that some item of the run has together with it. */
	private beside: Map<Column, Set<Column>> | undefined;

	/** Names of columns that are not read although they are recognized, each with the reason. */
	readonly leftAside = new Set<string>();

	/**
	 * @param resultField the field for the result, if any: what an earlier lookup has put there comes before all others
	 * @param items those of the run; without them, each item is a run
	 */
	constructor(
		private readonly resultField = '',
		private readonly items: unknown[] = [],
	) {}

	read(item: unknown): Lead {
		const fields = isObject(item) ? item : {};
		const sections = this.sectionsOf(fields);
		const shape = this.shapeOf(fields, sections);
		shape.plan ??= this.planFor(shape.columns);
		const lead = new Row(sections).read(shape.plan);
		decideName(lead, shape.plan.notPerson);
		return lead;
	}

	/** Looks at the columns of an item, before the first one is read. */
	look(item: unknown): void {
		if (isObject(item)) this.shapeOf(item);
	}

	private shapeOf(item: IDataObject, sections = this.sectionsOf(item)): Shape {
		const known = this.shapes.get(item);
		if (known) return known;
		const columns: Column[] = [];
		for (const [section, fields] of sections) {
			for (const field of Object.keys(fields)) {
				// The columns in an object count, and the name of a company.
				if (sections.has(field) && !OF_COMPANY.test(field)) continue;
				const column = this.columnOf(section, field);
				if (column) columns.push(column);
			}
		}
		const key = columns.map(({ id }) => id).join();
		const shape = this.byKey.get(key) ?? { columns };
		this.byKey.set(key, shape);
		this.shapes.set(item, shape);
		return shape;
	}

	private sectionsOf(item: IDataObject): Sections {
		const { resultField } = this;
		const sections: Sections = new Map();
		if (resultField !== '') {
			const held = { ...objectFrom(asBeforeFile(item, resultField)[resultField]) };
			// The `name` of a company that was found is no person's.
			delete held.name;
			sections.set(resultField, held);
		}
		sections.set('', item);
		for (const name of CONTAINERS) {
			if (typeof item[name] !== 'object' || name === resultField) continue;
			// Of several leads none can be meant.
			const [one, ...more] = [item[name]].flat();
			if (isObject(one) && more.length === 0) sections.set(name, one);
		}
		return sections;
	}

	private columnOf(section: string, field: string): Column | undefined {
		const key = `${section}\0${field}`;
		if (!this.columns.has(key)) {
			const order = [this.resultField, '', ...CONTAINERS].indexOf(section);
			this.columns.set(key, columnOf(section, field, order, this.columns.size));
		}
		return this.columns.get(key);
	}

	private planFor(own: Column[]): Plan {
		// A row is completed with the columns that others have which share most of its own.
		const shared = (others: Set<Column>) => own.filter((one) => others.has(one)).length;
		const beside = (this.beside ??= this.besideAll());
		const more = [...beside].filter(([, others]) => shared(others) > own.length / 2);
		const areTogether = (one: Column, other: Column) => beside.get(one)?.has(other) ?? true;
		const all = new Set([...own, ...more.map(([column]) => column)]);
		const plan = planOf([...all], areTogether);
		return { ...plan, notPerson: this.voteOn(plan) };
	}

	private besideAll(): Map<Column, Set<Column>> {
		const beside = new Map<Column, Set<Column>>();
		const shapes = this.items.filter(isObject).map((item) => this.shapeOf(item));
		for (const { columns } of new Set(shapes)) {
			for (const column of columns) {
				const others = beside.get(column) ?? new Set();
				for (const one of columns) others.add(one);
				beside.set(column, others);
			}
		}
		return beside;
	}

	/** Why the bare name in these columns is no person's: enough items have a company there, or a column of places. */
	private voteOn({ columns }: Plan): string | undefined {
		const of = (one: Meaning) => columns.find(({ meaning }) => meaning === one);
		const [name, website] = [of('name'), of('domain')];
		if (!name || of('company')) return undefined;
		const key = `${name.id} ${website?.id}`;
		if (!this.votes.has(key)) this.votes.set(key, this.countCompanies(name, website));
		return this.votes.get(key);
	}

	private countCompanies(name: Column, website: Column | undefined): string | undefined {
		const sample = this.items.slice(0, SAMPLE).filter(isObject);
		const ofPlace = sample.flatMap((item) => Object.keys(item)).find((one) => OF_PLACE.test(one));
		if (ofPlace) return this.leaveAside(name, `looks like a company, beside ${ofPlace}`);
		const rows = sample.map((item) => this.sectionsOf(item));
		const read = (row: Sections, column?: Column) =>
			column ? valueOf(column.meaning, cellIn(row, column)) : '';
		const named = rows.filter((row) => read(row, name) !== '');
		const companies = named.filter((row) => isListedCompany(read(row, name), read(row, website)));
		if (companies.length === 0 || companies.length < named.length * SHARE) return undefined;
		const why = `looks like a company in ${companies.length} of ${named.length} items`;
		return this.leaveAside(name, why);
	}

	private leaveAside({ field }: Column, why: string): string {
		this.leftAside.add(`${field} ${why}`);
		return why;
	}
}
