import type { IDataObject } from 'n8n-workflow';

import { LeadParameters } from '../../nodes/shared/input/leadParameters.ts';

type Context = ConstructorParameters<typeof LeadParameters>[0];

export const FAILS = '={{ fails }}';

/** The fields of a lead as they are saved where the user has added them all, those without a value empty. */
export function added(
	{ lead = {} }: ConstructorParameters<typeof LeadParameters>[1] = {},
	saved: Record<string, unknown>,
): Record<string, unknown> {
	const entries = Object.keys(lead).map((name) => [`leadFields.${name}`, saved[name] ?? '']);
	return { ...saved, ...Object.fromEntries(entries) };
}

/** The parameters of an operation as they are saved, for an item; an expression that fails is one that `fails`. */
export function parametersOf(
	operation: ConstructorParameters<typeof LeadParameters>[1],
	saved: Record<string, unknown>,
	item: IDataObject = {},
): LeadParameters {
	const parameter: Context['parameter'] = (name, _, fallback, options) => {
		// An option may be given by its own name.
		const option = name.replace(/^options\.(?:.*\.)?/, '');
		const key = [name, `options.${option}`, option].find((one) => Object.hasOwn(saved, one));
		const value = key === undefined ? fallback : saved[key];
		if (value === FAILS && !options?.rawExpressions) throw new Error('It fails');
		return value;
	};
	const inputs = [{ json: item }];
	return new LeadParameters({ json: () => item, inputs, parameter }, operation);
}
