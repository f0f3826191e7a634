const MASK = '***';

/** The least length of a key that is masked, in characters: a shorter text may be a part of any word. */
const SHORTEST_KEY = 6;

/** A shorter piece of Base64 may occur in another text by chance. */
const SHORTEST_PIECE = 8;

/**
 * A copy of a JSON value in which the key is masked wherever it occurs, in names of properties too: as it
 * is, URL-encoded, as JSON writes it, and in the Base64 of `user:key`. Returns the value itself if it does
 * not hold the key.
 */
export function withoutKey<T>(value: T, key: string): T {
	if (key.length < SHORTEST_KEY) return value;
	const forms = formsOf(key);
	const text = JSON.stringify(value);
	const isIn = forms.some((form) => text.includes(inJson(form)));
	return isIn ? masked(value, forms) : value;
}

/** Returns the forms in which a text may hold the key, the longest first, as one form may be a part of another. */
function formsOf(key: string): string[] {
	const inUrl = encodeURIComponent(key);
	const inUrlLowerCase = inUrl.replace(/%../g, (escape) => escape.toLowerCase());
	const inBase64 = [0, 1, 2]
		.map((before) => base64Of(key, before))
		.filter(({ length }) => length >= SHORTEST_PIECE);
	const withSlashes = inJson(key).replaceAll('/', '\\/');
	const forms = [key, inJson(key), withSlashes, inUrl, inUrlLowerCase, ...inBase64];
	return forms.toSorted((a, b) => b.length - a.length);
}

/** A text as JSON writes it between the quotes. */
export function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

/**
 * Returns what the key becomes in Base64 where 3n + `before` bytes precede it, without the characters at both ends that
 * encode neighbouring bytes, too.
 */
function base64Of(key: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
	return bytes
		.toString('base64')
		.slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

function masked<T>(value: T, forms: string[]): T;
function masked(value: unknown, forms: string[]): unknown {
	if (typeof value === 'string') {
		return forms.reduce((text, form) => text.replaceAll(form, MASK), value);
	}
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((item) => masked(item, forms));
	return Object.fromEntries(Object.entries(value).map((entry) => masked(entry, forms)));
}
