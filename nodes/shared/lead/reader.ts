import type { IDataObject } from 'n8n-workflow';
import { isObject, objectFrom } from '../values/json';
import { type Lead, NAME_RULES } from './lead';
import { type Column, columnOf, type Plan, planOf } from './plan';
import { Row, type Sections } from './row';

/** Where CRMs, bases and forms put the fields of an item, in the order in which they count. */
export const CONTAINERS =
	'properties fields body data merge_fields person_id lead contact company organization attributes payload customer billing names'.split(
		' ',
	);

/** Recognizes leads by the names of their columns. Which are read is decided once, by all columns of the run. */
export class LeadReader {
	private readonly columns = new Map<string, Column | undefined>();
	private readonly seen = new WeakSet<object>();
	private plan: Plan | undefined;

	/** @param items those of the run */
	constructor(private readonly items: unknown[]) {}

	/** What is recognized of the lead in an item of the run. */
	read(item: unknown): Lead {
		if (!this.plan) {
			for (const one of this.items) this.look(one);
			this.plan = planOf([...this.columns.values()].filter((column) => column !== undefined));
		}
		const row = new Row(sectionsOf(objectFrom(item)), this.plan);
		const lead = row.read();
		for (const [, rule] of NAME_RULES) rule(lead, row);
		delete lead.found.name;
		return lead;
	}

	/** Looks at the columns of an item, before the first one is read. */
	look(item: unknown): void {
		if (!isObject(item) || this.seen.has(item)) return;
		this.seen.add(item);
		for (const [section, fields] of sectionsOf(item)) {
			for (const field of Object.keys(fields)) {
				const key = `${section}\0${field}`;
				if (this.columns.has(key)) continue;
				const order = ['', ...CONTAINERS].indexOf(section);
				this.columns.set(key, columnOf(section, field, order));
			}
		}
	}
}

/** The objects of an item that hold fields, by their names, in the order in which they count. */
export function sectionsOf(item: IDataObject): Sections {
	const sections: Sections = new Map([['', item]]);
	for (const name of CONTAINERS) {
		if (typeof item[name] !== 'object') continue;
		// Of several leads none can be meant.
		const [one, ...more] = [item[name]].flat();
		if (isObject(one) && more.length === 0) sections.set(name, one);
	}
	return sections;
}
