import { isSafeObjectProperty } from 'n8n-workflow';
import type { Parameters } from '../host/parameters';
import { type RequestOptions, requestOptionsOf } from '../http/transport';
import { invalidValue } from '../output/problem';
import { DEFAULT_PACE, type Pace, paceOf } from '../pace/retry';
import { numberOf, toText } from '../values/text';

const RESULT_FIELD = 'options.resultField';

export const KEEP_CREDITS = 'Keep Credits';

export const MANUAL_LIMIT = 'Max Items in Manual Runs';

const RETRY_UNKNOWN = 'Verify Unknown Again After (Days)';

/** In days. */
export const DEFAULT_MAX_AGE = 90;
export const DEFAULT_RETRY_UNKNOWN = 1;

/** The options of a lookup, which are read once per run. */
export interface LookupOptions {
	pace: Pace;
	/** Credits; infinite for no cap. */
	cap: number;
	/** Credits that are to stay in the account, where that was asked for. */
	keep?: number;
	/** The most items that need a lookup in a manual run; infinite for all. */
	manualLimit: number;
	/** Whether a run that is not complete stops the workflow. */
	failsWhenIncomplete: boolean;
	/** Under which name the result goes; beside the fields of the input without it. */
	resultField?: string;
	/** Days after which an email whose status is unknown is verified again. */
	retryUnknown: number;
	/** Whether items with nothing to look up are passed on. */
	skipsEmpty: boolean;
	/** Milliseconds. */
	jobTimeout: number;
	requestOptions: RequestOptions;
}

/** In minutes. */
export const DEFAULT_JOB_TIMEOUT = 30;

/** The options of a run that sends nothing, as its own cannot be used. */
export const NO_OPTIONS: LookupOptions = {
	pace: DEFAULT_PACE,
	cap: 0,
	manualLimit: Number.POSITIVE_INFINITY,
	failsWhenIncomplete: false,
	retryUnknown: DEFAULT_RETRY_UNKNOWN,
	skipsEmpty: false,
	jobTimeout: 0,
	requestOptions: {},
};

/** Reads the options. Throws `InvalidInput` or `FailingExpression` for one that cannot be used. */
export function lookupOptionsOf(parameters: Parameters): LookupOptions {
	const option = (name: string) => parameters.get(`options.${name}`, 0, null);
	const amount = (name: string, label: string) => {
		if (!parameters.has(`options.${name}`)) return undefined;
		const number = creditAmountOf(option(name));
		if (number === undefined) throw invalidValue(label, `${label} must be a number`);
		return number;
	};
	return {
		pace: paceOf(option),
		cap: amount('maxCredits', 'Max Credits') ?? Number.POSITIVE_INFINITY,
		keep: amount('keepCredits', KEEP_CREDITS),
		manualLimit: amount('manualLimit', MANUAL_LIMIT) || Number.POSITIVE_INFINITY,
		failsWhenIncomplete: option('incompleteRun') === 'fail',
		resultField: resultFieldOf(parameters.get(RESULT_FIELD, 0, '')),
		retryUnknown: daysOf(option('retryUnknownDays'), RETRY_UNKNOWN, DEFAULT_RETRY_UNKNOWN),
		skipsEmpty: option('skipEmpty') === true,
		jobTimeout: Math.max(0, numberOf(option('jobTimeout')) ?? DEFAULT_JOB_TIMEOUT) * 60_000,
		requestOptions: requestOptionsOf(parameters.get('requestOptions', 0, {})),
	};
}

/** The options of a run whose own cannot be used, with Put Result in Field where that can. */
export function noOptions(parameters: Parameters): LookupOptions {
	try {
		return { ...NO_OPTIONS, resultField: resultFieldOf(parameters.get(RESULT_FIELD, 0, '')) };
	} catch {
		return NO_OPTIONS;
	}
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
