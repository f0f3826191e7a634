import { readFile, rm } from 'node:fs/promises';
import Table from 'cli-table3';
import { z } from 'zod';
import { ensureProgram, realPrograms } from '../components/program.mts';
import { installHost } from '../hosts/install.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { describe, Failure } from '../machine/failure.mjs';
import { logFile } from '../machine/paths.mjs';
import { run } from '../machine/program.mjs';
import { checks } from './checks.mjs';
import { runCommand } from './command.mts';
import { readOptions } from './options.mts';
import { step } from './step.mts';

type Check = (typeof checks)[number];

/** The first stage whose steps run an n8n. */
const WITH_HOSTS = 4;

/** How a check ended. */
interface CheckResult {
	readonly title: string;
	readonly state: 'FAILED' | 'skipped' | 'passed';
	readonly seconds: number;
	/** None if it has no tests to count. */
	readonly tests?: Record<'passed' | 'failed' | 'skipped', number> | undefined;
}

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

await runCommand(async (signal) => {
	const chosen = chosenChecks();
	const installed = chosen.some(({ stage }) => stage >= WITH_HOSTS)
		? installAll(signal)
		: undefined;
	const results: CheckResult[] = [];
	for (const stage of new Set(chosen.map((check) => check.stage))) {
		if (stage >= WITH_HOSTS) await installed;
		const now = chosen.filter((check) => check.stage === stage);
		results.push(...(await Promise.all(now.map(async (check) => await runCheck(check, signal)))));
	}
	console.log(`\n${summaryTable(results)}\n\n${countLine(results)}`);
	return results.some(({ state }) => state === 'FAILED') ? 1 : 0;
});

function chosenChecks(): readonly Check[] {
	const { only } = readOptions('npm test', { only: { type: 'string' } });
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
	const { title, name, script, minutes } = check;
	const log = logFile(`test-${name}`);
	const report = `${log}.json`;
	const hasTests = script.startsWith('test:');
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
	const args = name === 'example' ? ['--once'] : hasTests ? reporters : [];
	await rm(report, { force: true });
	const started = performance.now();
	let failure: Failure | undefined;
	try {
		await step(title, async () => {
			const code = await run('npm', ['run', script, '--', ...args], {
				log,
				signal,
				timeout: minutes * 60_000,
			});
			if (code !== 0) throw new Failure(`${title} ended with code ${code}.`, { log });
		});
	} catch (error) {
		if (!(error instanceof Failure) || signal.aborted) throw error;
		failure = error;
	}
	const seconds = (performance.now() - started) / 1000;
	const tests = await readTests(report);
	for (const note of tests?.notes ?? []) console.log(note.replace(/^/gm, '    '));
	if (failure) console.error(`\n${describe(failure)}\n`);
	const isSkipped = tests !== undefined && tests.skipped > 0 && tests.passed === 0;
	return { title, seconds, tests, state: failure ? 'FAILED' : isSkipped ? 'skipped' : 'passed' };
}

/** The tests of a report, and what they say they ran against and measured, and why any were skipped. */
async function readTests(report: string) {
	// Without a report no test was run; if one should have been, the check's exit code says so.
	const text = await readFile(report, 'utf8').catch(() => undefined);
	if (text === undefined) return undefined;
	const { testResults, ...counts } = reportSchema.parse(JSON.parse(text));
	const metas = testResults.flatMap(({ assertionResults }) =>
		assertionResults.map(({ meta }) => meta),
	);
	const skipReasons = new Set(metas.flatMap(({ skipReason }) => skipReason ?? []));
	return {
		passed: counts.numPassedTests,
		failed: counts.numFailedTests,
		skipped: counts.numPendingTests,
		notes: [
			...metas.flatMap((meta) => meta.report ?? []),
			...[...skipReasons].map((reason) => `Skipped: ${reason}`),
		],
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
		table.push([title, state, counted ?? '', `${seconds.toFixed(1)} s`]);
	}
	return table.toString();
}

/** One line for machines: every step and every test counts one. */
function countLine(results: readonly CheckResult[]): string {
	const steps = (wanted: CheckResult['state']) =>
		results.filter(({ state }) => state === wanted).length;
	const tests = (state: 'passed' | 'failed' | 'skipped') =>
		results.reduce((total, result) => total + (result.tests?.[state] ?? 0), 0);
	const passed = steps('passed') + tests('passed');
	const line = `${passed} passed, ${steps('FAILED') + tests('failed')} failed`;
	return tests('skipped') > 0 ? `${line}, ${tests('skipped')} skipped` : line;
}
