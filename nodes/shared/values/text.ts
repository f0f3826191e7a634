/**
 * The text of a value that a user, an expression or an AI agent enters: trimmed, numbers as digits, and
 * empty for any other type. A lone surrogate, half of a character, becomes U+FFFD, as it cannot be sent.
 */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value.trim().toWellFormed();
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return '';
}

/** A number with its unit, e.g. "1 credit" and "2 credits". */
export function count(number: number, unit: string): string {
	return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** A whole number of at least 0; the default for a value that is no number. */
export function wholeNumber(value: unknown, byDefault: number): number {
	return Math.max(0, Math.floor(numberOf(value) ?? byDefault));
}

/** The number of a value or its text; `undefined` for an empty text, infinity and any other value. */
export function numberOf(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : Number.NaN;
	return Number.isNaN(number) || number === Number.POSITIVE_INFINITY ? undefined : number;
}

/** The thrown value as an `Error`: a program can throw any value. */
export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** A URL with a scheme: the service sends some without (`www.example.com/in/ada`). */
export function withScheme(url: string | null): string | null {
	if (url === null || /^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
	return `https://${url.replace(/^\/+/, '')}`;
}

/** The URL in a text, absolute or relative to a base; `undefined` for a text that is none. */
export function parsedUrl(text: string | undefined, base?: string): URL | undefined {
	if (text === undefined) return undefined;
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Any number of schemes (`https://`), and of slashes after them. */
const SCHEMES = /^(?:[a-z][a-z\d+.-]*:\/\/)*\/*/;

/**
 * The bare domain of a text that a user pastes: `https://www.Acme.com/about`, `acme.com:443` and `Acme.com`
 * all give `acme.com`. Domains compare case-insensitively (interface specification 4.5). Takes time in
 * proportion to the length of the text, whatever is in it.
 */
export function toDomain(value: string): string {
	const [authority] = value.trim().toLowerCase().replace(SCHEMES, '').split(/[/?#]/, 1);
	const [host] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
	return host.replace(/(?<![.\s])[.\s]+$/, '').replace(/^(?:\s|www\.(?=[^.]+\.))+/, '');
}
