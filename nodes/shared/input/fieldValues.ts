import type { IDataObject } from 'n8n-workflow';
import { FirstFailure, invalidValue } from '../failures/failure';
import {
	cleanText,
	isPlaceholder,
	isSocialPage,
	plainSigns,
	toDomain,
	toText,
} from '../values/text';
import type { RecognizedFields } from './declaration';
import type { Parameters } from './parameters';

/** The values that an item has in the fields of an operation, under the names that they have in the request. */
export class FieldValues {
	private readonly fields: Parameters['sent'];
	private readonly values = new Map<string, unknown>();

	/** The exception for the first field that cannot be read. */
	readonly failure: unknown;

	/** Whether the model of an agent has filled in the fields. */
	readonly isOfModel: boolean;

	constructor(parameters: Parameters, item: number) {
		this.isOfModel = parameters.isTool;
		this.fields = parameters.sent;
		const failure = new FirstFailure();
		for (const { name, property, extractValue } of this.fields) {
			const read = () => parameters.get(name, item, '', { extractValue });
			this.values.set(property, failure.of(read));
		}
		this.failure = failure.error;
	}

	raw(property: string): unknown {
		return this.values.get(property);
	}

	/** The texts in the fields that say what is wanted: a list, or what a lead holds. */
	subject(lead: RecognizedFields = {}): IDataObject {
		const subjects = this.fields.filter(({ name, extractValue }) => extractValue || name in lead);
		const texts = subjects.map(({ name, property }) => [name, toText(this.raw(property))]);
		return Object.fromEntries(texts.filter(([, text]) => text !== ''));
	}

	/** The text in a field, cleaned. Throws `Failure` for a list or an object. */
	text(property: string): string {
		const field = this.fields.find((field) => field.property === property);
		return typedText(this.raw(property), field?.label ?? property);
	}

	/** The same for the name of a person or a company, as {@link nameIn} reads it. */
	name(property: string): string {
		return nameIn(this.text(property));
	}

	/** A company (interface specification 4.5, 4.9). Throws `Failure` for a name that it needs and cannot be right. */
	company(domainProperty: string, nameProperty: string): { domain: string; name: string } {
		const company = companyOf(this.text(domainProperty), this.raw(nameProperty));
		// Beside a domain, the lookup can do without the name.
		if (company.domain !== '') return company;
		return { ...company, name: this.name(nameProperty) || company.name };
	}
}

/** A company by its website and its name. Text that cannot be a domain is the name, unless there is one. */
export function companyOf(website: unknown, name?: unknown): { domain: string; name: string } {
	const typed = nameIn(website);
	const site = isSocialPage(typed) ? '' : typed;
	const domain = toDomain(site);
	return { domain, name: nameIn(name) || (domain === '' ? site : '') };
}

/** A typed text, cleaned. Throws `Failure` for a list or an object. */
export function typedText(value: unknown, label: string): string {
	if (typeof value !== 'object' || value === null) return cleanText(value);
	const kind = Array.isArray(value) ? 'a list' : 'an object';
	throw invalidValue(label, `${label} must be text, and this item has ${kind} there`);
}

/** The text of a value as a name, in one spelling; empty for placeholders such as `n/a`. */
export function nameIn(value: unknown): string {
	const text = plainSigns(cleanText(value));
	return isPlaceholder(text) ? '' : text;
}
