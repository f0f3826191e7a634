/** What is older is not reused, in milliseconds. */
export const MAX_AGE = 24 * 60 * 60_000;

/** The most that a memory of this process keeps: so many values, or so many characters of JSON. */
const MAX_VALUES = 50_000;
const MAX_LENGTH = 100_000_000;

const memories: Array<Recent<unknown>> = [];

/** Empties what this process remembers for its next executions. */
export function forgetRecentAnswers(): void {
	for (const memory of memories) memory.clear();
}

/** Values that this process remembers for all of its executions, by keys, for a day at most. */
export class Recent<T> {
	/** The oldest first. */
	private readonly entries = new Map<string, { value: T; at: number; length: number }>();
	private length = 0;

	constructor() {
		memories.push(this);
	}

	get(key: string): T | undefined {
		const { value, at = 0 } = this.entries.get(key) ?? {};
		return Date.now() - at < MAX_AGE ? value : undefined;
	}

	/**
	 * Keeps a value in place of the oldest ones, and of those that are too old.
	 * @param at a time in milliseconds since 1970
	 * @param length in characters of JSON
	 */
	set(key: string, value: T, at = Date.now(), length = 0): void {
		// One that is reused stays as old as it is.
		if (this.entries.get(key)?.at === at) return;
		this.delete(key);
		this.entries.set(key, { value, at, length });
		this.length += length;
		for (const [oldest, { at }] of this.entries) {
			const isTooMuch = this.entries.size > MAX_VALUES || this.length > MAX_LENGTH;
			if (!isTooMuch && Date.now() - at < MAX_AGE) break;
			this.delete(oldest);
		}
	}

	delete(key: string): void {
		this.length -= this.entries.get(key)?.length ?? 0;
		this.entries.delete(key);
	}

	clear(): void {
		this.entries.clear();
		this.length = 0;
	}
}
