/**
 * Whether the tests go all the way: `npm run test:long`, which a release asks for. Every commit runs what is quick and
 * what may cost users money.
 */
export const isLong = process.env.TEST_LONG === '1';

/** Versions, rows or cases that only a long run has. */
export function onlyLong<T>(...cases: T[]): T[] {
	return isLong ? cases : [];
}

/**
 * The seed of a random test. Every commit draws the same cases, so whether it passes is up to the commit; a long run
 * draws new ones, unless its seed is given.
 */
export function seedOf(given: string | undefined): number {
	return Number(given ?? (isLong ? Date.now() % 1_000_000 : 1));
}
