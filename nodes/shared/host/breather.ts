import { sleep } from 'n8n-workflow';

/** How long a loop may block the process, in milliseconds. A breath takes about one. */
const SLICE = 40;

/** Interrupts a long loop, so that the rest of n8n can go on. */
export class Breather {
	private since = performance.now();
	private last = Promise.resolve();

	get isDue(): boolean {
		return performance.now() - this.since > SLICE;
	}

	/** Of many that wait for a breath, no more go on after it than have time before the next one is due. */
	async breathe(): Promise<void> {
		this.last = this.last.then(async () => {
			if (!this.isDue) return;
			await sleep(0);
			this.since = performance.now();
		});
		await this.last;
	}
}
