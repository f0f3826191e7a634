/** What stands in a text where the key was. */
const MASK = '***';

/** How the key may be written: as it is, in a URL, and inside a JSON text. */
function formsOf(key: string): string[] {
	if (key === '') return [];
	const written = JSON.stringify(key).slice(1, -1);
	// The longest first: one form may be a part of another.
	const encoded = encodeURIComponent(key);
	const lowerCase = encoded.replace(/%../g, (escape) => escape.toLowerCase());
	const inText = JSON.stringify(written).slice(1, -1);
	return [...new Set([inText, written.replaceAll('/', '\\/'), written, encoded, lowerCase, key])];
}

/**
 * A copy of a JSON value in which the key is masked wherever it occurs, in keys of objects too;
 * the value itself when it holds no key.
 */
export function withoutKey<T>(value: T, key: string): T {
	const forms = formsOf(key);
	const text = JSON.stringify(value) ?? '';
	// Nearly always there is nothing to mask, and that is quick to see.
	return forms.some((form) => text.includes(form)) ? masked(value, forms) : value;
}

function masked<T>(value: T, forms: string[]): T;
function masked(value: unknown, forms: string[]): unknown {
	if (typeof value === 'number')
		return forms.some((form) => String(value).includes(form)) ? MASK : value;
	if (typeof value === 'string')
		return forms.reduce((text, form) => text.replaceAll(form, MASK), value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((item) => masked(item, forms));
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, item]) => [masked(name, forms), masked(item, forms)]),
	);
}
