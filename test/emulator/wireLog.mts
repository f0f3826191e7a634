import type { IncomingHttpHeaders } from 'node:http';

import type { Operation } from './endpoints.mts';
import type { Fault } from './faults.mts';

export type { Operation };

/** One request as it came over the wire, and what became of it. */
export interface WireRequest {
	readonly id: number;
	/** Milliseconds since 1970, with fractions. */
	readonly startedAt: number;
	/** Null while the request is in flight. */
	finishedAt: number | null;
	readonly method: string;
	readonly path: string;
	/** Without the question mark, as sent. */
	readonly rawQuery: string;
	/** Decoded, numbers and booleans still as text until the document has been applied. */
	query: unknown;
	readonly headers: IncomingHttpHeaders;
	body: unknown;
	/** Null until answered, and for good if the connection was reset instead. */
	status: number | null;
	/** Whether the client did not wait for the answer. */
	isLeft: boolean;
	/** Null for a path outside the document. */
	readonly operation: Operation | null;
	/** What the service does to it. */
	faults: readonly Fault[];
	/** Requests in flight when this one started, itself included. */
	readonly inFlight: number;
}

type Arrival = Pick<WireRequest, 'method' | 'query' | 'headers' | 'operation'> & { url: string };

/** All requests in the order in which they arrived. */
export class WireLog {
	readonly requests: WireRequest[] = [];
	maxInFlight = 0;
	#inFlight = 0;

	start({ url, ...arrival }: Arrival): WireRequest {
		const [path = '', rawQuery = ''] = url.split(/\?(.*)/s, 2);
		this.#inFlight += 1;
		this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight);
		const request: WireRequest = {
			...arrival,
			id: this.requests.length + 1,
			startedAt: now(),
			finishedAt: null,
			path,
			rawQuery,
			body: undefined,
			status: null,
			faults: [],
			isLeft: false,
			inFlight: this.#inFlight,
		};
		this.requests.push(request);
		return request;
	}

	/** May be called more than once: the first call counts. */
	finish(request: WireRequest): void {
		if (request.finishedAt !== null) return;
		request.finishedAt = now();
		this.#inFlight -= 1;
	}

	/** Forgets everything but the requests still in flight, which go on counting. */
	clear(): void {
		this.requests.length = 0;
		this.maxInFlight = this.#inFlight;
	}
}

function now(): number {
	return performance.timeOrigin + performance.now();
}
