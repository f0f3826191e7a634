import { Readable } from 'node:stream';

import type { FastifyReply } from 'fastify';

import { normalAddress } from './addresses.mts';
import { isRecord, textsOf } from './values.mts';
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
	/** For so many milliseconds from the first matching request on. */
	forMs?: number;
}

/** A refusal with the emulator's error body. */
export interface StatusEffect {
	status: number;
	/** Form of what says when to come back; nothing does without it. */
	retryAfter?: 'seconds' | 'date' | 'epoch' | 'nonsense';
	/** The header, or the field of the body, that says so; Retry-After unless given. */
	statedIn?: 'RateLimit-Reset' | 'X-RateLimit-Reset' | 'retry_after' | 'retry_after_seconds';
	/** Headers that say so in another way. */
	headers?: Record<string, string>;
	/** What it says; 1 unless given. */
	seconds?: number;
	/** The message, in place of that of the status. */
	words?: string;
}

/**
 * A body other than the document's. `truncated` is half of the JSON with a content length that fits,
 * `cut-off` half of it with the content length of the whole, after which the connection ends; `echo`
 * repeats the access key, as pages for debugging do; `json` is sent as it is, as JSON. `sound` is the
 * document's own, for another status; `unreadable` has headers too long, `miscoded` is no gzip, for an
 * HTTP client.
 */
export interface BodyEffect {
	body: keyof typeof BODIES | keyof typeof REWRITTEN | 'cut-off' | 'echo' | { json: string };
	/** The status of the answer that is spoilt, unless given. */
	status?: number;
	/** Whether the work is charged for: another body is free unless this says otherwise, all else is not. */
	charge?: boolean;
}

type Row = Record<string, unknown>;

/** What a fault does: one of these, or several that go together. */
export interface Effect extends Partial<StatusEffect>, Partial<BodyEffect> {
	/** A later answer. */
	delayMs?: number;
	/** The connection is reset (RST) before the work is done, or after it was done and charged. */
	reset?: 'before-charge' | 'after-charge';
	redirect?: string;
	/** The cursor of a page leads to the same page again. */
	repeatCursor?: true;
	/** What becomes of the rows of a bulk answer, in this order; those of a job only when it is done. */
	rows?: RowWay | RowWay[];
	/**
	 * Fields that each row has, or an answer without rows, in place of its own; `{name}` in a text stands for a text of
	 * its own.
	 */
	set?: Row;
	/** Fields that they lack. */
	without?: readonly string[];
	/** What the last page has for a cursor. */
	lastCursor?: unknown;
	/** The cursor of a page in a URL, by the name of the parameter or of its own field, in a text, or nowhere. */
	cursor?: keyof typeof CURSORS;
	/** The first page of people comes again under a new cursor each time, and a field of it changes. */
	samePage?: true;
	/** The total of a page counts the page. */
	countsPage?: true;
	/** A page without rows, whose cursor is new and leads to the rows that it lacks; not where start is an offset. */
	emptyPage?: true;
	/** Every page of list leads but the first starts with the last lead of the page before. */
	duplicatesAcrossPages?: true;
}

export type Fault = Effect & { on?: Trigger };

/** The faults still to come. */
export class Faults {
	#planned: Array<{ fault: Fault; matches: number; hits: number; since?: number }> = [];

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
			const {
				operation,
				where,
				nth,
				every = 1,
				times = Infinity,
				forMs = Infinity,
			} = planned.fault.on ?? {};
			if (operation && operation !== request.operation) continue;
			if (where && !where(request)) continue;
			planned.matches += 1;
			planned.since ??= Date.now();
			if (Date.now() - planned.since >= forMs) continue;
			if (planned.matches !== (nth ?? planned.matches) || planned.matches % every !== 0) continue;
			if (planned.hits >= times || (decides(planned.fault) && hits.some(decides))) continue;
			planned.hits += 1;
			hits.push(planned.fault);
		}
		return hits;
	}
}

