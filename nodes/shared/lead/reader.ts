import type { IDataObject } from 'n8n-workflow';
import { isEmpty, isObject, objectFrom } from '../values/json';
import { EMPTY_FIELD } from './cells';
import { type Lead, NAME_RULES } from './lead';
import { type Choice, type Column, columnKey, columnOf, isName, type Plan, planOf } from './plan';
import { Row, type Sections } from './row';

/** Where CRMs, bases and forms put the fields of an item, in the order in which they count. */
export const CONTAINERS =
	'properties fields body data merge_fields person_id lead contact company organization attributes payload customer billing names'.split(
		' ',
	);

/** Recognizes leads by the names of their columns. Which are read is decided once, by all columns of the run. */
export class LeadReader {
	private readonly columns = new Map<string, Column | undefined>();
	/** The keys of those that have a value in any item. What is empty in all of them says nothing else. */
	private readonly filled = new Set<string>();
	private readonly seen = new WeakSet<object>();
	/** Those that are empty in all items, and the contact among them. */
	private readonly empty: Column[] = [];
	private contact: Column | undefined;
	private plan: Plan | undefined;

	/** @param items those of the run */
	constructor(
		private readonly items: unknown[],
		private readonly choice: Choice = new Map(),
	) {}

	/**
	 * What an item of the run has of a lead.
	 * @param chosen what is chosen of it; the rest is recognized
	 */
	read(item: unknown, chosen: Lead = { found: {}, lacking: {} }): Lead {
		if (!this.plan) {
			for (const one of this.items) this.look(one);
			const columns = [...this.columns].filter(([key]) => this.filled.has(key));
			this.plan = planOf(new Map(columns), this.choice);
			for (const [key, column] of this.columns)
				if (column && !this.filled.has(key)) this.empty.push(column);
			this.contact = this.empty.find((one) => isName(one) && /^\D/.test(one.owner));
		}
		const row = new Row(sectionsOf(objectFrom(item)), this.plan, chosen);
		const lead = row.read();
		// Beside a contact who is never named, a bare name is a company's.
		const { field: contact } = this.contact ?? {};
		if (contact !== undefined) lead.lacking.fullName ??= { field: contact, why: EMPTY_FIELD };
		for (const [, rule] of NAME_RULES) rule(lead, row);
		delete lead.found.name;
		for (const { meaning, field } of this.empty) {
			if (!lead.found[meaning]) lead.lacking[meaning] ??= { field, why: EMPTY_FIELD };
		}
		return lead;
	}

	/** Whether a column of this name has a value in any item. */
	isFilled(field: string): boolean {
		return ['', ...CONTAINERS].some((section) => this.filled.has(columnKey(section, field)));
	}

	/** Looks at the columns of an item, before the first one is read. */
	look(item: unknown): void {
		if (!isObject(item) || this.seen.has(item)) return;
		this.seen.add(item);
		for (const [section, fields] of sectionsOf(item)) {
			for (const field of Object.keys(fields)) {
				const key = columnKey(section, field);
				if (this.filled.has(key)) continue;
				// One item alone shows no list.
				if (this.items.length === 1 || !isEmpty(fields[field])) this.filled.add(key);
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
		// Of several leads nobody knows which one it is.
		const [one, ...more] = [item[name]].flat();
		if (isObject(one) && more.length === 0) sections.set(name, one);
	}
	return sections;
}
