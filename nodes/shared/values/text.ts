/**
 * The text of a field as a user, an expression or an AI agent gives it: trimmed, numbers as digits.
 * Anything that is not text (an object, a list, nothing) counts as empty.
 */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return '';
}

/** How many there are of something, as in "1 credit" and "2 credits". */
export function count(number: number, unit: string): string {
	return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
