import { maxCreditsOf } from '../credits/maxCredits';
import type { Parameters } from '../n8n/parameters';
import { invalidValue } from '../outcomes/problem';
import { DEFAULT_PACE, paceOf, type Pace } from '../pacing/pace';
import { requestOptionsOf, type RequestOptions } from '../service/requestOptions';
import { wholeNumber } from '../values/number';

/** The options of a lookup, which are read once per run. */
export interface LookupOptions {
	pace: Pace;
	/** Credits; infinite for no cap. */
	cap: number;
	/** Whether a run that is not complete stops the workflow. */
	failsWhenIncomplete: boolean;
	includesInput: boolean;
	/** Milliseconds. */
	jobTimeout: number;
	requestOptions: RequestOptions;
}

/** Minutes. */
export const DEFAULT_JOB_TIMEOUT = 30;

/** What a run goes by whose options cannot be read: it sends nothing. */
export const NO_OPTIONS: LookupOptions = {
	pace: DEFAULT_PACE,
	cap: 0,
	failsWhenIncomplete: false,
	includesInput: false,
	jobTimeout: 0,
	requestOptions: {},
};

/** Reads the options; throws for what cannot be meant, or evaluated. */
export function lookupOptionsOf(parameters: Parameters): LookupOptions {
	const option = (name: string) => parameters.get(`options.${name}`, 0, null);
	const cap = parameters.has('options.maxCredits')
		? maxCreditsOf(option('maxCredits'))
		: Number.POSITIVE_INFINITY;
	if (cap === undefined) throw invalidValue('Max Credits', 'Max Credits must be a number');
	return {
		pace: paceOf(option),
		cap,
		failsWhenIncomplete: option('incompleteRun') === 'fail',
		includesInput: option('includeInputFields') === true,
		jobTimeout: wholeNumber(option('jobTimeout'), DEFAULT_JOB_TIMEOUT) * 60_000,
		requestOptions: requestOptionsOf(parameters),
	};
}
