import { Readable } from 'node:stream';

import type { FastifyReply } from 'fastify';

import type { WireRequest } from './wireLog.mts';

/** Which requests a fault hits; without a trigger, every one. */
export interface Trigger {
	operation?: WireRequest['operation'];
	where?: (request: WireRequest) => boolean;
	/** Only this one of the matching requests, counted from 1. */
	nth?: number;
	/** Every so many matching requests: with 3 the third, the sixth and so on. */
	every?: number;
	/** At most so often. */
	times?: number;
}

/** A refusal with the emulator's error body. */
export interface StatusEffect {
	status: number;
	/** Form of the Retry-After header; none is sent without it. */
	retryAfter?: 'seconds' | 'date' | 'nonsense';
	/** What Retry-After says; 1 unless given. */
	seconds?: number;
}

/**
 * A body other than the document's. `truncated` is half of the JSON with a content length that fits,
 * `cut-off` half of it with the content length of the whole, after which the connection ends; `echo`
 * repeats the access key, as pages for debugging do; `json` is sent as it is, as JSON.
 */
export interface BodyEffect {
	body: keyof typeof BODIES | 'truncated' | 'cut-off' | 'echo' | { json: string };
	/** The status of the answer that is spoilt, unless given. */
	status?: number;
	/** Whether the work is charged for. */
	charge?: boolean;
}

/** What a fault does: one of these, or several that go together. */
export interface Effect extends Partial<StatusEffect>, Partial<BodyEffect> {
	/** A later answer. */
	delayMs?: number;
	/** The connection is reset (RST) before the work is done, or after it was done and charged. */
	reset?: 'before-charge' | 'after-charge';
	redirect?: string;
	/** The cursor of a page leads to the same page again. */
	repeatCursor?: true;
	/**
	 * The last row of a bulk answer is missing, its first one is there twice, one nobody asked for is added, or all are
	 * in another order.
	 */
	rows?: 'missing' | 'doubled' | 'unknown' | 'shuffled';
	/** Every page of list leads but the first starts with the last lead of the page before. */
	duplicatesAcrossPages?: true;
}

export type Fault = Effect & { on?: Trigger };

/** The faults still to come. */
export class Faults {
	#planned: Array<{ fault: Fault; matches: number; hits: number }> = [];

	add(fault: Fault): void {
		this.#planned.push({ fault, matches: 0, hits: 0 });
	}

	clear(): void {
		this.#planned = [];
	}

	/**
	 * The faults that hit this request, in the order in which they were added. Only one of them can
	 * decide the answer: others that would are kept for later requests.
	 */
	hitting(request: WireRequest): Fault[] {
		const hits: Fault[] = [];
		for (const planned of this.#planned) {
			const { operation, where, nth, every = 1, times = Infinity } = planned.fault.on ?? {};
			if (operation && operation !== request.operation) continue;
			if (where && !where(request)) continue;
			planned.matches += 1;
			if (planned.matches !== (nth ?? planned.matches) || planned.matches % every !== 0) continue;
			if (planned.hits >= times || (decides(planned.fault) && hits.some(decides))) continue;
			planned.hits += 1;
			hits.push(planned.fault);
		}
		return hits;
	}
}

function decides({ status, body, reset, redirect }: Fault): boolean {
	return (status ?? body ?? reset ?? redirect) !== undefined;
}

/** The value of Retry-After; a date is rounded up to the full second that it can express. */
export function retryAfterOf({ retryAfter, seconds = 1 }: StatusEffect): string | undefined {
	if (retryAfter === 'seconds') return String(seconds);
	if (retryAfter === 'date') return new Date(Date.now() + seconds * 1_000 + 999).toUTCString();
	return retryAfter && 'soon';
}

/** A bulk answer as the faults leave it; a stranger is a row that nobody asked for. */
export function spoilRows<Row>(rows: Row[], faults: readonly Fault[], stranger: Row): Row[] {
	return faults.reduce((sent, fault) => {
		const ways = {
			missing: sent.slice(0, -1),
			doubled: [...sent.slice(0, 1), ...sent],
			unknown: [...sent, stranger],
			shuffled: sent.toReversed(),
		};
		return fault.rows ? ways[fault.rows] : sent;
	}, rows);
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Bodies that are always the same, with their types. */
const BODIES = {
	html: [
		'<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>',
		'text/html; charset=utf-8',
	],
	text: ['Something else answered.', 'text/plain; charset=utf-8'],
	'json-scalar': ['42', JSON_TYPE],
	empty: ['', JSON_TYPE],
};

/** Replaces an answer by what the faults send; the length announced is true except for `cut-off`. */
export function spoiltBody(
	reply: FastifyReply,
	payload: unknown,
	faults: readonly Fault[],
): unknown {
	const { body, status } = faults.find((fault) => fault.body !== undefined) ?? {};
	if (body === undefined || typeof payload !== 'string') return payload;
	if (status !== undefined) reply.code(status);
	if (typeof body === 'object') return body.json;
	const half = Buffer.from(payload).subarray(0, Math.floor(Buffer.byteLength(payload) / 2));
	if (body === 'truncated') return half.toString('latin1');
	if (body === 'cut-off') {
		reply.header('content-length', Buffer.byteLength(payload)).header('connection', 'close');
		return Readable.from([half]);
	}
	if (body === 'echo') {
		const message = String(reply.request.headers['x-access-key']);
		return JSON.stringify({ error: 'debug', message });
	}
	const [sent, type] = BODIES[body];
	reply.type(type);
	return sent;
}
