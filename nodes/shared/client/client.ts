import {
	sleep,
	type IAllExecuteFunctions,
	type IDataObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import type { Reservation } from '../credits/budget';
import type { Connection } from '../http/connection';
import { asServiceError, ServiceError } from '../http/errors';
import { sendOnce } from '../http/transport';
import { gateOf, type AccountGate, type Lane } from '../pace/gate';
import { decide, DEFAULT_PACE, type Decision, type FailedRequest, type Pace } from '../pace/retry';
import { NotProcessed } from '../failures/failure';
import type { NotSentReason } from '../failures/reasons';

/** How long to wait for a response, in milliseconds. */
const TIMEOUT = 60_000;
const BULK_TIMEOUT = 120_000;

/** The log of n8n tells of a longer pause at its usual level, in milliseconds. */
const LONG_PAUSE = 5_000;

/** After these, requests still collect what was bought before. */
const COLLECTED_AFTER: NotSentReason[] = ['out_of_credits', 'unauthorized'];

/** After so many failures in a row a run sends nothing more. */
const MAX_IN_A_ROW = 10;

/** Counts failures of one kind in a row: once it is open, the client of the run sends nothing more. */
export class CircuitBreaker {
	failures = 0;
	cause: ServiceError | undefined;

	/** @param reason of the items that are not sent once it is open */
	constructor(readonly reason: NotSentReason) {}

	get isOpen(): boolean {
		return this.failures >= MAX_IN_A_ROW;
	}

	failed(cause: ServiceError): void {
		this.failures++;
		this.cause = cause;
	}
}

export interface ClientSettings {
	pace?: Pace;
	requestOptions?: Partial<IHttpRequestOptions>;
	signal?: AbortSignal;
	/** Opens when the service is silent. The clients of one run share it. */
	silence?: CircuitBreaker;
}

export interface Sending {
	reservation?: Reservation;
	/** How often it may be sent again after a connection loss, which may have been charged; always if it is free. */
	repeats?: FailedRequest['repeats'];
	/** Whether it collects what was bought before, so that it is sent after a 402 or 401 too. */
	collects?: boolean;
	/** Whether it looks up many items at once, which takes longer. */
	isBulk?: boolean;
}

/** The HTTP client of one account in one run of a node: it paces requests, retries them, and stops when all is hopeless. */
export class AccountClient {
	readonly gate: AccountGate;
	private readonly lane: Lane;
	private readonly pace: Pace;
	private readonly silence: CircuitBreaker;

	/** Opens when requests are refused for the rate limit after all their retries. */
	private readonly refusals = new CircuitBreaker('rate_limited');

	private halted: NotProcessed | undefined;
	private readonly done = new Map<string, Promise<unknown>>();

	/** All pauses that a 429 has caused, and when the last one ends, in milliseconds. */
	private pausedFor = 0;
	private pausedUntil = 0;

	private wakeAll: () => void = () => {};

	/** Resolves when nothing more is sent. */
	private readonly interrupted = new Promise<void>((resolve) => (this.wakeAll = resolve));

	constructor(
		private readonly n8n: IAllExecuteFunctions,
		readonly connection: Connection,
		private readonly settings: ClientSettings = {},
	) {
		this.pace = settings.pace ?? DEFAULT_PACE;
		this.silence = settings.silence ?? new CircuitBreaker('service_down');
		this.gate = gateOf(connection.account);
		this.lane = this.gate.join(this.pace.maxConcurrency);
	}

	/** How long the service has made this run wait so far, in milliseconds. */
	get paused(): number {
		return this.pausedFor - Math.max(0, this.pausedUntil - Date.now());
	}

	end(): void {
		this.halt('stopped');
		this.interrupt();
		this.gate.close(this.lane);
	}

	/** Work that is done once for all items of the run: what its first call under a key gives. */
	async once<T>(key: string, work: () => Promise<T>): Promise<T> {
		const result = this.done.get(key) ?? work();
		this.done.set(key, result);
		return (await result) as T;
	}

	/** Ends every wait, because nothing more is sent. */
	interrupt(): void {
		this.wakeAll();
		this.lane.turnAway();
	}

	async get(url: string, qs?: IDataObject): Promise<object> {
		return await this.send({ method: 'GET', url, ...(qs && { qs }) });
	}

	/**
	 * Sends a request at the service's pace, again where that may help, and reads its JSON response (interface
	 * specification 7). Throws {@link NotProcessed} if it was not sent, else a {@link ServiceError}.
	 */
	async send(request: IHttpRequestOptions, sending: Sending = {}): Promise<object> {
		const timeout = sending.isBulk ? BULK_TIMEOUT : TIMEOUT;
		const complete = { timeout, ...this.settings.requestOptions, ...request };
		const refusalsBefore = this.refusals.failures;
		let uncertain: ServiceError | undefined;
		for (let attempt = 1; ; attempt++) {
			const sent = this.attempt(complete, sending, attempt, uncertain);
			const result = await sent.catch((notSent: unknown) => {
				// An earlier attempt may have been charged, so the item is not "not processed".
				throw uncertain ?? notSent;
			});
			if ('response' in result) return result.response;
			const { failure, decision } = result;
			if (decision.error) {
				// Requests that are refused side by side count once.
				const isNews = this.refusals.failures === refusalsBefore;
				if (failure.httpCode === 429 && isNews) this.refusals.failed(failure);
				throw decision.error;
			}
			if (failure.mayBeCharged) uncertain = failure;
			const { reservation } = sending;
			if (decision.mayChargeAgain && reservation && !(await reservation.renew())) {
				throw failure.after(attempt);
			}
			const { wait } = decision;
			const why = `attempt ${attempt} ended with ${failure.httpCode ?? failure.reason}`;
			this.n8n.logger.debug(`Contact Data: ${why}, next one in ${wait} ms`);
			await this.sleep(wait);
		}
	}

	private async attempt(
		request: IHttpRequestOptions,
		{ reservation, repeats = 'always', collects = false }: Sending,
		attempt: number,
		uncertain: ServiceError | undefined,
	): Promise<{ response: object } | { failure: ServiceError; decision: Decision }> {
		this.assertGoingOn(collects);
		const start = await this.gate.enter(this.lane);
		if (start === undefined) throw this.halted ?? new NotProcessed('cancelled');
		let isAccepted = false;
		try {
			this.assertGoingOn(collects);
			reservation?.sent();
			const response = await sendOnce(this.n8n, this.connection, request).catch(asServiceError);
			const failure = response instanceof ServiceError ? response : undefined;
			const httpCode = failure ? failure.httpCode : 200;
			isAccepted = httpCode !== null && httpCode !== 429 && httpCode < 500;
			this.note(repeats !== 'always', failure, reservation);
			if (!failure) return { response };
			const { maxRetries } = this.pace;
			const decision = decide(failure, { attempt, maxRetries, repeats, uncertain });
			if (httpCode === 429) this.refused(start, decision.wait, failure.retryAfter);
			return { failure, decision };
		} finally {
			this.gate.leave(this.lane, isAccepted);
		}
	}

	/** Throws when nothing more is to be sent, except for a request that collects what was bought. */
	private assertGoingOn(collects: boolean): void {
		if (this.settings.signal?.aborted) throw new NotProcessed('cancelled');
		for (const { isOpen, reason, cause } of [this.silence, this.refusals]) {
			if (isOpen) this.halt(reason, cause);
		}
		if (!this.halted) return;
		if (!collects || !COLLECTED_AFTER.includes(this.halted.reason)) throw this.halted;
	}

	private note(isMetered: boolean, failure?: ServiceError, reservation?: Reservation): void {
		const { httpCode = 200, mayBeCharged = true } = failure ?? {};
		if (!mayBeCharged) reservation?.refused();
		if (httpCode !== null) this.silence.failures = 0;
		else if (failure?.reason === 'connection') this.silence.failed(failure);
		if (httpCode !== 429) this.refusals.failures = 0;
		if (httpCode === 401) this.halt('unauthorized', failure);
		// The plan may exclude a free request, which says nothing about the credits.
		if (httpCode === 402 && isMetered) this.halt('out_of_credits', failure);
	}

	/** Sends nothing from now on. Requests in progress go on. */
	private halt(reason: NotSentReason, cause?: ServiceError): void {
		const isFinal = this.halted && !COLLECTED_AFTER.includes(this.halted.reason);
		if (!isFinal) this.halted = new NotProcessed(reason, cause);
	}

	/** Notes how long the refusal pauses all requests. Overlapping pauses count once. */
	private refused(start: number, wait: number, retryAfter = 0): void {
		const pause = this.gate.refused(start, wait, retryAfter > 0);
		if (pause === 0) return;
		const now = Date.now();
		this.pausedFor += Math.max(0, now + wait - Math.max(now, this.pausedUntil));
		this.pausedUntil = Math.max(this.pausedUntil, now + wait);
		const level = wait >= LONG_PAUSE ? 'info' : 'debug';
		this.n8n.logger[level](`Contact Data: rate limit, no requests for ${wait} ms`);
	}

	/** Sleeps, in milliseconds, and wakes at once when the run or the execution ends. */
	async sleep(milliseconds: number): Promise<void> {
		if (this.settings.signal?.aborted) return;
		await Promise.race([sleep(milliseconds), this.interrupted]);
	}
}
