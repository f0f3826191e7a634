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
