/** Replaces half of a character, which cannot be sent. */
export const NO_CHARACTER = '\uFFFD';

/**
 * The text of a value that a user, an expression or an AI agent enters: trimmed, numbers as digits, and
 * empty for any other type. A lone surrogate, half of a character, becomes {@link NO_CHARACTER}.
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

export function withoutTrailing(text: string, character: string): string {
	let end = text.length;
	while (text[end - 1] === character) end--;
	return text.slice(0, end);
}

/** The number of bytes in UTF-8. */
export function byteLength(text: string): number {
	return new TextEncoder().encode(text).length;
}

/** `Number(value)`, but NaN for objects, as the conversion of one may throw. */
export function asNumber(value: unknown): number {
	return typeof value === 'object' ? Number.NaN : Number(value);
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
