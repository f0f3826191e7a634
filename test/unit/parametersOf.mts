import type { IDataObject } from 'n8n-workflow';

import { Parameters } from '../../nodes/shared/input/parameters.ts';

type Context = ConstructorParameters<typeof Parameters>[0];

export const FAILS = '={{ fails }}';

/** The parameters of an operation as they are saved, for an item; an expression that fails is one that `fails`. */
export function parametersOf(
	operation: ConstructorParameters<typeof Parameters>[1],
	saved: Record<string, unknown>,
	item: IDataObject = {},
): Parameters {
	const parameter: Context['parameter'] = (name, _, fallback, options) => {
		const value = Object.hasOwn(saved, name) ? saved[name] : fallback;
		if (value === FAILS && !options?.rawExpressions) throw new Error('It fails');
		return value;
	};
	return new Parameters({ json: () => item, parameter }, operation);
}
