import type { Logger } from 'n8n-workflow';

/** The shortest time between two lines in the log, in milliseconds. */
const INTERVAL = 5_000;

/** Tells in the log of n8n, at most every few seconds, how far a long run is. */
export class Progress {
	private done = 0;

	private lastLine = Date.now();

	constructor(
		private readonly logger: Logger,
		private readonly name: string,
		private readonly total: number,
	) {}

	/** One more is done. */
	step(): void {
		this.done++;
		const now = Date.now();
		if (now - this.lastLine < INTERVAL) return;
		this.lastLine = now;
		this.logger.info(`${this.name}: ${this.done} of ${this.total} items done`);
	}
}
