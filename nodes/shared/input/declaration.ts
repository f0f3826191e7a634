import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Names } from '../failures/names';
import type { Meaning } from '../lead/columnNames';

/** The collection of the fields of a lead that are not to be recognized. */
export const ADDED_FIELDS = 'leadFields';

/** The fields of a lead, by name, with the meanings to look for: the first that has a value counts. */
export type RecognizedFields = Record<
	string,
	{
		meanings: Meaning[];
		/** For the model of an AI agent, which then fills in the field. */
		forModel?: string;
		/** Whether the model may leave it out. */
		isOptional?: true;
	}
>;

/** An operation in n8n's declarative style: `routing` maps its fields to the request. */
export interface Declaration {
	/** The entry in the menu, with the method and the path of the request. */
	option: INodePropertyOptions;
	/** The description for the model of an AI agent; an operation without one is hidden from agents. */
	tool?: string;
	/** What it costs, in a few words for the canvas. */
	cost: string;
	fields: INodeProperties[];
	/** The fields that an item gets, from which a tool may select. */
	columns?: string[];
	/** The names under which an item says what came of it; those of a lookup by default. */
	names?: Names;
	/** The option that adds one more. */
	optionalColumn?: { option: string; column: string };
	lead?: RecognizedFields;
	options?: INodeProperties[];
}

/** A field whose value is sent. */
export interface RequestField {
	/** The name for `getNodeParameter`, e.g. `options.country`. */
	name: string;
	label: string;
	/** The name in the request. */
	property: string;
	/** Whether it is a resource locator, of which only the value is sent, in the path. */
	extractValue: boolean;
}

/** The fields of an operation whose values are sent, including those among its options. */
export function requestFields({ fields = [], options = [] }: Partial<Declaration>): RequestField[] {
	return [...fields, ...options].flatMap((field) => {
		const { name, displayName: label, type, routing } = field;
		const extractValue = type === 'resourceLocator';
		const property = routing?.send?.property ?? (extractValue ? name : undefined);
		const path = options.includes(field) ? 'options.' : '';
		return property === undefined
			? []
			: [{ name: `${path}${name}`, label, property, extractValue }];
	});
}

/** The path of an operation. As in n8n's style, a part of it may be the value of a resource locator. */
export function pathOf({ option }: Declaration, valueOf?: (name: string) => string): string {
	const path = option.routing?.request?.url ?? '';
	const locator = /\{\{\$parameter\.(\w+)\.value\}\}/;
	return path.replace(/^=/, '').replace(locator, (_, name: string) => valueOf?.(name) ?? '');
}
