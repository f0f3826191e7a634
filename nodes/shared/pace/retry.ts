import { Failure, failureOf, FirstFailure, notSent } from '../failures/failure';
import type { Reason } from '../failures/reasons';
import { numberOf } from '../values/text';

export interface Pace {
	maxConcurrency: number;
	maxRetries: number;
	/** How long a run waits while the service accepts none of its requests for the rate limit, in milliseconds. */
	maxRateLimitWait: number;
}

export const MINUTE = 60_000;

export const DEFAULT_PACE: Pace = {
	maxConcurrency: 5,
	maxRetries: 4,
	maxRateLimitWait: 15 * MINUTE,
};

/** For a dropdown, a trigger and a check, which somebody or n8n itself waits for. */
export const SHORT_PACE: Pace = { ...DEFAULT_PACE, maxRateLimitWait: 10_000 };

/**
 * Reads the pace from the options of a node, as the user or an AI agent filled them in.
 * @param isWatched whether somebody waits for the run, so that it waits less by default
 */
export function paceOf(option: (name: string) => unknown, isWatched: boolean): Pace {
	const number = (name: keyof Pace, least: number) =>
		Math.max(least, Math.floor(numberOf(option(name)) ?? DEFAULT_PACE[name]));
	const minutes = numberOf(option('maxRateLimitWait'));
	const byDefault = isWatched ? MINUTE : DEFAULT_PACE.maxRateLimitWait;
	return {
		maxConcurrency: number('maxConcurrency', 1),
		maxRetries: number('maxRetries', 0),
		maxRateLimitWait: minutes === undefined ? byDefault : Math.max(0, minutes * MINUTE),
	};
}

/** Half of the first step of the exponential back-off, in milliseconds. */
const FIRST_STEP = 500;

/** The latest time at which a request that may have been charged is sent again, in milliseconds. */
const LATE = 10_000;

/** What a request may cost: nothing, the credits of one question, or those of many. */
export type Cost = 'free' | 'single' | 'bulk';

export interface FailedRequest {
	attempt: number;
	maxRetries: number;
	/**
	 * After a connection loss, or where a gateway gave up, it may have been charged: a free request is sent again as after
	 * any outage, any other once, and one of many questions never after a connection loss.
	 */
	cost: Cost;
	/** An earlier end of the same request after which it may have been charged. */
	uncertain?: Failure;
}

/** A step of an exponential back-off, of a minute at most, in milliseconds. */
export function backOff(attempt: number): number {
	return Math.min(FIRST_STEP * 2 ** attempt, MINUTE);
}

/**
 * Decides what becomes of a failed request (interface specification 7): which error remains, or after which wait, in
 * milliseconds, it is sent again, and whether that may be charged twice.
 * @param random a number from 0 up to 1, for the jitter
 */
export function decide(
	failure: Failure,
	{ attempt, maxRetries, cost, uncertain }: FailedRequest,
	random = Math.random(),
): { error?: Failure; wait: number; mayChargeAgain: boolean } {
	const { problem } = failure;
	const { mayBeCharged, message, next, reason, status } = problem;
	const mayHelp = next === 'again';
	const isUnknown = mayHelp && mayBeCharged;
	const mayChargeAgain = isUnknown && cost !== 'free';
	// With full jitter, so that many do not come back at once. The only repetition that may be charged outlasts a restart.
	const wait = mayChargeAgain ? (LATE * (1 + random)) / 2 : random * backOff(attempt);
	const decision = { wait: Math.floor(wait), mayChargeAgain };
	if (isUnknown && reason === 'connection' && cost === 'bulk') {
		const unclear = `${message}, so it is unclear whether these items were processed`;
		return { ...decision, error: new Failure('unknown_outcome', { message: unclear }) };
	}
	const isRepeated = mayChargeAgain && uncertain !== undefined;
	const most = Math.min(maxRetries, problem.maxRetries ?? maxRetries);
	if (mayHelp && attempt <= most && !isRepeated) return decision;
	// The last response counts, whatever was lost before, but for one that would say that nothing was sent.
	const isLast = isUnknown || !(mayHelp || status === 'not_processed');
	return { ...decision, error: (isLast ? failure : (uncertain ?? failure)).after(attempt) };
}

/** Whether the service refuses the account for now, not this request: for its rate, or in an outage whose end it knows. */
export function isPause({ problem: { next, retryAfter = 0 } }: Failure): boolean {
	return next === 'pause' || (next === 'again' && retryAfter > 0);
}

/** After so many requests in a row that brought nothing, a run sends nothing more. */
const MAX_IN_A_ROW = 10;

/** The failures that other requests of the run would meet too, and the reason of the items that are not sent then. */
const HOPELESS: Partial<Record<Reason, Reason>> = {
	connection: 'service_down',
	forbidden: 'forbidden',
	redirected: 'redirected',
	not_the_service: 'not_the_service',
	unexpected_answer: 'unexpected_answer',
	bad_request: 'bad_request',
};

/** Counts the requests of one account in a run that brought nothing for a single item, with none in between that did. */
export class CircuitBreaker {
	private inARow = 0;
	private hasResult = false;

	/** Why nothing more is sent, once it is open. */
	open: Failure | undefined;

	/** A request, or the job that it began, has brought something for an item, be it that nothing is known of it. */
	brought(isMetered = true): void {
		this.hasResult ||= isMetered;
		this.inARow = 0;
	}

	/** Reads a response; one that cannot be read has brought nothing. */
	reading<T extends object>(read: () => T): T {
		const failure = new FirstFailure();
		const result = failure.of(read);
		if (result !== undefined) return result;
		this.failed(failureOf(failure.error), false);
		throw failure.error;
	}

	/** @param isOfOne whether the request had the values of a single question, for which it may cost credits */
	failed(failure: Failure, isOfOne: boolean): void {
		const reason = HOPELESS[failure.reason];
		// A busy service says nothing of how it would respond. Beside results, or in a request of several questions, values
		// that are refused say nothing of other values.
		const isOfValues = reason === 'bad_request' && (!isOfOne || this.hasResult);
		if (!reason || isOfValues) return;
		if (++this.inARow >= MAX_IN_A_ROW) this.open ??= notSent(reason, failure);
	}
}
