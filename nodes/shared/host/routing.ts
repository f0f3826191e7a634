import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { toText } from '../values/text';
import type { Parameters } from './parameters';

/** An operation in n8n's declarative style: `routing` maps its fields to the request. */
export interface Declaration {
	/** The entry in the menu, with the method and the path of the request. */
	option: INodePropertyOptions;
	/** The description for the model of an AI agent; an operation without one is hidden from agents. */
	tool?: string;
	fields: INodeProperties[];
}

/** A field whose value is sent. */
export interface RequestField {
	/** The name for `getNodeParameter`, e.g. `options.country`. */
	name: string;
	/** The name in the request. */
	property: string;
	/** Whether it is a resource locator, of which only the value is sent. */
	extractValue: boolean;
}

/** The fields of an operation whose values are sent, including those among its options. */
export function requestFields({ fields }: Declaration): RequestField[] {
	return fields.flatMap((field) => fieldsIn(field, ''));
}

function fieldsIn(field: INodeProperties, path: string): RequestField[] {
	const name = `${path}${field.name}`;
	if (field.type === 'collection') {
		const options = field.options ?? [];
		return options.flatMap((option) => ('type' in option ? fieldsIn(option, `${name}.`) : []));
	}
	const { send, request } = field.routing ?? {};
	const property = send?.property ?? (request?.url && field.name);
	return property ? [{ name, property, extractValue: field.type === 'resourceLocator' }] : [];
}

/**
 * The path of an operation. In n8n's style a field may declare it, with the value of the field inside:
 * `=/api/v2/list/{{$value}}/leads`.
 */
export function pathOf({ option, fields }: Declaration, values: Record<string, unknown>): string {
	const own = option.routing?.request?.url;
	if (own !== undefined) return own;
	for (const { name, routing } of fields) {
		const template = routing?.request?.url;
		if (template === undefined) continue;
		return template.slice(1).replace('{{$value}}', () => encodeURIComponent(toText(values[name])));
	}
	throw new Error(`No field of ${option.value} declares the path`);
}

/** The value of a field for an item; throws `FailingExpression`. */
export function fieldValue(parameters: Parameters, field: RequestField, item: number): unknown {
	return parameters.get(field.name, item, '', { extractValue: field.extractValue });
}
