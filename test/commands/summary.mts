import Table from 'cli-table3';
import type { CheckResult } from './check.mts';

export function summaryTable(results: readonly CheckResult[]): string {
	const table = new Table({
		head: ['Step', 'Result', 'Tests', 'Time'],
		colAligns: ['left', 'left', 'right', 'right'],
		style: { head: ['bold'], border: [], compact: true },
	});
	for (const result of results) {
		const { check, tests, time } = result;
		const counted = check.hasTests
			? `${tests.passed} of ${tests.passed + tests.failed + tests.skipped}`
			: '';
		const seconds = `${(time / 1000).toFixed(1)} s`;
		table.push([check.title, resultOf(result), counted, seconds]);
	}
	return table.toString();
}

/** One line for machines: every step and every test counts one. */
export function countLine(results: readonly CheckResult[]): string {
	const sum = (count: (result: CheckResult) => number) =>
		results.reduce((total, result) => total + count(result), 0);
	const passed = sum((result) => result.tests.passed + (resultOf(result) === 'passed' ? 1 : 0));
	const failed = sum((result) => result.tests.failed + (result.failure ? 1 : 0));
	const skipped = sum(({ tests }) => tests.skipped);
	return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function resultOf({ failure, tests }: CheckResult): 'FAILED' | 'skipped' | 'passed' {
	if (failure) return 'FAILED';
	return tests.skipped > 0 && tests.passed === 0 ? 'skipped' : 'passed';
}
