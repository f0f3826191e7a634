import { wholeNumber } from '../values/number';

/** How the requests of one run of a node are sent; users set these in the options of a lookup. */
export interface Pace {
	/** The most requests of the run in progress at once. */
	maxConcurrency: number;
	/** How often one request is sent again. */
	maxRetries: number;
}

export const DEFAULT_MAX_CONCURRENCY = 5;

export const DEFAULT_MAX_RETRIES = 4;

export const DEFAULT_PACE: Pace = {
	maxConcurrency: DEFAULT_MAX_CONCURRENCY,
	maxRetries: DEFAULT_MAX_RETRIES,
};

/**
 * The pace that the options ask for.
 * @param option gives the value of an option, as the user or an AI agent filled it in
 */
export function paceOf(option: (name: string) => unknown): Pace {
	const number = (name: keyof Pace) => wholeNumber(option(name), DEFAULT_PACE[name]);
	return {
		maxConcurrency: Math.max(1, number('maxConcurrency')),
		maxRetries: number('maxRetries'),
	};
}
