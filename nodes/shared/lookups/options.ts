import { isSafeObjectProperty } from 'n8n-workflow';

import type { Parameters } from '../host/parameters';
import { requestOptionsOf } from '../http/transport';
import { invalidValue } from '../output/problem';
import { paceOf } from '../pace/retry';
import { numberOf, toText } from '../values/text';

export const KEEP_CREDITS = 'Keep Credits';

export const MANUAL_LIMIT = 'Max Items in Manual Runs';

/** In days. */
export const DEFAULT_MAX_AGE = 90;
export const DEFAULT_RETRY_UNKNOWN = 1;

/** In minutes. */
export const DEFAULT_JOB_TIMEOUT = 30;

/** The options of a lookup, which are read once per run. */
export type LookupOptions = ReturnType<typeof lookupOptionsOf>;

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

/** Reads the options; what cannot be used is replaced by its default and refused by `refusal`. */
export function lookupOptionsOf(parameters: Parameters) {
	const attempts = new Attempts();
	const option = (name: string) => attempts.of(() => parameters.get(`options.${name}`, 0, null));
	/** A number or its text, fractions cut off, 0 for less; `undefined` for an option that was not added. */
	const amount = (name: string, label: string) =>
		attempts.of(() => {
			if (!parameters.has(`options.${name}`)) return undefined;
			const number = numberOf(option(name));
			if (number === undefined) throw invalidValue(label, `${label} must be a number`);
			return Math.max(0, Math.trunc(number));
		});
	const retryUnknown = attempts.of(() =>
		daysOf(option('retryUnknownDays'), 'Verify Unknown Again After (Days)', DEFAULT_RETRY_UNKNOWN),
	);
	const options = {
		pace: paceOf(option),
		/** Max Credits; infinite for no cap. */
		cap: amount('maxCredits', 'Max Credits') ?? Number.POSITIVE_INFINITY,
		/** Keep Credits, where that option was added. */
		keep: amount('keepCredits', KEEP_CREDITS),
		/** The most distinct lookups of a manual run; infinite for all. */
		manualLimit: amount('manualLimit', MANUAL_LIMIT) || Number.POSITIVE_INFINITY,
		/** Whether an incomplete run stops the workflow. */
		failsWhenIncomplete: option('incompleteRun') === 'fail',
		/** The field for the result; without it, the result goes beside the fields of the input. */
		resultField: attempts.of(() => resultFieldOf(option('resultField'))),
		/** The days after which an email whose status is unknown is verified again. */
		retryUnknown: retryUnknown ?? DEFAULT_RETRY_UNKNOWN,
		/** Whether items with nothing to look up are passed on. */
		skipsEmpty: option('skipEmpty') === true,
		/** In milliseconds. */
		jobTimeout: Math.max(0, numberOf(option('jobTimeout')) ?? DEFAULT_JOB_TIMEOUT) * 60_000,
		requestOptions:
			attempts.of(() => requestOptionsOf(parameters.get('requestOptions', 0, {}))) ?? {},
		/** The exception for the first option that cannot be used: no item of the run is sent. */
		refusal: attempts.failure,
	};
	return { ...options, failsWhenIncomplete: !options.refusal && options.failsWhenIncomplete };
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
