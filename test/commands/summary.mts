import Table from 'cli-table3';
import type { CheckResult } from './check.mts';

export function summaryTable(results: readonly CheckResult[]): string {
	const table = new Table({
		head: ['Step', 'Result', 'Tests', 'Time'],
		colAligns: ['left', 'left', 'right', 'right'],
		style: { head: ['bold'], border: [], compact: true },
	});
	for (const { check, failure, tests, time } of results) {
		const counted = check.hasTests ? `${tests.passed} of ${tests.passed + tests.failed}` : '';
		const seconds = `${(time / 1000).toFixed(1)} s`;
		table.push([check.title, failure ? 'FAILED' : 'passed', counted, seconds]);
	}
	return table.toString();
}

/** One line for machines: every step and every test counts one. */
export function countLine(results: readonly CheckResult[]): string {
	const sum = (count: (result: CheckResult) => number) =>
		results.reduce((total, result) => total + count(result), 0);
	const passed = sum((result) => result.tests.passed + (result.failure ? 0 : 1));
	const failed = sum((result) => result.tests.failed + (result.failure ? 1 : 0));
	return `${passed} passed, ${failed} failed`;
}
