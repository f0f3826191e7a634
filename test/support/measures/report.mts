import { TestRunner } from 'vitest';

declare module 'vitest' {
	interface TaskMeta {
		/** What `npm test` prints below the step. */
		report?: string[];
		/** Why the test was skipped. */
		skipReason?: string;
	}
}

/**
 * Tells people, in a test, what it ran against and measured: `npm test` prints it below the step.
 *
 * @param test the one of several at once that tells it
 */
export function report(text: string, test = TestRunner.getCurrentTest()): void {
	console.log(text);
	if (test) test.meta.report = [...(test.meta.report ?? []), text];
}
