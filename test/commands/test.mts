import { readFile, rm } from 'node:fs/promises';
import Table from 'cli-table3';
import type { JsonTestResults } from 'vitest/node';
import { ensureProgram, realPrograms } from '../components/program.mts';
import { installHost } from '../hosts/install.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { describe, Failure } from '../machine/failure.mjs';
import { logFile } from '../machine/paths.mjs';
import { run } from '../machine/program.mjs';
import { checks } from './checks.mjs';
import { readOptions, runCommand } from './command.mjs';
import { step } from './step.mts';

type Check = (typeof checks)[number];
type State = 'passed' | 'failed' | 'skipped';

/** How a check ended. */
interface CheckResult {
	readonly title: string;
	readonly state: State;
	readonly seconds: number;
	/** None if it has no tests to count. */
	readonly tests?: Record<State, number> | undefined;
}

await runCommand(async (signal) => {
	const { only, long } = readOptions('npm test', {
		only: { type: 'string' },
		long: { type: 'boolean', default: false },
	});
	if (long) process.env.TEST_LONG = '1';
	const chosen = chosenChecks(only);
	const installed = chosen.some(({ needsHosts }) => needsHosts) ? installAll(signal) : undefined;
	const ended = new Map<Check, CheckResult>();
	for (const stage of new Set(chosen.map((check) => check.stage))) {
		const now = chosen.filter((check) => check.stage === stage);
		const lanes = Map.groupBy(now, ({ name, lane = name }) => lane);
		const runLane = async (lane: readonly Check[]) => {
			for (const check of lane) {
				if (check.needsHosts) await installed;
				ended.set(check, await runCheck(check, signal));
			}
		};
		await Promise.all([...lanes.values()].map(runLane));
	}
	const results = chosen.flatMap((check) => ended.get(check) ?? []);
	console.log(`\n${summaryTable(results)}\n\n${countLine(results)}`);
	return results.some(({ state }) => state === 'failed') ? 1 : 0;
});

function chosenChecks(only: string | undefined): readonly Check[] {
	if (only === undefined) return checks;
	const names = only.split(',');
	const unknown = names.filter((wanted) => !checks.some(({ name }) => name === wanted));
	if (unknown.length > 0) {
		throw new Failure(`There is no step named ${unknown.join(', ')}.`, {
			remedy: `The steps are ${checks.map(({ name }) => name).join(', ')}.`,
		});
	}
	return checks.filter(({ name }) => names.includes(name));
}

/** Installs what the later steps need, while the earlier ones run. What cannot be installed, these steps tell. */
async function installAll(signal: AbortSignal): Promise<void> {
	const hosts = [n8n1, n8n2].map(async (version) => await installHost(version, { signal }));
	const ensure = async () => {
		for (const program of Object.values(realPrograms)) await ensureProgram(program);
	};
	await Promise.allSettled([...hosts, ...(process.env.CI === 'true' ? [ensure()] : [])]);
}

/** Runs a check under its title; its output goes to a log file. */
async function runCheck(check: Check, signal: AbortSignal): Promise<CheckResult> {
	const { title, name, script } = check;
	const log = logFile(`test-${name}`);
	const report = `${log}.json`;
	const hasTests = script.startsWith('test:');
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
	const args = name === 'example' ? ['--once'] : hasTests ? reporters : [];
	await rm(report, { force: true });
	const started = performance.now();
	const failure = await step(title, async () => {
		// Only a hang takes so long.
		const timeout = (process.env.TEST_LONG === '1' ? 120 : 40) * 60_000;
		const bounds = { signal, timeout };
		const code = await run('npm', ['run', script, '--', ...args], { log, ...bounds });
		if (code !== 0) throw new Failure(`${title} ended with code ${code}.`, { log });
		return undefined;
	}).catch((error: unknown) => {
		if (error instanceof Failure && !signal.aborted) return error;
		throw error;
	});
	const seconds = (performance.now() - started) / 1000;
	const { tests, notes } = await readTests(report);
	for (const note of notes) console.log(note.replace(/^/gm, '    '));
	if (failure) console.error(`\n${describe(failure)}\n`);
	const isSkipped = tests !== undefined && tests.skipped > 0 && tests.passed === 0;
	return { title, seconds, tests, state: failure ? 'failed' : isSkipped ? 'skipped' : 'passed' };
}

/** The tests of a report, and what they say they ran against and measured, and why any were skipped. */
async function readTests(report: string) {
	// Without a report no test was run; if one should have been, the check's exit code says so.
	const text = await readFile(report, 'utf8').catch(() => undefined);
	if (text === undefined) return { tests: undefined, notes: [] };
	const { testResults, ...counts }: JsonTestResults = JSON.parse(text);
	const metas = testResults.flatMap(({ assertionResults }) =>
		assertionResults.map(({ meta }) => meta),
	);
	const reports = metas.flatMap((meta) => meta.report ?? []);
	const skipReasons = new Set(metas.flatMap(({ skipReason }) => skipReason ?? []));
	return {
		tests: {
			passed: counts.numPassedTests,
			failed: counts.numFailedTests,
			skipped: counts.numPendingTests,
		},
		notes: [...reports, ...[...skipReasons].map((reason) => `Skipped: ${reason}`)],
	};
}

function summaryTable(results: readonly CheckResult[]): string {
	const table = new Table({
		head: ['Step', 'Result', 'Tests', 'Time'],
		colAligns: ['left', 'left', 'right', 'right'],
		style: { head: ['bold'], border: [], compact: true },
	});
	for (const { title, state, tests, seconds } of results) {
		const counted = tests && `${tests.passed} of ${tests.passed + tests.failed + tests.skipped}`;
		const result = state === 'failed' ? 'FAILED' : state;
		table.push([title, result, counted ?? '', `${seconds.toFixed(1)} s`]);
	}
	return table.toString();
}

/** One line for machines: every step and every test counts one. */
function countLine(results: readonly CheckResult[]): string {
	const count = (wanted: State) =>
		results.reduce(
			(sum, { state, tests }) => sum + Number(state === wanted) + (tests?.[wanted] ?? 0),
			0,
		);
	const line = `${count('passed')} passed, ${count('failed')} failed`;
	const skipped = count('skipped');
	return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
