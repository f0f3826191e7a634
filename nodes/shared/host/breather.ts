import { sleep } from 'n8n-workflow';

/** How long a loop may block the process at most, in milliseconds. */
const LONGEST_SLICE = 40;

/** Interrupts a long loop, so that the rest of n8n can go on. */
export class Breather {
	private since = performance.now();

	/** Short at first, so that the first request is sent soon; each breath takes about a millisecond. */
	private slice = 5;

	/** Whether it is time to call {@link breathe}. */
	get isDue(): boolean {
		return performance.now() - this.since > this.slice;
	}

	async breathe(): Promise<void> {
		await sleep(0);
		this.slice = Math.min(2 * this.slice, LONGEST_SLICE);
		this.since = performance.now();
	}
}