function decides(fault: Fault): boolean {
	const { status, body, reset, redirect } = fault;
	return (status ?? body ?? reset ?? redirect) !== undefined || isOfRows(fault);
}

/** Whether it changes the rows of an answer. */
export function isOfRows({ rows, set, without }: Fault): boolean {
	return (rows ?? set ?? without) !== undefined;
}

/** When to come back; a date is rounded up to the full second that it can express. */
export function retryAfterOf({ retryAfter, seconds = 1 }: StatusEffect): string | undefined {
	if (retryAfter === 'seconds') return String(seconds);
	if (retryAfter === 'epoch') return String(Math.ceil(Date.now() / 1_000) + seconds);
	if (retryAfter === 'date') return new Date(Date.now() + seconds * 1_000 + 999).toUTCString();
	return retryAfter && 'soon';
}

/** Somebody whom nobody asked for. */
export const STRANGER = {
	...{ firstName: 'Eve', lastName: 'Stranger', name: 'Eve Stranger' },
	...{ company: 'Else', domain: 'else.example', email: 'eve.stranger@else.example' },
	quality: { status: 'valid' },
	email_status: 'valid',
};

/** What a row repeats of its question, beside its number. */
export const ECHO = ['firstName', 'lastName', 'name', 'domain', 'company'];

type RowWay = keyof typeof ROW_WAYS;

/** What may become of rows; what is `decimal` is a number such as "1.0". */
const ROW_WAYS = {
	missing: (rows: Row[]) => rows.slice(0, -1),
	doubled: (rows: Row[]) => [...rows.slice(0, 1), ...rows],
	unknown: (rows: Row[]) => [
		...rows,
		{ ...rows[0], ...STRANGER, tId: 'nobody-asked-for-this', name: 'Nobody At All' },
	],
	shuffled: (rows: Row[]) => rows.toReversed(),
	none: () => [],
	half: (rows: Row[]) => rows.slice(0, rows.length / 2),
	stranger: ([row, ...rows]: Row[]) => [{ ...row, ...STRANGER }, ...rows],
	strangers: (rows: Row[]) => rows.map((row) => ({ ...row, ...STRANGER })),
	unnumbered: (rows: Row[]) => rows.map(({ tId: _, ...row }) => row),
	'from zero': (rows: Row[]) => rows.map(({ tId, ...row }) => ({ tId: Number(tId) - 1, ...row })),
	decimal: (rows: Row[]) => rows.map(({ tId, ...row }) => ({ tId: `${String(tId)}.0`, ...row })),
	swapped: ([one, other, ...rows]: Row[]) =>
		other ? [{ ...one, tId: other.tId }, { ...other, tId: one.tId }, ...rows] : [one],
	shifted: (rows: Row[]) =>
		rows.map((row, index) => ({ ...row, tId: rows[(index + 1) % rows.length].tId })),
	/** The first row in place of the second one, too, with another answer. */
	repeated: ([row, , ...rows]: Row[]) => [row, { ...row, email_status: 'invalid' }, ...rows],
	enveloped: (rows: Row[]) => rows.map(({ tId, ...result }) => ({ tId, result })),
	normalized: (rows: Row[]) =>
		rows.map((row) => ({ ...row, email: normalAddress(String(row.email)) })),
};

/** An answer with the rows that a fault leaves of it. */
function withRows(answer: unknown, { rows = [], set = {}, without = [] }: Fault): unknown {
	const change = (row: Row): Row => {
		const own = textsOf(row);
		const filled = Object.entries(set).map(([name, value]) => [
			name,
			typeof value === 'string'
				? value.replaceAll(/\{(\w+)\}/g, (_, field) => own[field] ?? '')
				: value,
		]);
		const fields = Object.entries({ ...row, ...Object.fromEntries(filled) });
		return Object.fromEntries(fields.filter(([name]) => !without.includes(name)));
	};
	const ofAll = (list: Row[]) =>
		[rows].flat().reduce((left, way) => ROW_WAYS[way](left), list.map(change));
	if (Array.isArray(answer)) return ofAll(answer.filter(isRecord));
	if (!isRecord(answer)) return answer;
	const list = ['results', 'people', 'data', 'rows'].find((name) => Array.isArray(answer[name]));
	return list === undefined
		? change(answer)
		: { ...answer, [list]: ofAll([answer[list]].flat().filter(isRecord)) };
}

