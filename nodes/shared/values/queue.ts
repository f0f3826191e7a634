/** Entries that were taken leave the list in blocks, as shortening it takes time. */
const ENOUGH_TO_SHORTEN = 1_024;

/** First in, first out; each step takes the same time for any number of entries. */
export class Queue<T> {
	private entries: T[] = [];

	/** The number of entries that were taken and are still in the list. */
	private taken = 0;

	get length(): number {
		return this.entries.length - this.taken;
	}

	add(entry: T): void {
		this.entries.push(entry);
	}

	next(): T | undefined {
		return this.take(1)[0];
	}

	/** The next entries, which stay in the queue. */
	peek(most: number): T[] {
		return this.entries.slice(this.taken, this.taken + most);
	}

	take(most: number): T[] {
		const next = this.peek(most);
		this.taken += next.length;
		// An empty list lets go of all entries that were taken, so that they can be garbage-collected.
		if (this.length === 0 || this.taken > Math.max(ENOUGH_TO_SHORTEN, this.length)) {
			this.entries = this.entries.slice(this.taken);
			this.taken = 0;
		}
		return next;
	}
}
