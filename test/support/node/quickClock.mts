import { afterAll, beforeAll, vi } from 'vitest';

/** What has to go on by the real clock. */
const { setInterval: everyReal, clearInterval: stopReal } = globalThis;

/**
 * In the tests of a file waits are over in no time: the clock runs many times as fast. Requests and
 * their answers take their own time, by the real clock.
 *
 * @param step how much it goes forward in each real millisecond or two, in milliseconds
 */
export function useQuickClock(step = 100): { forward: (milliseconds: number) => void } {
	let timer: NodeJS.Timeout | undefined;
	beforeAll(() => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
		timer = everyReal(() => vi.advanceTimersByTime(step), 1);
	});
	afterAll(() => {
		stopReal(timer);
		vi.useRealTimers();
	});
	return { forward: (milliseconds) => void vi.advanceTimersByTime(milliseconds) };
}

/** Requests are given up by the quick clock too: the time limit that comes with a signal goes by the real one. */
export function useQuickDeadlines(): void {
	const { timeout } = AbortSignal;
	beforeAll(() => {
		AbortSignal.timeout = (milliseconds) => {
			const deadline = new AbortController();
			const over = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
			setTimeout(() => deadline.abort(over), milliseconds);
			return deadline.signal;
		};
	});
	afterAll(() => {
		AbortSignal.timeout = timeout;
	});
}
