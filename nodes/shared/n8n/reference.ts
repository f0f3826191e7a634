import { isSafeObjectProperty } from 'n8n-workflow';

import { isObject } from '../values/json';

/**
 * `{{ $json.name }}`, `{{ $json.company.domain }}`, `{{ $json["Company Name"] }}`, and nothing else. A
 * key that would end the text, or the expression, is for n8n's engine.
 */
const REFERENCE =
	/^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\[(?:"[^"\\}\r\n\u2028\u2029]*"|'[^'\\}\r\n\u2028\u2029]*')\])+)\s*\}\}$/;

/** What n8n's engine refuses, wherever it stands in an expression. */
const REFUSED = /\.\s*(?:constructor|globalThis)/;

const STEP = /\.(\w+)|\["([^"]*)"\]|\['([^']*)'\]/g;

/** The steps of a plain reference into the item, or nothing where n8n's engine is needed. */
export function referenceIn(expression: string): string[] | undefined {
	const path = REFERENCE.exec(expression)?.[1];
	if (path === undefined || REFUSED.test(path)) return undefined;
	const steps = [...path.matchAll(STEP)].map(
		([, dotted, double, single]) => dotted ?? double ?? single,
	);
	return steps.every(isSafeObjectProperty) ? steps : undefined;
}

/**
 * What a reference finds in an item, exactly as n8n's engine finds it: text, a number, a boolean,
 * `null` or `undefined`; `engine` where only the engine knows.
 */
export function valueAt(
	json: unknown,
	steps: string[],
): { value: string | number | boolean | null | undefined } | 'engine' {
	let value = json;
	for (const step of steps) {
		// What every object inherits (`constructor`, `toString`) is for the engine, as is the inside of
		// texts and lists.
		if (!isObject(value) || step in Object.prototype) return 'engine';
		if (!Object.hasOwn(value, step)) {
			return step === steps.at(-1) && !(step in value) ? { value: undefined } : 'engine';
		}
		value = value[step];
	}
	if (value === null || value === undefined) return { value };
	if (typeof value === 'string' || typeof value === 'boolean') return { value };
	return typeof value === 'number' && Number.isFinite(value) ? { value } : 'engine';
}
