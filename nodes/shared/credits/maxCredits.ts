/**
 * The cap that the option Max Credits sets: a number or its text, fractions cut off; 0 and less mean
 * that nothing may be spent.
 * @returns `undefined` for what is no number, an empty text and infinity included
 */
export function maxCreditsOf(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : Number.NaN;
	const isNone = Number.isNaN(number) || number === Number.POSITIVE_INFINITY;
	return isNone ? undefined : Math.max(0, Math.trunc(number));
}
