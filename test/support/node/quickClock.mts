import { afterAll, beforeAll, vi } from 'vitest';

/** How much the clock goes forward in each real millisecond or two, in milliseconds. */
const STEP = 100;

/** What has to go on by the real clock. */
const { setInterval: everyReal, clearInterval: stopReal } = globalThis;

/**
 * In the tests of a file waits are over in no time: the clock runs many times as fast. Requests and
 * their answers take their own time, by the real clock.
 */
export function useQuickClock(): { forward: (milliseconds: number) => void } {
	let timer: NodeJS.Timeout | undefined;
	beforeAll(() => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
		timer = everyReal(() => vi.advanceTimersByTime(STEP), 1);
	});
	afterAll(() => {
		stopReal(timer);
		vi.useRealTimers();
	});
	return { forward: (milliseconds) => void vi.advanceTimersByTime(milliseconds) };
}
