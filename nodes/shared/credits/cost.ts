/**
 * What an answer costs, in credits (interface specification 8): a hit 1, a miss nothing. One that the
 * service left out may have been charged all the same.
 */
export function costOf(results: unknown[] | undefined): number {
	return results?.length === 0 ? 0 : 1;
}

/** What a request did cost, by its answers: for certain, and perhaps besides. */
export function costsOf(answers: Array<unknown[] | undefined>): {
	spent: number;
	uncertain: number;
} {
	const costs = { spent: 0, uncertain: 0 };
	for (const results of answers) costs[results ? 'spent' : 'uncertain'] += costOf(results);
	return costs;
}
