import {
	type IAllExecuteFunctions,
	type IDataObject,
	type IHttpRequestOptions,
	type Logger,
	sleep,
} from 'n8n-workflow';
import type { Reservation } from '../credits/budget';
import type { Connection } from '../http/connection';
import {
	asServiceError,
	NotProcessed,
	type NotProcessedReason,
	ServiceError,
	unknownOutcome,
} from '../http/errors';
import { type RequestOptions, sendOnce } from '../http/transport';
import { type AccountGate, gateOf, type Lane, type Refusal } from '../pace/gate';
import { DEFAULT_PACE, mayRetry, type Pace, waitBeforeRetry } from '../pace/retry';

/** How long to wait for the answer to a request, in milliseconds. */
const TIMEOUT = 60_000;
const BULK_TIMEOUT = 120_000;

/**
 * When so many requests in a row end without any answer, the service counts as down; when so many are
 * refused for its rate limit after all their retries, nothing more is to be had for now.
 */
const MAX_IN_A_ROW = 10;

/** What was bought before is still collected then. */
const COLLECTED_AFTER: NotProcessedReason[] = ['out_of_credits', 'unauthorized'];

/** What a run of a node sends with. */
export interface RunSettings {
	pace?: Pace;
	requestOptions?: RequestOptions;
	signal?: AbortSignal;
}

/** How many requests in a row of one run of a node ended without any answer, whatever the account. */
export interface Silence {
	requests: number;
}

/** How one request is sent. */
export interface Sending {
	/** Pays for a metered request. */
	reservation?: Reservation;
	/** How often a metered request may be sent again though it may have been charged. */
	repeats?: 'once' | 'never';
	/** Whether it is sent after a 402 or 401 too: it collects what was bought before. */
	collects?: boolean;
	/** Whether it asks for many items at once, which takes longer. */
	isBulk?: boolean;
}

/**
 * An attempt that failed, and how long to wait before the next, in milliseconds: 0 where the request waits at the gate.
 * A class, as an answer may be any object.
 */
class Failed {
	constructor(
		readonly failure: ServiceError,
		readonly wait: number,
	) {}
}

/** What the requests of one run of a node to one account share: the pace, and whether to go on. */
export class Run {
	/** How long the pauses that the service asked this run for are in all, in milliseconds. */
	private pauses = 0;

	private readonly gate: AccountGate;

	private readonly lane: Lane;

	private readonly logger: Logger;

	private readonly pace: Pace;

	/** Set when nothing more is to be sent. */
	private halted: NotProcessed | undefined;

	/** Until when the service asked for a pause, as far as this run was told. */
	private pausedUntil = 0;

	/** How many requests one after the other were refused for the rate limit, after all their retries. */
	private limited = 0;

	private readonly sleeping = new Set<() => void>();

	constructor(
		private readonly n8n: IAllExecuteFunctions,
		readonly connection: Connection,
		private readonly settings: RunSettings = {},
		private readonly silence: Silence = { requests: 0 },
	) {
		this.logger = n8n.logger;
		this.pace = settings.pace ?? DEFAULT_PACE;
		this.gate = gateOf(connection.account);
		this.lane = this.gate.join(this.pace.maxConcurrency);
	}

	/** How long the service has made this run wait, in milliseconds: what is left of a pause does not count. */
	get paused(): number {
		return this.pauses - Math.max(0, this.pausedUntil - Date.now());
	}

	/** The run is over: nothing more is sent. */
	end(): void {
		this.halt('stopped');
		this.interrupt();
		this.lane.close();
	}

	/** Ends every wait: nothing more is to be sent. */
	interrupt(): void {
		for (const wake of this.sleeping) wake();
		this.sleeping.clear();
		this.lane.turnAway();
	}

	/** From now on nothing is sent; what is in progress goes on. */
	halt(reason: NotProcessedReason, cause?: ServiceError): void {
		const isFinal = this.halted && !COLLECTED_AFTER.includes(this.halted.reason);
		if (!isFinal) this.halted = new NotProcessed(reason, cause);
	}

	/** Sends a request that costs nothing, as {@link send} does. */
	async get(url: string, qs?: IDataObject): Promise<object> {
		return await this.send({ method: 'GET', url, ...(qs && { qs }) });
	}

