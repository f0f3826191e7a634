import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { toText } from '../values/text';
import type { Parameters } from './parameters';

/** An operation as n8n's declarative style describes it: `routing` maps the fields onto the endpoint. */
export interface Declaration {
	/** Its entry in the menu, with the method and the path of its request. */
	option: INodePropertyOptions;
	/** What an AI agent's model is told of it; an operation without it is not offered to agents. */
	tool?: string;
	fields: INodeProperties[];
}

/** A field whose value goes into the request. */
export interface RequestField {
	/** As `getNodeParameter` knows it. */
	name: string;
	/** Under which name the request has it. */
	property: string;
	/** For a resource locator: its value, whatever its mode. */
	extractValue: boolean;
}

/** The fields of an operation that go into its request, those among its options too. */
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
	const property = send?.property ?? (request?.url === undefined ? undefined : field.name);
	if (property === undefined) return [];
	const extractValue = field.type === 'resourceLocator';
	return [{ name, property, extractValue }];
}

/**
 * The path of an operation. A field may declare it, as n8n does, with its own value inside:
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
