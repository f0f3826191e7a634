import { afterAll, beforeAll, vi } from 'vitest';

/** What has to go on by the real clock. */
const { setInterval: everyReal, clearInterval: stopReal } = globalThis;

export interface QuickClock {
	forward: (milliseconds: number) => void;
	/** Does some work while the clock goes by another step, and requests and executions are given up by it. */
	at: <T>(step: number, work: () => Promise<T>) => Promise<T>;
}

/**
 * In the tests of a file waits are over in no time: the clock runs many times as fast. Requests and
 * their answers take their own time, by the real clock.
 *
 * @param usual how much it goes forward in each real millisecond or two, in milliseconds
 */
export function useQuickClock(usual = 100): QuickClock {
	let timer: NodeJS.Timeout | undefined;
	let step = usual;
	beforeAll(() => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
		timer = everyReal(() => vi.advanceTimersByTime(step), 1);
	});
	afterAll(() => {
		stopReal(timer);
		vi.useRealTimers();
	});
	return {
		forward: (milliseconds) => void vi.advanceTimersByTime(milliseconds),
		async at(other, work) {
			const restore = quickenDeadlines();
			step = other;
			return await work().finally(() => {
				step = usual;
				restore();
			});
		},
	};
}

/** Requests are given up by the quick clock too: the time limit that comes with a signal goes by the real one. */
export function useQuickDeadlines(): void {
	let restore = () => {};
	beforeAll(() => {
		restore = quickenDeadlines();
	});
	afterAll(() => restore());
}

function quickenDeadlines(): () => void {
	const { timeout } = AbortSignal;
	AbortSignal.timeout = (milliseconds) => {
		const deadline = new AbortController();
		const over = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
		setTimeout(() => deadline.abort(over), milliseconds);
		return deadline.signal;
	};
	return () => void (AbortSignal.timeout = timeout);
}
