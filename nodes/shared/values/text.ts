/**
 * The text of a field as a user, an expression or an AI agent gives it: trimmed, numbers as digits.
 * Anything that is not text (an object, a list, nothing) counts as empty.
 */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return '';
}
