import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_RETRIES, type Pace } from './run';

/** Gives the value of an option of the node, as the user or an AI agent filled it in. */
type Option = (name: string) => unknown;

/** How the requests of a lookup are sent. */
export function paceOf(option: Option): Pace {
	return {
		maxConcurrency: Math.max(1, wholeNumber(option('maxConcurrency'), DEFAULT_MAX_CONCURRENCY)),
		maxRetries: wholeNumber(option('maxRetries'), DEFAULT_MAX_RETRIES),
	};
}

/** The most credits that the node may spend in the execution; 0 for no cap. */
export function maxCreditsOf(option: Option): number {
	return wholeNumber(option('maxCredits'), 0);
}

/** A whole number, at least 0; the default for what is no number. */
export function wholeNumber(value: unknown, byDefault: number): number {
	const number = Number(value ?? byDefault);
	return Number.isFinite(number) ? Math.max(0, Math.floor(number)) : byDefault;
}
