/** What stands in a text where the key was. */
const MASK = '***';

/** A shorter piece of Base64 may stand somewhere by chance. */
const SHORTEST_PIECE = 8;

/** Answers mostly come one after the other to the same account. */
let last: { key: string; forms: string[] } = { key: '', forms: [] };

/** How the key may be written: as it is, in a URL or a form, inside a JSON text, as Base64, in hexadecimal. */
function formsOf(key: string): string[] {
	if (last.key === key) return last.forms;
	const forms = key === '' ? [] : makeForms(key);
	last = { key, forms };
	return forms;
}

function makeForms(key: string): string[] {
	const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
	const written = escaped(key);
	const inJson = [written.replaceAll('/', '\\/'), written];
	const encoded = encodeURIComponent(key);
	const lowerCase = encoded.replace(/%../g, (escape) => escape.toLowerCase());
	const inForm = encoded.replaceAll('%20', '+');
	const bytes = Buffer.from(key);
	const hexadecimal = bytes.toString('hex');
	const forms = [
		...inJson.map(escaped),
		...inJson,
		encoded,
		lowerCase,
		inForm,
		key,
		hexadecimal,
		hexadecimal.toUpperCase(),
	];
	// The longest first: one form may be a part of another.
	return [...new Set([...forms, ...inBase64(bytes)])].toSorted((a, b) => b.length - a.length);
}

/** The pieces by which a text is known in Base64, alone or behind one or two other bytes (as of `user:key`). */
function inBase64(bytes: Buffer): string[] {
	const pieces = [0, 1, 2].flatMap((before) => {
		const all = Buffer.concat([Buffer.alloc(before), bytes]);
		// The characters at either end hold bits of what is around.
		const whole = Math.floor((all.length * 8) / 6);
		const first = Math.ceil((before * 8) / 6);
		return [all.toString('base64'), all.toString('base64url')].map((text) =>
			text.slice(first, whole),
		);
	});
	return pieces.filter(({ length }) => length >= SHORTEST_PIECE);
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
