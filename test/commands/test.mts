import { runCheck, type CheckResult } from './check.mts';
import { checks, type Check } from './checks.mjs';
import { runCommand } from './command.mts';
import { describe, Failure } from '../machine/failure.mjs';
import { readOptions } from './options.mts';
import { countLine, summaryTable } from './summary.mts';

await runCommand(async (signal) => {
	const results: CheckResult[] = [];
	for (const check of chosenChecks()) {
		const result = await runCheck(check, signal);
		for (const note of result.tests.notes) console.log(note.replace(/^/gm, '    '));
		if (result.failure) console.error(`\n${describe(result.failure)}\n`);
		results.push(result);
	}
	console.log(`\n${summaryTable(results)}\n\n${countLine(results)}`);
	return results.some(({ failure }) => failure) ? 1 : 0;
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
