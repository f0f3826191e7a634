/** FNV-1a over the UTF-16 code units, then mixed, so that similar texts lie far apart. */
export function hash(text: string): number {
	let state = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
	}
	state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
	state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
	return (state ^ (state >>> 16)) >>> 0;
}

/** A fraction from 0 up to, not including, 1 that depends on the text only. */
export function share(text: string): number {
	return hash(text) / 2 ** 32;
}

/** Repeatable random choices: the same seed gives the same sequence. */
export class Prng {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** mulberry32; a fraction from 0 up to, not including, 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** A whole number from `low` to `high`, both included. */
	between(low: number, high: number): number {
		return low + Math.floor(this.next() * (high - low + 1));
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(choices: readonly T[]): T {
		return choices[this.between(0, choices.length - 1)];
	}

	shuffle<T>(values: readonly T[]): T[] {
		return values
			.map((value) => ({ value, rank: this.next() }))
			.sort((a, b) => a.rank - b.rank)
			.map(({ value }) => value);
	}
}
