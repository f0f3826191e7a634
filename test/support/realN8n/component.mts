import { afterAll, beforeAll, beforeEach } from 'vitest';

import { ProgramMissing } from '../../components/program.mts';

/** An n8n may have to be installed first. */
const OPEN_TIMEOUT_MS = 40 * 60_000;

/**
 * Opens what all tests of a file or a group need, and closes it after them. Where a real program is
 * missing the tests are skipped and say why; with `CI=true` they fail.
 *
 * @returns for use inside tests
 */
export function useComponent<T extends AsyncDisposable>(open: () => Promise<T>): () => T {
	let component: T | undefined;
	let missing: string | undefined;
	beforeAll(async () => {
		try {
			component = await open();
		} catch (error) {
			if (!(error instanceof ProgramMissing) || process.env.CI === 'true') throw error;
			missing = [error.message, error.remedy].filter(Boolean).join(' ');
		}
	}, OPEN_TIMEOUT_MS);
	beforeEach(({ task, skip }) => {
		if (missing === undefined) return;
		task.meta.skipReason = missing;
		skip(missing);
	});
	afterAll(async () => await component?.[Symbol.asyncDispose]());
	return () => {
		if (component === undefined) throw new Error(missing ?? 'It is open inside tests only');
		return component;
	};
}
