import { sleep } from 'n8n-workflow';

/** How long a loop may keep the process from doing anything else, in milliseconds: at first, and later. */
const FIRST_SLICE = 5;
const LONGEST_SLICE = 40;

/** Lets a long loop stop for a breath, so that the rest of n8n goes on meanwhile. */
export class Breather {
	private since = performance.now();

	/** Short at first, so that the first request leaves soon; each breath costs about a millisecond. */
	private slice = FIRST_SLICE;

	/** Whether it is time for {@link breathe}; asking costs next to nothing. */
	get isDue(): boolean {
		return performance.now() - this.since > this.slice;
	}

	/** Lets the process do what else there is to do. */
	async breathe(): Promise<void> {
		await sleep(0);
		this.slice = Math.min(2 * this.slice, LONGEST_SLICE);
		this.since = performance.now();
	}
}
