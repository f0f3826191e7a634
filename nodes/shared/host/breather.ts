import { sleep } from 'n8n-workflow';

/** How long a loop may block the process, in milliseconds. A breath takes about one. */
const SLICE = 40;

/** Interrupts a long loop, so that the rest of n8n can go on. */
export class Breather {
	private since = performance.now();

	get isDue(): boolean {
		return performance.now() - this.since > SLICE;
	}

	async breathe(): Promise<void> {
		await sleep(0);
		this.since = performance.now();
	}
}
