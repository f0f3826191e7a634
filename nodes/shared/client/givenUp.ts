import { type Failure, notSent } from '../failures/failure';
import { FREE_FOR_A_DAY } from '../failures/reasons';
import type { GivenUp } from '../pace/lane';
import { MINUTE } from '../pace/retry';
import { minuteOf } from '../values/moment';

/**
 * Why a run sends nothing more that does not wait as long as the service asks: until when, and what to set.
 * @param mayWaitUntil the latest time to which a longer Max Rate Limit Wait can last, in milliseconds since 1970
 */
export function notWaitedFor(
	{ cause, until, since }: GivenUp,
	timeZone: string,
	mayWaitUntil: number,
): Failure {
	const reason = cause.reason === 'rate_limited' ? 'rate_limited' : 'service_down';
	if (until === undefined) {
		const begin = minuteOf(since, timeZone);
		return notSent(reason, cause.saying(`. It has accepted nothing since ${begin}`));
	}
	const end = minuteOf(Math.ceil(until / MINUTE) * MINUTE, timeZone);
	const minutes = Math.floor((until - Math.min(since, Date.now())) / MINUTE) + 1;
	const description =
		until < mayWaitUntil
			? `Set the option Max Rate Limit Wait (Minutes) to ${minutes}, or run again after ${end}: ${FREE_FOR_A_DAY}.`
			: `Run again after ${end}.`;
	const unsent = notSent(reason, cause.saying(`. It accepts nothing until ${end}`));
	return unsent.with({ description });
}