	/**
	 * Sends a request at the service's pace and reads its JSON answer (interface specification 7): it
	 * waits for its turn at the gate of the account, and sends again what may succeed later.
	 * Throws {@link NotProcessed} if it was not sent, else a {@link ServiceError}.
	 */
	async send(request: IHttpRequestOptions, sending: Sending = {}): Promise<object> {
		const { reservation, repeats } = sending;
		const { requestOptions } = this.settings;
		const timeout = sending.isBulk ? BULK_TIMEOUT : TIMEOUT;
		const complete = { timeout, ...requestOptions, ...request };
		let uncertain: ServiceError | undefined;
		let repeated = 0;
		const limitedBefore = this.limited;
		for (let attempt = 1; ; attempt++) {
			// What was sent before and may have been charged did not go unprocessed.
			const notSent = (reason: unknown) => {
				throw uncertain ?? reason;
			};
			const answer = await this.attempt(complete, sending, attempt).catch(notSent);
			if (!(answer instanceof Failed)) return answer;
			const { failure, wait } = answer;
			if (failure.mayBeCharged) uncertain = failure;
			const last = (uncertain ?? failure).after(attempt);
			const isUnknown = failure.reason === 'connection' && failure.mayBeCharged;
			if (isUnknown && repeats === 'never') throw unknownOutcome(failure);
			const isFinal = !mayRetry(failure);
			// What the service answers in the end is the answer, whatever was lost before; but a 402 would say that
			// nothing was sent.
			if (isFinal && failure.httpCode !== 402) throw failure.after(attempt);
			if (isFinal || attempt > this.pace.maxRetries) {
				// Of those that were refused side by side only one counts: the others tell of the same moment.
				const isNews = this.limited === limitedBefore;
				if (failure.httpCode === 429 && isNews) this.limited++;
				throw last;
			}
			if (isUnknown && repeats === 'once') {
				if (repeated++ > 0 || !(await reservation?.renew())) throw last;
			}
			await this.waitToRepeat(failure, attempt, wait);
		}
	}

	/** Sends a request once. Throws {@link NotProcessed} if it was not sent. */
	private async attempt(
		request: IHttpRequestOptions,
		{ reservation, collects = false }: Sending,
		attempt: number,
	): Promise<object | Failed> {
		let wasBorne = false;
		this.assertGoingOn(collects);
		const isRepeat = attempt > 1;
		const start = await this.lane.enter(isRepeat);
		if (!start) throw this.halted ?? new NotProcessed('cancelled');
		try {
			this.assertGoingOn(collects);
			reservation?.sent();
			const answer = await sendOnce(this.n8n, this.connection, request).catch(asServiceError);
			const httpCode = answer instanceof ServiceError ? answer.httpCode : 200;
			wasBorne = httpCode !== null && httpCode !== 429 && httpCode < 500;
			if (!(answer instanceof ServiceError)) {
				this.silence.requests = this.limited = 0;
				return answer;
			}
			this.learnFrom(answer, reservation);
			const wait = Math.round(waitBeforeRetry(answer, attempt));
			const refusal = { start, isRepeat, wait, asked: answer.retryAfter ?? 0 };
			const waitsAtGate = httpCode === 429 && this.slowDown(refusal);
			return new Failed(answer, waitsAtGate ? 0 : wait);
		} finally {
			this.lane.leave(wasBorne);
		}
	}

	/** Throws when nothing is to be sent any more, but for what collects answers already bought. */
	private assertGoingOn(collects: boolean): void {
		if (this.settings.signal?.aborted) throw new NotProcessed('cancelled');
		// The requests of another account of the same run may have shown it.
		this.haltIfHopeless();
		if (!this.halted) return;
		if (!collects || !COLLECTED_AFTER.includes(this.halted.reason)) throw this.halted;
	}

	/** What a failure means for the requests that are still to come. */
	private learnFrom(failure: ServiceError, reservation?: Reservation): void {
		const { httpCode, reason, mayBeCharged } = failure;
		if (!mayBeCharged) reservation?.refused();
		const { silence } = this;
		if (httpCode !== null) silence.requests = 0;
		else if (reason === 'connection') silence.requests++;
		if (httpCode !== 429) this.limited = 0;
		this.haltIfHopeless(failure);
		if (httpCode === 401) this.halt('unauthorized', failure);
		// A free request may be refused for reasons of its own.
		if (httpCode === 402 && reservation) this.halt('out_of_credits', failure);
	}

	/** Whatever is sent next has no better chance. */
	private haltIfHopeless(cause?: ServiceError): void {
		if (this.silence.requests >= MAX_IN_A_ROW) this.halt('service_down', cause);
		if (this.limited >= MAX_IN_A_ROW) this.halt('rate_limited', cause);
	}

	/**
	 * Too many requests: all who send to this account are slowed down. Overlapping pauses count once.
	 * @returns whether nobody sends for a while: the refused request waits at the gate
	 */
	private slowDown(refusal: Refusal): boolean {
		if (!this.gate.refused(refusal)) return false;
		const { wait } = refusal;
		const now = Date.now();
		this.pauses += Math.max(0, now + wait - Math.max(now, this.pausedUntil));
		this.pausedUntil = Math.max(this.pausedUntil, now + wait);
		this.logger.debug(`Contact Data: rate limit, no requests for ${wait} ms`);
		return true;
	}

	private async waitToRepeat(
		{ httpCode, reason }: ServiceError,
		attempt: number,
		wait: number,
	): Promise<void> {
		this.logger.debug(
			`Contact Data: attempt ${attempt} ended with ${httpCode ?? reason}, next one in ${wait} ms`,
		);
		if (wait > 0 && this.halted?.reason !== 'stopped') await this.sleep(wait);
	}

	/** Sleeps, and wakes at once when the execution is stopped. */
	async sleep(milliseconds: number): Promise<void> {
		if (this.settings.signal?.aborted) return;
		await new Promise<void>((wake) => {
			this.sleeping.add(wake);
			void sleep(milliseconds).then(() => {
				this.sleeping.delete(wake);
				wake();
			});
		});
	}
}
