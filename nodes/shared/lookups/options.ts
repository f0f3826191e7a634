import { isSafeObjectProperty } from 'n8n-workflow';

import type { Parameters } from '../host/parameters';
import { requestOptionsOf, type RequestOptions } from '../http/transport';
import { invalidValue } from '../output/problem';
import { paceOf, type Pace } from '../pace/retry';
import { numberOf, toText } from '../values/text';

export const KEEP_CREDITS = 'Keep Credits';

export const MANUAL_LIMIT = 'Max Items in Manual Runs';

/** In days. */
export const DEFAULT_MAX_AGE = 90;
export const DEFAULT_RETRY_UNKNOWN = 1;

/** In minutes. */
export const DEFAULT_JOB_TIMEOUT = 30;

/** The options of a lookup, which are read once per run. */
export interface LookupOptions {
	pace: Pace;
	/** Max Credits; infinite for no cap. */
	cap: number;
	/** Keep Credits, where that option was added. */
	keep?: number;
	/** The most distinct lookups of a manual run; infinite for all. */
	manualLimit: number;
	/** Whether an incomplete run stops the workflow. */
	failsWhenIncomplete: boolean;
	/** The field for the result; without it, the result goes beside the fields of the input. */
	resultField?: string;
	/** The days after which an email whose status is unknown is verified again. */
	retryUnknown: number;
	/** Whether items with nothing to look up are passed on. */
	skipsEmpty: boolean;
	/** In milliseconds. */
	jobTimeout: number;
	requestOptions: RequestOptions;
	/** The exception for the first option that cannot be used: no item of the run is sent. */
	refusal?: unknown;
}

/** Keeps the first exception of several attempts, and goes on. */
export class Attempts {
	failure: unknown;

	of<T>(attempt: () => T): T | undefined {
		try {
			return attempt();
		} catch (error) {
			this.failure ??= error;
			return undefined;
		}
	}
}

export function lookupOptionsOf(parameters: Parameters): LookupOptions {
	const attempts = new Attempts();
	const option = (name: string) => attempts.of(() => parameters.get(`options.${name}`, 0, null));
	const amount = (name: string, label: string) =>
		attempts.of(() => {
			if (!parameters.has(`options.${name}`)) return undefined;
			const number = creditAmountOf(option(name));
			if (number === undefined) throw invalidValue(label, `${label} must be a number`);
			return number;
		});
	const retryUnknown = attempts.of(() =>
		daysOf(option('retryUnknownDays'), 'Verify Unknown Again After (Days)', DEFAULT_RETRY_UNKNOWN),
	);
	const options = {
		pace: paceOf(option),
		cap: amount('maxCredits', 'Max Credits') ?? Number.POSITIVE_INFINITY,
		keep: amount('keepCredits', KEEP_CREDITS),
		manualLimit: amount('manualLimit', MANUAL_LIMIT) || Number.POSITIVE_INFINITY,
		failsWhenIncomplete: option('incompleteRun') === 'fail',
		resultField: attempts.of(() => resultFieldOf(option('resultField'))),
		retryUnknown: retryUnknown ?? DEFAULT_RETRY_UNKNOWN,
		skipsEmpty: option('skipEmpty') === true,
		jobTimeout: Math.max(0, numberOf(option('jobTimeout')) ?? DEFAULT_JOB_TIMEOUT) * 60_000,
		requestOptions:
			attempts.of(() => requestOptionsOf(parameters.get('requestOptions', 0, {}))) ?? {},
	};
	const refusal = attempts.failure;
	const failsWhenIncomplete = refusal === undefined && options.failsWhenIncomplete;
	return { ...options, failsWhenIncomplete, refusal };
}

/** The name of the field for the result, if any. Throws `InvalidInput` for one that is no ordinary field. */
function resultFieldOf(value: unknown): string | undefined {
	const name = toText(value);
	// n8n takes an item with a field `error` for a failed one.
	if (isSafeObjectProperty(name) && name !== 'error') return name === '' ? undefined : name;
	throw invalidValue('Put Result in Field', `"${name}" cannot be the name of a field`);
}

/** A number of days; the default for an empty value. Throws `InvalidInput` for anything else. */
export function daysOf(value: unknown, label: string, byDefault: number): number {
	const isEmpty = value === undefined || value === null || value === '';
	const days = isEmpty ? byDefault : numberOf(value);
	if (days === undefined) throw invalidValue(label, `${label} must be a number`);
	return days;
}

/**
 * The number in Max Credits, Keep Credits or Max Items in Manual Runs: a number or its text, fractions cut off, 0 for
 * less. `undefined` for anything else, an empty text and infinity included.
 */
export function creditAmountOf(value: unknown): number | undefined {
	const number = numberOf(value);
	return number === undefined ? undefined : Math.max(0, Math.trunc(number));
}
