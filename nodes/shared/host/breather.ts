import { sleep } from 'n8n-workflow';

/** How long a loop may block the process, in milliseconds. A breath takes about one. */
const SLICE = 40;

/** Interrupts a long loop so that the rest of n8n can run. */
export class Breather {
	private since = performance.now();
	private last = Promise.resolve();

	get isDue(): boolean {
		return performance.now() - this.since > SLICE;
	}

	/** Waits its turn, so that of many callers only as many go on as fit into the next slice. */
	async breathe(): Promise<void> {
		this.last = this.last.then(async () => {
			if (!this.isDue) return;
			await sleep(0);
			this.since = performance.now();
		});
		await this.last;
	}
}
