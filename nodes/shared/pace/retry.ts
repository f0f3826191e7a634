import { hasCode, ServiceError, unknownOutcome } from '../http/errors';
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

export interface FailedRequest {
	attempt: number;
	maxRetries: number;
	/** How often it may be sent again after a connection loss, which may have been charged. */
	repeats: 'always' | 'once' | 'never';
	/** An earlier connection loss of the same request, after which it may have been charged. */
	uncertain?: ServiceError;
}

/** What becomes of a failed request. Times are milliseconds. */
export interface Decision {
	/** Why it fails for good. Without it, the request is sent again. */
	error?: ServiceError;
	wait: number;
	mayChargeAgain: boolean;
}

/** A step of an exponential back-off, of a minute at most, in milliseconds. */
export function backOff(attempt: number): number {
	return Math.min(FIRST_STEP * 2 ** attempt, MINUTE);
}

/**
 * Decides what becomes of a failed request (interface specification 7): whether it is sent again, after which wait,
 * whether that may be charged twice, and which error remains in the end.
 * @param random a number from 0 up to 1, for the jitter
 */
export function decide(
	failure: ServiceError,
	{ attempt, maxRetries, repeats, uncertain }: FailedRequest,
	random = Math.random(),
): Decision {
	const { httpCode, reason, mayBeCharged } = failure;
	const isUnknown = reason === 'connection' && mayBeCharged;
	const mayChargeAgain = isUnknown && repeats === 'once';
	// With full jitter, so that many do not come back at once.
	const decision = { wait: Math.floor(random * backOff(attempt)), mayChargeAgain };
	if (isUnknown && repeats === 'never') return { ...decision, error: unknownOutcome(failure) };
	const isRepeated = mayChargeAgain && uncertain !== undefined;
	if (mayRetry(failure) && attempt <= maxRetries && !isRepeated) return decision;
	// The last response counts, whatever was lost before. A 402 would wrongly say that nothing was sent.
	const isLast = isUnknown || !(mayRetry(failure) || httpCode === 402);
	return { ...decision, error: (isLast ? failure : (uncertain ?? failure)).after(attempt) };
}

/** Whether the service refuses the account for now, not this request: a 429, or an outage that says how long it takes. */
export function isPause(failure: ServiceError): boolean {
	return failure.httpCode === 429 || (mayRetry(failure) && (failure.retryAfter ?? 0) > 0);
}

/** Whether the same request may succeed later: 500, 502, 503, 504 and lost connections (7). */
export function mayRetry(thrown: unknown): boolean {
	if (hasCode(thrown, [500, 502, 503, 504])) return true;
	return thrown instanceof ServiceError && thrown.reason === 'connection';
}
