import type { Operation, WireRequest } from './wireLog.mts';

/** Which requests a fault hits; without a trigger, every one. */
export interface Trigger {
	operation?: Operation;
	where?: (request: WireRequest) => boolean;
	/** Only this one of the matching requests, counted from 1. */
	nth?: number;
	/** Every so many matching requests: with 3 the third, the sixth and so on. */
	every?: number;
	/** At most so often. */
	times?: number;
}

/** An error status with the emulator's error body. */
export interface StatusEffect {
	status: number;
	/** Form of the Retry-After header; none is sent without it. */
	retryAfter?: 'seconds' | 'date' | 'nonsense';
	/** What Retry-After says; 1 unless given. */
	seconds?: number;
}

/** A later answer. */
export interface DelayEffect {
	delayMs: number;
}

/** The connection is reset (RST) before the work is done, or after it was done and charged. */
export interface ResetEffect {
	reset: 'before-charge' | 'after-charge';
}

/**
 * A body other than the document's. `truncated` is half of the JSON with a content length that fits,
 * `cut-off` half of it with the content length of the whole, after which the connection ends; `echo`
 * repeats the access key, as pages for debugging do; `json` is sent as it is, as JSON.
 */
export interface BodyEffect {
	body:
		| 'truncated'
		| 'cut-off'
		| 'html'
		| 'text'
		| 'json-scalar'
		| 'empty'
		| 'echo'
		| { json: string };
	/** The status of the answer that is spoilt, unless given. */
	status?: number;
	/** Whether the work is charged for. */
	charge?: boolean;
}

export interface RedirectEffect {
	redirect: string;
}

/** The cursor of a page leads to the same page again. */
export interface RepeatCursorEffect {
	repeatCursor: true;
}

/** The last row of a bulk answer is missing, its first one is there twice, one nobody asked for is
 * added, or all are in another order. */
export interface RowsEffect {
	rows: 'missing' | 'doubled' | 'unknown' | 'shuffled';
}

/** Every page of list leads but the first starts with the last lead of the page before. */
export interface DuplicatesEffect {
	duplicatesAcrossPages: true;
}

export type Effect =
	| StatusEffect
	| DelayEffect
	| ResetEffect
	| BodyEffect
	| RedirectEffect
	| RepeatCursorEffect
	| RowsEffect
	| DuplicatesEffect;

export type Fault = Effect & { on?: Trigger };

interface Planned {
	fault: Fault;
	matches: number;
	hits: number;
}

/** The faults still to come. */
export class Faults {
	#planned: Planned[] = [];

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
			const due = isDue(planned, request);
			if (!due || (decides(planned.fault) && hits.some(decides))) continue;
			planned.hits += 1;
			hits.push(planned.fault);
		}
		return hits;
	}
}

/** Counts the request and says whether the trigger picks it. */
function isDue(planned: Planned, request: WireRequest): boolean {
	const { operation, where, nth, every, times = Infinity } = planned.fault.on ?? {};
	if (operation && operation !== request.operation) return false;
	if (where && !where(request)) return false;
	planned.matches += 1;
	if (nth !== undefined && planned.matches !== nth) return false;
	if (every !== undefined && planned.matches % every !== 0) return false;
	return planned.hits < times;
}

function decides(fault: Fault): boolean {
	return 'status' in fault || 'body' in fault || 'reset' in fault || 'redirect' in fault;
}

export function delayOf(faults: readonly Fault[]): number {
	return faults.reduce((sum, fault) => sum + ('delayMs' in fault ? fault.delayMs : 0), 0);
}

export function bodyEffect(faults: readonly Fault[]): BodyEffect | undefined {
	return faults.find((fault) => 'body' in fault);
}

export function repeatsCursor(faults: readonly Fault[]): boolean {
	return faults.some((fault) => 'repeatCursor' in fault);
}

export function duplicatesAcrossPages(faults: readonly Fault[]): boolean {
	return faults.some((fault) => 'duplicatesAcrossPages' in fault);
}

/** Whether the work is done without charging: a spoilt answer is free unless the fault says so. */
export function withholdsCharge(faults: readonly Fault[]): boolean {
	return faults.some((fault) => 'body' in fault && !fault.charge);
}

/** The value of Retry-After; a date is rounded up to the full second that it can express. */
export function retryAfter({ retryAfter: form, seconds = 1 }: StatusEffect): string | undefined {
	if (form === 'seconds') return String(seconds);
	if (form === 'date') return new Date(Date.now() + seconds * 1_000 + 999).toUTCString();
	return form && 'soon';
}

/** A bulk answer as the faults leave it; `stranger` makes a row that nobody asked for. */
export function spoilRows<Row>(rows: Row[], faults: readonly Fault[], stranger: () => Row): Row[] {
	return faults.reduce((spoilt, fault) => {
		if (!('rows' in fault)) return spoilt;
		switch (fault.rows) {
			case 'missing':
				return spoilt.slice(0, -1);
			case 'doubled':
				return [...spoilt.slice(0, 1), ...spoilt];
			case 'unknown':
				return [...spoilt, stranger()];
			case 'shuffled':
				return [...spoilt].reverse();
		}
	}, rows);
}
