import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Check } from './checks.mjs';
import { Failure } from '../machine/failure.mjs';
import { logFile } from '../machine/paths.mjs';
import { run } from '../machine/program.mjs';
import { step } from './step.mts';

/** How a check ended. */
export interface CheckResult {
	readonly check: Check;
	readonly failure: Failure | undefined;
	/** Milliseconds. */
	readonly time: number;
	readonly tests: Tests;
}

interface Tests {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	/** What they say they ran against and measured, and why any were skipped. */
	readonly notes: readonly string[];
}

const NO_TESTS: Tests = { passed: 0, failed: 0, skipped: 0, notes: [] };

const reportSchema = z.object({
	numPassedTests: z.number(),
	numFailedTests: z.number(),
	numPendingTests: z.number(),
	testResults: z.array(
		z.object({
			assertionResults: z.array(
				z.object({
					meta: z.object({
						report: z.array(z.string()).optional(),
						skipReason: z.string().optional(),
					}),
				}),
			),
		}),
	),
});

/** Runs a check under its title; its output goes to a log file. */
export async function runCheck(check: Check, signal: AbortSignal): Promise<CheckResult> {
	const started = performance.now();
	const report = `${logFile(`test-${check.name}`)}.json`;
	await rm(report, { force: true });
	const failure = await step(check.title, async () => await pass(check, report, signal)).then(
		() => undefined,
		(error: unknown) => {
			if (error instanceof Failure && !signal.aborted) return error;
			throw error;
		},
	);
	return { check, failure, time: performance.now() - started, tests: await readTests(report) };
}

/** @throws {Failure} when the check does not pass */
async function pass(check: Check, report: string, signal: AbortSignal): Promise<void> {
	const [program, ...args] = check.command;
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
	const log = logFile(`test-${check.name}`);
	const code = await run(program, [...args, ...(check.hasTests ? reporters : [])], {
		log,
		signal,
		timeout: check.minutes * 60_000,
	});
	if (code !== 0) throw new Failure(`${check.title} ended with code ${code}.`, { log });
}

/** Without a report no test was run; if one should have been, the check's exit code says so. */
async function readTests(report: string): Promise<Tests> {
	const text = await readFile(report, 'utf8').catch(() => undefined);
	if (text === undefined) return NO_TESTS;
	const { testResults, ...counts } = reportSchema.parse(JSON.parse(text));
	const metas = testResults.flatMap(({ assertionResults }) =>
		assertionResults.map(({ meta }) => meta),
	);
	const skipReasons = metas.flatMap(({ skipReason }) => skipReason ?? []);
	return {
		passed: counts.numPassedTests,
		failed: counts.numFailedTests,
		skipped: counts.numPendingTests,
		notes: [
			...metas.flatMap(({ report: lines }) => lines ?? []),
			...[...new Set(skipReasons)].map((reason) => `Skipped: ${reason}`),
		],
	};
}
