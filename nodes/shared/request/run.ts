import { sleep, type IAllExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';

import { readAnswer, type HttpResponse } from './answer';
import { assertGoesTo } from './baseUrl';
import type { Reservation } from './budget';
import { connectionError, unknownOutcome } from './connectionError';
import { connectionOf, type Connection } from './connection';
import { gateOf, type AccountGate } from './gate';
import { NotProcessed, type NotProcessedReason } from './notProcessed';
import { mayRetry, waitBeforeRetry } from './retry';
import { withoutKey } from './secret';
import { asServiceError, type ServiceError } from './serviceError';

/** The type of the credential, as n8n knows it. */
export const CREDENTIAL = 'contactDataApi';

/** How a request is sent; users set these in the options of a lookup. */
export interface Pace {
	/** The most requests under way to the account at once. */
	maxConcurrency: number;
	/** How often one request is repeated. */
	maxRetries: number;
}

export const DEFAULT_MAX_CONCURRENCY = 5;

export const DEFAULT_MAX_RETRIES = 4;

export const DEFAULT_PACE: Pace = {
	maxConcurrency: DEFAULT_MAX_CONCURRENCY,
	maxRetries: DEFAULT_MAX_RETRIES,
};

/** What a metered request may cost. */
export interface Price {
	reservation: Reservation;
	/** What it did cost, by its answer; without it, whoever sends it settles the reservation. */
	charged?: (answer: object) => number;
}

/** How one request is sent. */
interface Sending extends Pace {
	/** For a metered request. */
	price?: Price;
	/** Whether to send it again when the connection was lost and the outcome is unknown. */
	repeatable?: boolean;
	/** Whether it is sent after a 402 or 401 too: it collects what was bought before. */
	collects?: boolean;
}

/** What the items of one run of a node share: the connection, and whether to go on sending. */
export class Run {
	/** Set when nothing more is to be sent. */
	private halted: NotProcessed | undefined;

	/** Until when the service asked for a pause, as far as this run was told. */
	private pausedUntil = 0;

	/** How long the pauses that the service asked this run for were in all, in milliseconds. */
	paused = 0;

	private connected: Promise<Connection> | undefined;

	constructor(
		private readonly context: IAllExecuteFunctions,
		private readonly signal?: AbortSignal,
	) {}

	/** The connection that the credential describes; throws a {@link ServiceError} if refused. */
	async connection(): Promise<Connection> {
		this.connected ??= this.context.getCredentials(CREDENTIAL).then(connectionOf);
		return await this.connected;
	}

	/** From now on nothing is sent; what is under way goes on. */
	halt(reason: NotProcessedReason, cause?: ServiceError): void {
		this.halted ??= new NotProcessed(reason, cause);
	}

	/** Throws when nothing is to be sent any more, but for what collects answers already bought. */
	private assertGoingOn(collects: boolean): void {
		if (this.signal?.aborted) throw new NotProcessed('cancelled');
		if (this.halted && !collects) throw this.halted;
	}

	/**
	 * Sends a request at the service's pace and reads its JSON answer (interface specification 7): it
	 * waits for the gate of the account, repeats what may succeed later, and covers the key wherever
	 * an answer holds it.
	 * Throws {@link NotProcessed} if it was not sent, else a {@link ServiceError}.
	 */
	async send(request: IHttpRequestOptions, sending: Sending): Promise<object> {
		const { price, maxRetries, repeatable = true } = sending;
		const charged = price?.charged;
		let reservation = price?.reservation;
		let failure: ServiceError | undefined;
		try {
			for (let attempt = 1; ; attempt++) {
				try {
					const answer = await this.attempt(request, sending, attempt, reservation);
					if (charged) reservation?.settle(charged(answer));
					return answer;
				} catch (error) {
					// What was sent before and may have been charged did not go unprocessed.
					if (error instanceof NotProcessed && failure?.mayBeCharged) throw failure;
					failure = asServiceError(error);
				}
				const unknown = failure.reason === 'connection' && failure.mayBeCharged;
				if (unknown && !repeatable) throw unknownOutcome(failure);
				if (attempt > maxRetries || !mayRetry(failure)) throw failure.after(attempt);
				if (charged && reservation && failure.mayBeCharged) {
					reservation = await reservation.renew();
					if (!reservation) throw failure.after(attempt);
				}
				// After a 429 the repetition waits at the gate, as everybody does.
				if (failure.httpCode !== 429) await this.sleep(waitBeforeRetry(failure, attempt));
			}
		} finally {
			if (charged) reservation?.settle();
		}
	}

	private async attempt(
		request: IHttpRequestOptions,
		{ maxConcurrency, collects = false }: Sending,
		attempt: number,
		reservation: Reservation | undefined,
	): Promise<object> {
		const { account, apiKey, baseUrl } = await this.connection();
		const gate = gateOf(account);
		let entered = false;
		let answered = false;
		try {
			entered = await gate.enter(maxConcurrency, this.signal, attempt > 1);
			this.assertGoingOn(collects);
			assertGoesTo(baseUrl, request.url);
			reservation?.sent();
			const answer = readAnswer(await this.exchange({ ...request, baseURL: baseUrl }));
			answered = true;
			return withoutKey(answer, apiKey);
		} catch (error) {
			const failure = asServiceError(error).without(apiKey);
			if (!failure.mayBeCharged) reservation?.refused();
			if (failure.httpCode === 401) this.halt('unauthorized', failure);
			if (failure.httpCode === 402) this.halt('out_of_credits', failure);
			if (failure.httpCode === 429) this.pause(gate, waitBeforeRetry(failure, attempt));
			throw failure;
		} finally {
			if (entered) gate.leave(answered);
		}
	}

	/** One exchange over HTTP, whatever the status; the key is added by the credential. */
	private async exchange(request: IHttpRequestOptions): Promise<HttpResponse> {
		// n8n would cut off the requests under way when the execution is stopped: answers that were
		// paid for would be lost.
		const patient = Object.create(this.context, {
			getExecutionCancelSignal: { value: () => undefined },
		});
		try {
			return await this.context.helpers.httpRequestWithAuthentication.call(patient, CREDENTIAL, {
				...request,
				headers: { ...request.headers, Accept: 'application/json' },
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				// For nodes in which users pick the address; here the credential itself names it.
				allowedDomains: undefined,
				returnFullResponse: true,
			});
		} catch (error) {
			throw connectionError(error);
		}
	}

	/** Too many requests: nobody sends to this account for a while. Overlapping pauses count once. */
	private pause(gate: AccountGate, wait: number): void {
		gate.closeFor(wait);
		const now = Date.now();
		this.paused += Math.max(0, now + wait - Math.max(now, this.pausedUntil));
		this.pausedUntil = Math.max(this.pausedUntil, now + wait);
	}

	/** Sleeps, and wakes at once when the execution is stopped. */
	async sleep(milliseconds: number): Promise<void> {
		const { signal } = this;
		if (signal?.aborted) return;
		let wake = () => {};
		const stopped = new Promise<void>((resolve) => {
			wake = resolve;
		});
		signal?.addEventListener('abort', wake, { once: true });
		await Promise.race([sleep(milliseconds), stopped]);
		signal?.removeEventListener('abort', wake);
	}
}
