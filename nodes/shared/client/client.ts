import {
	sleep,
	type IAllExecuteFunctions,
	type IDataObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import type { Reservation } from '../credits/budget';
import { endedBy, Failure, isOfAccount, leftOf, notSent } from '../failures/failure';
import type { Reason } from '../failures/reasons';
import { TIME_TO_DELIVER } from '../host/context';
import type { Connection } from '../http/connection';
import { sendOnce } from '../http/transport';
import { type AccountGate, gateOf } from '../pace/gate';
import type { Lane } from '../pace/lane';
import { CircuitBreaker, type Cost, decide, isPause, type Pace } from '../pace/retry';
import { notWaitedFor } from './givenUp';

/** How long to wait for a response, in milliseconds. */
const TIMEOUT: Record<Cost, number> = { free: 60_000, single: 60_000, bulk: 120_000 };

/** A longer pause is logged at n8n's usual level, in milliseconds. */
const LONG_PAUSE = 5_000;

/** After these, requests still collect what was bought before. */
const COLLECTED_AFTER = new Set<Reason>([
	'out_of_credits',
	'unauthorized',
	'forbidden',
	'bad_request',
	'unexpected_answer',
]);

/** A request that is refused more often for the rate limit, while others are accepted, fails alone. */
const MAX_REFUSALS = 10;

export interface ClientSettings {
	pace: Pace;
	requestOptions?: Partial<IHttpRequestOptions>;
	signal?: AbortSignal;
	/** When n8n ends the execution, in milliseconds since 1970; infinite without an end. */
	endsAt: number;
	/** The latest time to which a longer Max Rate Limit Wait can last, as that one; 0 where there is no such option. */
	mayWaitUntil?: number;
	/** Counts lost connections: the clients of one run share the network. */
	network: CircuitBreaker;
}

interface Sending {
	/** What it may cost: nothing by default. Whether a metered request has brought anything, its sender tells the breaker. */
	cost?: Cost;
	reservation?: Pick<Reservation, 'credits' | 'sent' | 'notCharged' | 'renew'>;
	/** Whether it collects what was bought before, so that it is sent after a 402 or 401 too. */
	collects?: boolean;
	/** Whether it polls a job: that it is accepted says nothing of other requests. */
	isPoll?: boolean;
}

/** The HTTP client of one account in one run: it paces and retries requests, and stops when nothing more can succeed. */
export class AccountClient {
	readonly gate: AccountGate;
	private readonly lane: Lane;
	readonly breaker = new CircuitBreaker();
	private halted: Failure | undefined;
	private readonly done = new Map<string, Promise<unknown>>();

	/** How long the slowest response to each kind of request of this run has taken, in milliseconds. */
	private readonly slowest: Record<Cost, number> = { free: 0, single: 0, bulk: 0 };

	/** All pauses that a 429 has caused, and when the last one ends, in milliseconds. */
	private pausedFor = 0;
	private pausedUntil = 0;

	private wake = () => {};
	private readonly interrupted = new Promise<void>((resolve) => (this.wake = resolve));

	constructor(
		private readonly n8n: IAllExecuteFunctions,
		readonly connection: Connection,
		private readonly settings: ClientSettings,
	) {
		this.gate = gateOf(connection.account);
		this.lane = this.gate.join(settings.pace.maxConcurrency, settings.pace.maxRateLimitWait);
	}

	/** How long the service has made this run wait so far, in milliseconds. */
	get paused(): number {
		return this.pausedFor - Math.max(0, this.pausedUntil - Date.now());
	}

	/** Ends every wait, because nothing more is sent. */
	interrupt(): void {
		this.wake();
		this.lane.turnAway();
	}

	end(): void {
		this.halt(notSent('stopped'));
		this.interrupt();
		this.gate.close(this.lane);
	}

	/** Does some work once for all items of the run: later calls under the same key get the result of the first one. */
	async memoized<T>(key: string, work: () => Promise<T>): Promise<T> {
		const result = this.done.get(key) ?? work();
		this.done.set(key, result);
		return (await result) as T;
	}

	async get(url: string, qs?: IDataObject): Promise<object> {
		return await this.send({ method: 'GET', url, ...(qs && { qs }) });
	}

	/**
	 * Sends a request at the service's pace, again where that may help, and reads its JSON response (interface
	 * specification 7). Throws a {@link Failure}, whose `next` is `unsent` if the request was never sent.
	 */
	async send(request: IHttpRequestOptions, sending: Sending = {}): Promise<object> {
		const { cost = 'free', reservation } = sending;
		const { maxRetries } = this.settings.pace;
		/** An attempt that may have been charged: after it the item is not "not processed". */
		let uncertain: Failure | undefined;
		let refusals = 0;
		let { acceptances } = this.gate;
		for (let attempt = 1; ; ) {
			const response = await this.sendAtGate(request, sending);
			if (!(response instanceof Failure)) return response;
			const { httpCode, mayBeCharged, next } = response.problem;
			if (next === 'unsent') throw uncertain ?? response;
			// A refusal for now is no failed try: it waits at the gate again.
			if (isPause(response) && (cost === 'free' || !mayBeCharged)) {
				// Where others are accepted, it may be this request, or its endpoint, that never is.
				if (this.gate.acceptances > acceptances) refusals++;
				({ acceptances } = this.gate);
				if (refusals > MAX_REFUSALS) throw uncertain ?? response.after(refusals);
				continue;
			}
			const tried = { attempt, maxRetries, cost, uncertain };
			const { error, wait, mayChargeAgain } = decide(response, tried);
			if (error) throw error;
			if (mayBeCharged) uncertain = response;
			if (mayChargeAgain && reservation && !(await reservation.renew())) {
				throw response.after(attempt);
			}
			const why = `attempt ${attempt} ended with ${httpCode ?? response.reason}`;
			this.n8n.logger.debug(`Contact Data: ${why}, next one in ${wait} ms`);
			await this.sleep(wait);
			attempt++;
		}
	}

	/** Sends a request once the gate lets it in. Returns the JSON of its response, or why there is none. */
	private async sendAtGate(request: IHttpRequestOptions, sending: Sending): Promise<object> {
		const { cost = 'free', reservation, isPoll = false } = sending;
		const { endsAt, requestOptions } = this.settings;
		const unsent = this.whyUnsent(sending);
		if (unsent) return unsent;
		const start = await this.gate.enter(this.lane);
		if (start === undefined) return this.whyUnsent(sending) ?? notSent('stopped');
		let isAccepted = false;
		try {
			const late = this.whyUnsent(sending);
			if (late) return late;
			const complete = { timeout: TIMEOUT[cost], ...requestOptions, ...request };
			const left = Math.max(1, endsAt - Date.now() - TIME_TO_DELIVER / 2);
			complete.timeout = Math.min(complete.timeout, left);
			reservation?.sent();
			const response = await sendOnce(this.n8n, this.connection, complete, (quota) =>
				this.gate.share(quota, start),
			);
			this.slowest[cost] = Math.max(this.slowest[cost], performance.now() - start);
			const failure = response instanceof Failure ? response : undefined;
			this.count(failure, sending);
			isAccepted = !failure;
			if (!failure) return response;
			const { httpCode, mayBeCharged, next } = failure.problem;
			// The service was able to respond, and did not refuse the account for now.
			isAccepted = httpCode !== null && next !== 'again' && next !== 'pause';
			if (!mayBeCharged) reservation?.notCharged();
			if (isOfAll(failure, sending)) this.halt(notSent(failure.reason, failure));
			if (isPause(failure)) this.pause(start, failure);
			return failure;
		} finally {
			this.gate.leave(this.lane, start, isAccepted, isPoll);
		}
	}

	/** Why nothing more is sent, if so, except for a request that collects what was bought. */
	private whyUnsent({ collects = false, cost = 'free' }: Sending): Failure | undefined {
		const { endsAt, mayWaitUntil = 0, network, signal } = this.settings;
		if (signal?.aborted) return endedBy(signal);
		// What cannot be answered in time is not sent.
		const isLate = Date.now() + this.slowest[cost] + TIME_TO_DELIVER > endsAt;
		const { givenUp } = this.lane;
		const open = network.open ?? this.breaker.open;
		if (isLate) this.halt(notSent('run_time_over'));
		if (givenUp) this.halt(notWaitedFor(givenUp, this.n8n.getTimezone(), mayWaitUntil));
		if (open) this.halt(open);
		return collects && !this.isFinal ? undefined : this.halted;
	}

	/** Sends nothing from now on. Requests in progress go on. */
	private halt(why: Failure): void {
		if (!this.isFinal) this.halted = why;
	}

	private get isFinal(): boolean {
		return this.halted !== undefined && !COLLECTED_AFTER.has(this.halted.reason);
	}

	/** Tells the breakers how a request ended. All accounts share the network, for which any response is a result. */
	private count(
		failure: Failure | undefined,
		{ cost = 'free', reservation, isPoll }: Sending,
	): void {
		const { network } = this.settings;
		const isOfOne = cost !== 'free' && (reservation?.credits ?? 1) === 1;
		// A job that cannot be read yet says nothing of other requests, and neither does what they wait for.
		if (failure && !isPoll && !isPause(failure)) this.breaker.failed(failure, isOfOne);
		if (!failure && cost === 'free' && !isPoll) this.breaker.brought(false);
		if (failure?.reason === 'connection') network.failed(failure, false);
		else if (failure?.problem.next !== 'again') network.brought();
	}

	/** Notes how long the refusal pauses all requests. Overlapping pauses count once. */
	private pause(start: number, refusal: Failure): void {
		const pause = this.gate.pauseAfter(this.lane, start, refusal);
		const now = Date.now();
		// A run that gives up does not wait.
		if (this.lane.givenUp || now + pause <= this.pausedUntil) return;
		this.pausedFor += now + pause - Math.max(now, this.pausedUntil);
		this.pausedUntil = now + pause;
		const level = pause >= LONG_PAUSE ? 'info' : 'debug';
		this.n8n.logger[level](`Contact Data: rate limit, no requests for ${Math.ceil(pause)} ms`);
	}

	/** Sleeps, in milliseconds, and wakes at once when the run or the execution ends. */
	async sleep(milliseconds: number): Promise<void> {
		if (!this.settings.signal?.aborted) await Promise.race([sleep(milliseconds), this.interrupted]);
	}
}

/** Whether the service would refuse all other requests, too: smaller ones may need no more credits than are left. */
function isOfAll(failure: Failure, { cost = 'free', reservation }: Sending): boolean {
	if (!isOfAccount(failure)) return false;
	if (failure.reason !== 'out_of_credits') return true;
	// The plan may exclude a free request, which says nothing about the credits.
	return cost !== 'free' && leftOf(failure.problem, reservation?.credits ?? 1) === 0;
}
