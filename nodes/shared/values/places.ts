/** A counted lock: as many places as requests may be worked on at once, given in the order in which they were asked for. */
export class Places {
	/** Those that wait: in `next` the first one stands last, behind all these come `later`. So no step moves the others. */
	private next: Array<() => void> = [];
	private later: Array<() => void> = [];

	constructor(private free: number) {}

	/**
	 * Waits for a place.
	 * @param isUrgent whether it comes before all that wait
	 * @returns gives it back: only the first call counts
	 */
	async take(isUrgent = false): Promise<() => void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((enter) => (isUrgent ? this.next : this.later).push(enter));
		let isTaken = true;
		return () => {
			if (isTaken) this.giveBack();
			isTaken = false;
		};
	}

	private giveBack(): void {
		if (this.next.length === 0) [this.next, this.later] = [this.later.reverse(), []];
		const enter = this.next.pop();
		if (enter) enter();
		else this.free++;
	}
}
