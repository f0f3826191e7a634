import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Names } from '../failures/names';
import type { Meaning } from '../lead/columnNames';

/** The fields of a lead, by name, with the meanings to look for: the first that has a value counts. */
export type RecognizedFields = Record<
	string,
	{
		meanings: Meaning[];
		/** For the model of an AI agent, which then fills in the field; without it, tools lack the field. */
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

/**
 * The fields of an operation whose values are sent, including those among its options, each with its name in the request. Of
 * a resource locator only the value is sent, in the path.
 */
export function requestFields(operation: Partial<Declaration>) {
	return allFields(operation).flatMap((field) => {
		const { name, displayName: label, type, routing } = field;
		const extractValue = type === 'resourceLocator';
		const property = routing?.send?.property ?? (extractValue ? name : undefined);
		return property === undefined ? [] : [{ name, label, property, extractValue }];
	});
}

/** All fields of an operation by their labels, with those inside its options. */
export function allFields({ fields = [], options = [] }: Partial<Declaration>): INodeProperties[] {
	return [...fields, ...options, ...options.flatMap(fieldsIn)];
}

function fieldsIn({ type, options = [] }: INodeProperties): INodeProperties[] {
	return type === 'collection' ? (options as INodeProperties[]) : [];
}

/** Where n8n keeps the fields that are not on the panel itself, by their names. */
export function pathsOf({ options = [], lead = {} }: Partial<Declaration>): Map<string, string> {
	const added = Object.keys(lead).map((name) => [name, `leadFields.${name}`] as const);
	const inOptions = options.flatMap((option) => [
		[option.name, `options.${option.name}`] as const,
		...fieldsIn(option).map(({ name }) => [name, `options.${option.name}.${name}`] as const),
	]);
	return new Map([...added, ...inOptions]);
}

/** The path of an operation. As in n8n's style, a part of it may be the value of a resource locator. */
export function pathOf({ option }: Declaration, valueOf?: (name: string) => string): string {
	const path = option.routing?.request?.url ?? '';
	const locator = /\{\{\$parameter\.(\w+)\.value\}\}/;
	return path.replace(/^=/, '').replace(locator, (_, name: string) => valueOf?.(name) ?? '');
}
