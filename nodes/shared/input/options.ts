import type { NodeContext } from '../host/context';
import type { Parameters } from './parameters';
import { requestOptionsOf } from '../http/transport';
import { paceOf } from '../pace/retry';
import { numberOf } from '../values/text';
import { FirstFailure, invalidValue } from '../failures/failure';

/** In minutes. */
export const DEFAULT_JOB_TIMEOUT = 30;

export type LookupOptions = ReturnType<typeof lookupOptionsOf>;

/**
 * Reads the options, of which a read has only some; what cannot be used is replaced by its default and refused by
 * `refusal`.
 */
export function lookupOptionsOf(
	parameters: Parameters,
	{ isManual, isTool }: Pick<NodeContext, 'isManual' | 'isTool'>,
) {
	const { optionalColumn: added } = parameters.operation;
	const failure = new FirstFailure();
	const option = (name: string) => failure.of(() => parameters.get(name, 0, null));
	/** A number or its text, fractions cut off, 0 for less; `undefined` for a parameter that is not there. */
	const amount = (name: string) =>
		failure.of(() => {
			if (!parameters.has(name)) return undefined;
			const label = parameters.labelOf(name);
			const number = numberOf(parameters.get(name, 0, null));
			if (number === undefined) throw invalidValue(label, `${label} must be a number`);
			return Math.max(0, Math.trunc(number));
		});
	const options = {
		pace: paceOf(option, isManual || isTool),
		cap: amount('maxCredits') ?? Number.POSITIVE_INFINITY,
		keep: amount('keepCredits'),
		/** The most distinct lookups of a manual run; infinite for all. */
		manualLimit: amount('manualLimit') || Number.POSITIVE_INFINITY,
		failsWhenIncomplete: option('incompleteRun') === 'fail',
		addedColumns: added && option(added.option) === true ? [added.column] : [],
		/** In milliseconds. */
		jobTimeout: Math.max(0, numberOf(option('jobTimeout')) ?? DEFAULT_JOB_TIMEOUT) * 60_000,
		requestOptions: failure.of(() => requestOptionsOf(parameters.get('requestOptions', 0, {}))),
	};
	/** The exception for the first option that cannot be used: no item of the run is sent. */
	return { ...options, refusal: failure.error };
}

/** The value of Limit; throws `Failure`. */
export function limitIn(value: unknown): number {
	const limit = numberOf(value) ?? 0;
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw invalidValue('Limit', 'Limit must be a whole number of 1 or more');
}
