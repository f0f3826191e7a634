/** First in, first out; each step takes the same time for any number of entries. */
export class Queue<T> {
	private entries: T[] = [];

	/** The number of entries that were taken and are still in the list. */
	private taken = 0;

	get length(): number {
		return this.entries.length - this.taken;
	}

	/** The next entry, which stays in the queue. */
	get first(): T | undefined {
		return this.entries[this.taken];
	}

	add(entry: T): void {
		this.entries.push(entry);
	}

	next(): T | undefined {
		const next = this.first;
		if (this.length > 0) this.taken++;
		// Copying what stays takes time: it pays once as many were taken.
		if (this.taken >= this.length) {
			this.entries = this.entries.slice(this.taken);
			this.taken = 0;
		}
		return next;
	}
}
