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
		// Copying what stays takes time: it pays once as many were taken.
		if (this.taken >= this.length) {
			this.entries = this.entries.slice(this.taken);
			this.taken = 0;
		}
		return next;
	}
}
