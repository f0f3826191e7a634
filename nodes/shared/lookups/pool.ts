import { Queue } from '../values/queue';

/** The places for requests in progress of one run, whichever account they go to. */
export class Places {
	private taken = 0;

	private readonly waiting = new Queue<() => void>();

	constructor(private readonly most: number) {}

	/** Takes a place, if one is free. */
	take(): boolean {
		if (this.taken >= this.most) return false;
		this.taken++;
		return true;
	}

	/** Calls back when a place is free again. */
	whenFree(callBack: () => void): void {
		this.waiting.add(callBack);
	}

	/** Gives a place back. Who is called and needs none leaves it to the next. */
	free(): void {
		this.taken--;
		while (this.taken < this.most && this.waiting.length > 0) this.waiting.next()?.();
	}
}
