/** What stands in the place of half a character, which no request can carry. */
export const NO_CHARACTER = '\uFFFD';

/**
 * The text of a field as a user, an expression or an AI agent gives it: trimmed, numbers as digits.
 * Anything that is not text (an object, a list, nothing) counts as empty. A lone surrogate, half of a
 * character, becomes {@link NO_CHARACTER}.
 */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value.trim().toWellFormed();
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return '';
}

/** How many there are of something, as in "1 credit" and "2 credits". */
export function count(number: number, unit: string): string {
	return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** The text without these characters at its end. */
export function withoutTrailing(text: string, character: string): string {
	let end = text.length;
	while (text[end - 1] === character) end--;
	return text.slice(0, end);
}

/** How many bytes a text takes. */
export function byteLength(text: string): number {
	return new TextEncoder().encode(text).length;
}

/** The number that a value is for a program; an object is none, and need not let itself be made one. */
export function asNumber(value: unknown): number {
	return typeof value === 'object' ? Number.NaN : Number(value);
}

/** A whole number, at least 0; the default for what is no number. */
export function wholeNumber(value: unknown, byDefault: number): number {
	const isBlank = typeof value === 'string' && value.trim() === '';
	const number = asNumber(isBlank ? byDefault : (value ?? byDefault));
	return Number.isFinite(number) ? Math.max(0, Math.floor(number)) : byDefault;
}

/** A number, or its text; `undefined` for what is none, an empty text and infinity included. */
export function numberOf(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : Number.NaN;
	return Number.isNaN(number) || number === Number.POSITIVE_INFINITY ? undefined : number;
}

/** What was thrown as an exception: anything can be. */
export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}
