import { sleep, type IAllExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';

import { readAnswer, type HttpResponse } from './answer';
import type { CreditBudget } from './budget';
import { connectionError } from './connectionError';
import { connectionOf, type Connection } from './connection';
import { gateOf } from './gate';
import { NotProcessed, type NotProcessedReason } from './notProcessed';
import { mayRetry, waitBeforeRetry } from './retry';
import { withoutKey } from './secret';
import { asServiceError, type ServiceError } from './serviceError';

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

/** What a metered request may cost, and what it did cost by its answer. */
export interface Price {
	budget: CreditBudget;
	/** The cap of the budget; 0 for none. */
	maxCredits: number;
	/** The most credits that one such request is charged. */
	most: number;
	charged: (answer: object) => number;
}

/** What the items of one run of a node share: the connection, and whether to go on sending. */
export class Run {
	/** Set when nothing more is to be sent. */
	private halted: NotProcessedReason | undefined;

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
	halt(reason: NotProcessedReason): void {
		this.halted ??= reason;
	}

	/** Throws when nothing is to be sent any more. */
	assertGoingOn(): void {
		if (this.signal?.aborted) throw new NotProcessed('cancelled');
		if (this.halted) throw new NotProcessed(this.halted);
	}

	/**
	 * Sends a request at the service's pace and reads its JSON answer (interface specification 7): it
	 * waits for the gate of the account, repeats what may succeed later, and covers the key wherever
	 * an answer holds it.
	 * Throws {@link NotProcessed} if it was not sent, else a {@link ServiceError}.
	 * @param price for a metered request
	 */
	async send(request: IHttpRequestOptions, pace: Pace, price?: Price): Promise<object> {
		let failure: ServiceError | undefined;
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.attempt(request, pace, price, attempt > 1);
			} catch (error) {
				// What was sent before and may have been charged did not go unprocessed.
				if (error instanceof NotProcessed && failure?.mayBeCharged) throw failure;
				failure = asServiceError(error);
			}
			if (attempt > pace.maxRetries || !mayRetry(failure)) throw failure.after(attempt);
			await this.waitBeforeRetry(failure, attempt);
		}
	}

	private async attempt(
		request: IHttpRequestOptions,
		pace: Pace,
		price: Price | undefined,
		repeated: boolean,
	): Promise<object> {
		const { account, apiKey, baseUrl } = await this.connection();
		const gate = gateOf(account);
		const granted = await price?.budget.reserve(price.most, price.maxCredits);
		if (granted === false) throw new NotProcessed('credit_limit');
		let entered = false;
		let answered = false;
		let charged = 0;
		try {
			entered = await gate.enter(pace.maxConcurrency, this.signal, repeated);
			this.assertGoingOn();
			const answer = readAnswer(await this.exchange({ ...request, baseURL: baseUrl }));
			answered = true;
			charged = price?.charged(answer) ?? 0;
			return withoutKey(answer, apiKey);
		} catch (error) {
			const failure = asServiceError(error);
			if (failure.httpCode === 401) this.halt('unauthorized');
			if (failure.httpCode === 402) this.halt('out_of_credits');
			if (failure.mayBeCharged) charged = price?.most ?? 0;
			throw failure.without(apiKey);
		} finally {
			price?.budget.settle(price.most, charged);
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
				returnFullResponse: true,
			});
		} catch (error) {
			throw connectionError(error);
		}
	}

	private async waitBeforeRetry(failure: ServiceError, attempt: number): Promise<void> {
		const { account } = await this.connection();
		const wait = waitBeforeRetry(failure, attempt, Math.random());
		// Too many requests: nobody sends to this account for a while. The retry waits at the gate.
		if (failure.httpCode === 429) gateOf(account).closeFor(wait);
		else await sleepUnlessAborted(wait, this.signal);
	}
}

/** Sleeps, and wakes at once when the signal is aborted. */
async function sleepUnlessAborted(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted) return;
	let wake = () => {};
	const aborted = new Promise<void>((resolve) => {
		wake = resolve;
	});
	signal?.addEventListener('abort', wake, { once: true });
	await Promise.race([sleep(milliseconds), aborted]);
	signal?.removeEventListener('abort', wake);
}
