import { Parameters } from '../../nodes/shared/host/parameters.ts';
import { requestFields, type Declaration } from '../../nodes/shared/host/routing.ts';
import { FieldValues } from '../../nodes/shared/output/fieldValues.ts';

/** The values of an item whose fields hold these, options by their own names. */
export function valuesOf(operation: Declaration, held: Record<string, unknown>): FieldValues {
	const parameters = new Parameters({
		json: () => ({}),
		parameter(name, _, fallback) {
			const own = name.replace(/^options\./, '');
			return Object.hasOwn(held, own) ? held[own] : fallback;
		},
	});
	return new FieldValues(requestFields(operation), parameters);
}
