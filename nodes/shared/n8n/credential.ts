import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../values/json';

/** The type of the credential, as n8n knows it. */
export const CREDENTIAL = 'contactDataApi';

/** A credential as it is for one item. */
export interface ItemCredential {
	credential: ICredentialDataDecryptedObject;
	/** Whether it is the same for every item, as none of its fields is an expression. */
	isForAll: boolean;
}

/** Whether a parameter, or anything in it, is an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (typeof parameter === 'string') return parameter.startsWith('=');
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

/**
 * Reads the credential for an item. n8n does not tell whether a field of it is an expression, but it
 * hands the fields, as they were saved, to the workflow of the context for evaluation: there they are
 * looked at. Where they do not come by, the credential counts as one for this item only.
 */
export async function readCredential(
	n8n: Pick<IExecuteFunctions, 'getCredentials'>,
	item: number,
): Promise<ItemCredential> {
	let isForAll: boolean | undefined;
	const workflow: unknown = Reflect.get(n8n, 'workflow');
	const expression: unknown = isObject(workflow) ? workflow.expression : undefined;
	const evaluate: unknown = isObject(expression) ? expression.getParameterValue : undefined;
	if (!isObject(workflow) || !isObject(expression) || typeof evaluate !== 'function') {
		return { credential: await n8n.getCredentials(CREDENTIAL, item), isForAll: false };
	}
	const getParameterValue = (saved: unknown, ...rest: unknown[]): unknown => {
		isForAll = isForAll !== false && !hasExpression(saved);
		return evaluate.call(expression, saved, ...rest);
	};
	const watching = inheriting(n8n, {
		workflow: inheriting(workflow, { expression: inheriting(expression, { getParameterValue }) }),
	});
	const credential = await watching.getCredentials(CREDENTIAL, item);
	return { credential, isForAll: isForAll === true };
}

/** The object with other values for some of its properties; itself it stays as it is. */
export function inheriting<T extends object>(object: T, properties: Record<string, unknown>): T {
	const descriptors = Object.entries(properties).map(([name, value]) => [name, { value }]);
	return Object.create(object, Object.fromEntries(descriptors));
}
