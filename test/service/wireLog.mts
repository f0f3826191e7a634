import type { IncomingHttpHeaders } from 'node:http';

import type { Fault } from './faults.mts';

/** What the operations are called, whichever path and variant they are asked by. */
export type Operation =
	| 'getAccount'
	| 'getLists'
	| 'getList'
	| 'getListLeads'
	| 'exportLeads'
	| 'find'
	| 'findBulk'
	| 'getBulkJob'
	| 'verify'
	| 'verifyBulk'
	| 'getCompanyLeads'
	| 'searchCompany';

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
	/** Null for a path outside the document. */
	operation: Operation | null;
	/** What the service does to it. */
	faults: readonly Fault[];
	/** Requests in flight when this one started, itself included. */
	readonly inFlight: number;
}

/** All requests in the order in which they arrived. */
export class WireLog {
	readonly requests: WireRequest[] = [];
	#nextId = 1;
	#inFlight = 0;
	#maxInFlight = 0;

	get maxInFlight(): number {
		return this.#maxInFlight;
	}

	start(method: string, url: string, headers: IncomingHttpHeaders): WireRequest {
		const [path = '', rawQuery = ''] = url.split(/\?(.*)/s, 2);
		this.#inFlight += 1;
		this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
		const request: WireRequest = {
			id: this.#nextId++,
			startedAt: now(),
			finishedAt: null,
			method,
			path,
			rawQuery,
			query: undefined,
			headers,
			body: undefined,
			status: null,
			operation: null,
			faults: [],
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
		this.#maxInFlight = this.#inFlight;
	}
}

function now(): number {
	return performance.timeOrigin + performance.now();
}
