import { setTimeout as delay } from 'node:timers/promises';

import { Agent, request } from 'undici';

const INTERVAL_MS = 20;
const TIMEOUT_MS = 120_000;

interface Wait {
	/** Milliseconds since 1970. */
	from: number;
	until: number;
}

/** Asks an n8n over and over whether it is healthy: while a node keeps its process busy, it waits. */
export class HealthPoller {
	readonly #waits: Wait[] = [];
	// With a connection per request: n8n closes an open one when it was busy for longer than it waits.
	readonly #agent = new Agent({ pipelining: 0, headersTimeout: TIMEOUT_MS });
	readonly #polling: Promise<void>;
	#stopped = false;

	/** @param url of the n8n */
	constructor(url: string) {
		this.#polling = this.#poll(`${url}/healthz`);
		this.#polling.catch(() => {});
	}

	/** The longest wait for an answer, as far as it fell into a span of time; in milliseconds. */
	longestWait(from: number, until: number): number {
		const parts = this.#waits.map(
			(wait) => Math.min(wait.until, until) - Math.max(wait.from, from),
		);
		return Math.max(0, ...parts);
	}

	/** Waits for the last answer. */
	async stop(): Promise<void> {
		this.#stopped = true;
		try {
			await this.#polling;
		} finally {
			await this.#agent.close();
		}
	}

	async #poll(url: string): Promise<void> {
		while (!this.#stopped) {
			const from = now();
			const { statusCode, body } = await request(url, { dispatcher: this.#agent });
			await body.dump();
			if (statusCode !== 200) throw new Error(`n8n answered ${statusCode} to GET ${url}`);
			this.#waits.push({ from, until: now() });
			await delay(INTERVAL_MS);
		}
	}
}

function now(): number {
	return performance.timeOrigin + performance.now();
}
