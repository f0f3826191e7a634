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
