import { numberOf } from '../values/number';

/**
 * The cap that the option Max Credits sets: a number or its text, fractions cut off; 0 and less mean
 * that nothing may be spent.
 * @returns `undefined` for what is no number, an empty text and infinity included
 */
export function maxCreditsOf(value: unknown): number | undefined {
	const number = numberOf(value);
	return number === undefined ? undefined : Math.max(0, Math.trunc(number));
}
