import { vi } from 'vitest';

import { HANG_MS } from '../machine/hang.mts';

/** Waits for a state, and gives its value. */
export async function until<T>(state: () => T | Promise<T>, interval = 100) {
	return await vi.waitUntil(state, { timeout: HANG_MS, interval });
}
