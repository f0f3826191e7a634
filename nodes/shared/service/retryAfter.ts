import { toText } from '../values/text';

/**
 * What a `Retry-After` header asks for, in milliseconds from now: it holds seconds or an HTTP date.
 * `undefined` when there is none or it cannot be read.
 */
export function retryAfterOf(header: unknown, now = Date.now()): number | undefined {
	const text = toText(header);
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const moment = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}
