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
import { decide, DEFAULT_PACE, type FailedRequest, isPause, type Pace } from '../pace/retry';
import { NotProcessed } from '../failures/failure';
import { CircuitBreaker } from './breaker';
import type { NotSentReason } from '../failures/reasons';

/** How long to wait for a response, in milliseconds. */
const TIMEOUT = 60_000;
const BULK_TIMEOUT = 120_000;

/** A longer pause is logged at n8n's usual level, in milliseconds. */
const LONG_PAUSE = 5_000;

/** After these, requests still collect what was bought before. */
const COLLECTED_AFTER = new Set(['out_of_credits', 'unauthorized', 'forbidden', 'bad_request']);

/** A request that is refused more often for the rate limit, while others are accepted, fails alone. */
const MAX_REFUSALS = 10;

export interface ClientSettings {
	pace?: Pace;
	requestOptions?: Partial<IHttpRequestOptions>;
	signal?: AbortSignal;
	/** Counts lost connections: the clients of one run share it. */
	silence?: CircuitBreaker;
}

export interface Sending {
	reservation?: Reservation;
	/** How often it may be sent again after a connection loss, which may have been charged; always if it is free. */
	repeats?: FailedRequest['repeats'];
	/** Whether it collects what was bought before, so that it is sent after a 402 or 401 too. */
	collects?: boolean;
	/** Whether it polls a job: that it is accepted says nothing of other requests. */
	isPoll?: boolean;
	/** Whether it looks up many items at once, which takes longer. */
	isBulk?: boolean;
}

/** The HTTP client of one account in one run: it paces and retries requests, and stops when nothing more can succeed. */
export class AccountClient {
	readonly gate: AccountGate;
	private readonly lane: Lane;
	private readonly pace: Pace;
	private readonly breaker = new CircuitBreaker();
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
		this.gate = gateOf(connection.account);
		this.lane = this.gate.join(this.pace.maxConcurrency, this.pace.maxRateLimitWait);
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

	/** Does some work once for all items of the run: later calls under the same key get the result of the first one. */
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
		const { repeats = 'always', reservation } = sending;
		const { maxRetries } = this.pace;
		let uncertain: ServiceError | undefined;
		let refusals = 0;
		let { acceptances } = this.gate;
		for (let attempt = 1; ; ) {
			const response = await this.sendAtGate(complete, sending).catch((notSent: unknown) => {
				// An earlier attempt may have been charged, so the item is not "not processed".
				throw uncertain ?? notSent;
			});
			if (!(response instanceof ServiceError)) return response;
			// A refusal for now is no failed try: it waits at the gate again.
			if (isPause(response)) {
				// Where others are accepted, it may be this request, or its endpoint, that never is.
				if (this.gate.acceptances > acceptances) refusals++;
				({ acceptances } = this.gate);
				if (refusals > MAX_REFUSALS) throw uncertain ?? response.after(refusals);
				continue;
			}
			const tried = { attempt, maxRetries, repeats, uncertain };
			const { error, wait, mayChargeAgain } = decide(response, tried);
			if (error) throw error;
			if (response.mayBeCharged) uncertain = response;
			if (mayChargeAgain && reservation && !(await reservation.renew())) {
				throw response.after(attempt);
			}
			const why = `attempt ${attempt} ended with ${response.httpCode ?? response.reason}`;
			this.n8n.logger.debug(`Contact Data: ${why}, next one in ${wait} ms`);
			await this.sleep(wait);
			attempt++;
		}
	}

	private async sendAtGate(
		request: IHttpRequestOptions,
		{ reservation, repeats = 'always', collects = false, isPoll = false }: Sending,
	): Promise<object | ServiceError> {
		this.assertGoingOn(collects);
		const start = await this.gate.enter(this.lane);
		let isAccepted = false;
		try {
			this.assertGoingOn(collects);
			if (start === undefined) throw new NotProcessed('cancelled');
			reservation?.sent();
			const response = await sendOnce(this.n8n, this.connection, request).catch(asServiceError);
			const isMetered = repeats !== 'always';
			if (!(response instanceof ServiceError)) {
				isAccepted = true;
				this.count(undefined, isMetered);
				return response;
			}
			const { httpCode, mayBeCharged } = response;
			isAccepted = httpCode !== null && httpCode !== 429 && httpCode < 500;
			if (!mayBeCharged) reservation?.notCharged();
			this.count(response, isMetered, reservation?.credits);
			if (httpCode === 401) this.halt('unauthorized', response);
			// The plan may exclude a free request, which says nothing about the credits.
			const isForAll = response.leftOf(reservation?.credits ?? 1) === 0;
			if (httpCode === 402 && isMetered && isForAll) this.halt('out_of_credits', response);
			if (isPause(response)) this.pause(start, response);
			return response;
		} finally {
			if (start !== undefined) this.gate.leave(this.lane, start, isAccepted, isPoll);
		}
	}

	/** Throws when nothing more is to be sent, except for a request that collects what was bought. */
	private assertGoingOn(collects: boolean): void {
		if (this.settings.signal?.aborted) throw new NotProcessed('cancelled');
		const { refusal } = this.lane;
		if (refusal) this.halt(refusal.httpCode === 429 ? 'rate_limited' : 'service_down', refusal);
		for (const { reason, cause } of [this.breaker, this.settings.silence ?? this.breaker]) {
			if (reason) this.halt(reason, cause);
		}
		if (!this.halted) return;
		if (!collects || !COLLECTED_AFTER.has(this.halted.reason)) throw this.halted;
	}

	/**
	 * Tells the breakers how a request ended: that of the account, and that of the run, for which only a lost connection
	 * is a failure, as all accounts share the connection.
	 */
	private count(failure: ServiceError | undefined, isMetered: boolean, rows?: number): void {
		this.breaker.note(failure, isMetered, rows);
		const lost = failure?.reason === 'connection' ? failure : undefined;
		this.settings.silence?.note(lost, isMetered);
	}

	/** Sends nothing from now on. Requests in progress go on. */
	halt(reason: NotSentReason, cause?: ServiceError): void {
		const isFinal = this.halted && !COLLECTED_AFTER.has(this.halted.reason);
		if (!isFinal) this.halted = new NotProcessed(reason, cause);
	}

	/** Notes how long the refusal pauses all requests. Overlapping pauses count once. */
	private pause(start: number, refusal: ServiceError): void {
		const pause = this.gate.pauseAfter(this.lane, start, refusal);
		const now = Date.now();
		// A run that gives up does not wait.
		if (this.lane.refusal || now + pause <= this.pausedUntil) return;
		this.pausedFor += now + pause - Math.max(now, this.pausedUntil);
		this.pausedUntil = now + pause;
		const level = pause >= LONG_PAUSE ? 'info' : 'debug';
		this.n8n.logger[level](`Contact Data: rate limit, no requests for ${Math.ceil(pause)} ms`);
	}

	/** Sleeps, in milliseconds, and wakes at once when the run or the execution ends. */
	async sleep(milliseconds: number): Promise<void> {
		if (this.settings.signal?.aborted) return;
		await Promise.race([sleep(milliseconds), this.interrupted]);
	}
}
