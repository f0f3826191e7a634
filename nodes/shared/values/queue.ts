/** Below this many entries that were taken, the list is not worth shortening. */
const ENOUGH_TO_SHORTEN = 1_024;

/** First in, first out; every step takes the same time, however many wait. */
export class Queue<T> {
	private entries: T[] = [];

	/** How many of the entries were taken. */
	private taken = 0;

	get length(): number {
		return this.entries.length - this.taken;
	}

	add(entry: T): void {
		this.entries.push(entry);
	}

	/** The next entry, if there is any. */
	next(): T | undefined {
		return this.take(1)[0];
	}

	/** The next entries, at most so many, which stay in the queue. */
	peek(most: number): T[] {
		return this.entries.slice(this.taken, this.taken + most);
	}

	/** The next entries, at most so many. */
	take(most: number): T[] {
		const next = this.peek(most);
		this.taken += next.length;
		// What was taken is not to be held on to, least of all by a queue that stays empty.
		if (this.length === 0 || this.taken > Math.max(ENOUGH_TO_SHORTEN, this.length)) {
			this.entries = this.entries.slice(this.taken);
			this.taken = 0;
		}
		return next;
	}
}
