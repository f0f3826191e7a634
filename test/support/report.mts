import { TestRunner } from 'vitest';

declare module 'vitest' {
	interface TaskMeta {
		/** What `npm test` prints below the step. */
		report?: string[];
		/** Why the test was skipped. */
		skipReason?: string;
	}
}

/** Tells people, in a test, what it ran against and measured: `npm test` prints it below the step. */
export function report(text: string): void {
	console.log(text);
	const test = TestRunner.getCurrentTest();
	if (test) test.meta.report = [...(test.meta.report ?? []), text];
}
