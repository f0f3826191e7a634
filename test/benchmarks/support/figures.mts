/** What repeated measurements of the same came to. */
export interface Spread {
	median: number;
	least: number;
	most: number;
}

export function spreadOf(values: readonly number[]): Spread {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	const [least, most] = [sorted[0], sorted.at(-1)];
	if (low === undefined || high === undefined || least === undefined || most === undefined) {
		throw new Error('Nothing was measured');
	}
	return { median: (low + high) / 2, least, most };
}

/** How long the one takes for each unit of the other, repetition by repetition. */
export function ratioOf(own: readonly number[], other: readonly number[]): Spread {
	return spreadOf(own.map((value, repetition) => value / (other[repetition] ?? Number.NaN)));
}

/**
 * Measures all contenders in turn, so that whatever else the machine does hits them alike. The first
 * round warms up and does not count.
 *
 * @returns for each contender its measurements, in the order in which they were taken
 */
export async function measureInTurn<Measurement>(
	contenders: ReadonlyArray<() => Promise<Measurement>>,
	repetitions: number,
): Promise<Measurement[][]> {
	const measurements: Measurement[][] = contenders.map(() => []);
	for (let round = 0; round <= repetitions; round++) {
		for (const [index, measure] of contenders.entries()) {
			const measurement = await measure();
			if (round > 0) measurements[index]?.push(measurement);
		}
	}
	return measurements;
}

/** A share as it is printed. */
export function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

/**
 * How much of a rate limit was used by the requests that arrived at these moments, in milliseconds. Without
 * a second of them there is nothing to tell.
 */
export function usedRate(times: readonly number[], perSecond: number): number | undefined {
	const sorted = times.toSorted((a, b) => a - b);
	const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
	if (last - first < 1_000) return undefined;
	return (sorted.length - 1) / (((last - first) / 1_000) * perSecond);
}