const NEXT_PAGE = 'https://service.example/next';

/** A cursor in another form, by the name of its parameter and its field. */
const CURSORS = {
	url: (cursor: unknown, parameter: string) => `${NEXT_PAGE}?size=100&${parameter}=${cursor}`,
	'url of its field': (cursor: unknown, _: string, field: string) =>
		`${NEXT_PAGE}?${field}=${cursor}`,
	text: (cursor: unknown) => (typeof cursor === 'number' ? `after-${cursor}` : cursor),
	unusable: () => NEXT_PAGE,
};

/** A page of leads of a list, or of people of a company, with another cursor. */
function withCursor(page: unknown, { cursor, lastCursor }: Fault): unknown {
	if (!isRecord(page)) return page;
	const { next_start: start, meta } = page;
	if (lastCursor !== undefined && start === 0) return { ...page, next_start: lastCursor };
	if (lastCursor !== undefined && isRecord(meta)) {
		return { ...page, meta: { next_results_id: lastCursor, ...meta } };
	}
	if (cursor === undefined) return page;
	if (start !== undefined) {
		return { ...page, next_start: CURSORS[cursor](start, 'start', 'next_start') };
	}
	if (!isRecord(meta) || meta.next_results_id === undefined) return page;
	const id = CURSORS[cursor](meta.next_results_id, 'nextId', 'next_results_id');
	return { ...page, meta: { ...meta, next_results_id: id } };
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

/** The document's body, in a form of its own. */
const REWRITTEN = {
	sound: (json: string) => json,
	'in a text': (json: string) => JSON.stringify(json),
	truncated: (json: string) => halfOf(json).toString('latin1'),
	NaN: (json: string) => json.replaceAll('{"', '{"score":NaN,"'),
	'line break': (json: string) => json.replaceAll('{"', '{"note":"one\nother","'),
	unreadable: (json: string, reply: FastifyReply) => {
		reply.header('x-filler', 'x'.repeat(100_000));
		return json;
	},
	miscoded: (json: string, reply: FastifyReply) => {
		reply.header('content-encoding', 'gzip');
		return json;
	},
};

function halfOf(json: string): Buffer {
	return Buffer.from(json).subarray(0, Math.floor(Buffer.byteLength(json) / 2));
}

/** Replaces an answer by what the faults send; the length announced is true except for `cut-off`. */
export function spoiltBody(
	reply: FastifyReply,
	payload: unknown,
	faults: readonly Fault[],
): unknown {
	if (typeof payload !== 'string') return payload;
	const { body, status } = faults.find((fault) => fault.body !== undefined) ?? {};
	const isChanged = (fault: Fault) =>
		isOfRows(fault) || (fault.cursor ?? fault.lastCursor) !== undefined;
	if (body === undefined && reply.statusCode < 300 && faults.some(isChanged)) {
		const answer: unknown = JSON.parse(payload);
		return JSON.stringify(
			faults.reduce((one, fault) => withCursor(withRows(one, fault), fault), answer),
		);
	}
	if (body === undefined) return payload;
	if (status !== undefined) reply.code(status);
	if (typeof body === 'object') return body.json;
	if (body === 'cut-off') {
		reply.header('content-length', Buffer.byteLength(payload)).header('connection', 'close');
		return Readable.from([halfOf(payload)]);
	}
	if (body === 'echo') {
		const message = String(reply.request.headers['x-access-key']);
		return JSON.stringify({ error: 'debug', message });
	}
	const isRewritten = (name: string): name is keyof typeof REWRITTEN => name in REWRITTEN;
	if (isRewritten(body)) return REWRITTEN[body](payload, reply);
	const [sent, type] = BODIES[body];
	reply.type(type);
	return sent;
}
