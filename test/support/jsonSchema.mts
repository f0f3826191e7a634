import { isRecord } from '../service/values.mts';

/** A JSON schema as n8n shows it in the output panel before a node's first run. */
export interface Schema {
	type: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** The schema that all of the values have in common; a value that is `null` once and text once is text. */
export function schemaOf(values: unknown[]): Schema {
	const known = values.filter((value) => value !== null && value !== undefined);
	if (known.length > 0 && known.every(Array.isArray)) {
		return { type: 'array', items: schemaOf(known.flat()) };
	}
	if (known.length > 0 && known.every(isRecord)) {
		const names = new Set(known.flatMap((value) => Object.keys(value)));
		const properties = [...names].map((name) => [
			name,
			schemaOf(known.map((value) => value[name])),
		]);
		return { type: 'object', properties: Object.fromEntries(properties) };
	}
	const [type = 'null'] = known.map((value) => typeof value);
	if (type === 'string' || type === 'number' || type === 'boolean') return { type };
	return { type: 'null' };
}
