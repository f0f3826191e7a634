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

/** A counted lock: as many places as requests may be worked on at once, given in the order in which they were asked for. */
export class Places {
	private readonly waiting = new Queue<() => void>();

	/** These come before all others, the last one first. */
	private readonly urgent: Array<() => void> = [];

	constructor(private free: number) {}

	/** Waits for a place. @returns gives it back: only the first call counts */
	async take(isUrgent = false): Promise<() => void> {
		if (this.free > 0) this.free--;
		else {
			await new Promise<void>((enter) => {
				if (isUrgent) this.urgent.push(enter);
				else this.waiting.add(enter);
			});
		}
		let isTaken = true;
		return () => {
			if (!isTaken) return;
			isTaken = false;
			const next = this.urgent.pop() ?? this.waiting.next();
			if (next) next();
			else this.free++;
		};
	}
}
