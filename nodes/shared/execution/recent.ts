/** What was bought longer ago is not reused, in milliseconds. */
export const MAX_AGE = 24 * 60 * 60_000;

/** The newest that a memory of this process keeps for sure: so many values, or so many characters of JSON. */
const MAX_VALUES = 50_000;
const MAX_LENGTH = 50_000_000;

const memories: Array<Recent<unknown>> = [];

/** Empties what this process remembers for its next executions. */
export function forgetRecentAnswers(): void {
	for (const memory of memories) memory.clear();
}

/**
 * Values that this process remembers for all of its executions, by keys, for a time. They are in two generations: once the
 * younger one is full, or as old as that, the elder is dropped as a whole, so that none has to be looked for.
 */
export class Recent<T> {
	private younger = new Map<string, { value: T; at: number }>();
	private elder = new Map<string, { value: T; at: number }>();
	private length = 0;
	private since = Date.now();

	/** @param maxAge how long, in milliseconds */
	constructor(private readonly maxAge = MAX_AGE) {
		memories.push(this);
	}

	get(key: string): T | undefined {
		const { value, at = 0 } = this.younger.get(key) ?? this.elder.get(key) ?? {};
		return Date.now() - at < this.maxAge ? value : undefined;
	}

	/**
	 * Keeps a value in place of the oldest ones, and of those that are too old.
	 * @param at a time in milliseconds since 1970
	 * @param length in characters of JSON
	 */
	set(key: string, value: T, at = Date.now(), length = 0): void {
		// One that is reused stays as old as it is.
		if (this.younger.get(key)?.at === at) return;
		const isFull = this.younger.size >= MAX_VALUES || this.length > MAX_LENGTH;
		if (isFull || Date.now() - this.since > this.maxAge) this.begin(this.younger);
		this.younger.set(key, { value, at });
		this.length += length;
	}

	values(): T[] {
		return [this.elder, this.younger].flatMap((all) => [...all.values()].map(({ value }) => value));
	}

	delete(key: string): void {
		this.younger.delete(key);
		this.elder.delete(key);
	}

	clear(): void {
		this.begin(new Map());
	}

	/** Begins a generation, behind this one. */
	private begin(elder: typeof this.elder): void {
		this.elder = elder;
		this.younger = new Map();
		this.length = 0;
		this.since = Date.now();
	}
}
