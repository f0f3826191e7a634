import { numberOf } from '../values/number';

/**
 * What Max Credits, Keep Credits or Max Items in Manual Runs says: a number or its text, fractions cut off; less than 0
 * means 0.
 * @returns `undefined` for what is no number, an empty text and infinity included
 */
export function creditAmountOf(value: unknown): number | undefined {
	const number = numberOf(value);
	return number === undefined ? undefined : Math.max(0, Math.trunc(number));
}
