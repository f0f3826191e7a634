const second = 1_000;

/** Counts what was let through per access key in a rolling second; refused requests do not count. */
export class RateLimiter {
	readonly #admitted = new Map<string, number[]>();

	admits(key: string, perSecond: number): boolean {
		const now = performance.now();
		const recent = (this.#admitted.get(key) ?? []).filter((at) => at > now - second);
		const admitted = recent.length < perSecond;
		this.#admitted.set(key, admitted ? [...recent, now] : recent);
		return admitted;
	}

	clear(): void {
		this.#admitted.clear();
	}
}
