/**
 * @file `npm run mutation` changes the code in many small ways and counts the changes that tests notice: of the files that
 * differ from the main branch, or of those that are named (`npm run mutation -- nodes/shared/values`). What a run of a node
 * decides, unit tests hardly reach: with a file of these rooms, the tables of the engine tests run too.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

function git(...args: string[]): string[] {
	return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** The branch that changes are made for, or the commit before. */
function base(): string {
	const [main] = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main');
	const [common] = main ? git('merge-base', 'HEAD', main) : [];
	const [head] = git('rev-parse', 'HEAD');
	return common && common !== head ? common : 'HEAD~1';
}

/** Code that decides something: descriptions hold words, which other tests look at. */
function isCode(file: string): boolean {
	return /^nodes\/.*\.ts$/.test(file) && !/\.(?:node|operation)\.ts$|\/editor\//.test(file);
}

/** The rooms that engine tests hold. */
const BY_ENGINE = /^nodes\/shared\/(?:credits|execution|lookups|run)\//;

const named = process.argv.slice(2).map((path) => path.replace(/\/$/, ''));
const changed = named.length > 0 ? [] : git('diff', '--name-only', '--diff-filter=d', base());
const files = [
	...changed.filter(isCode),
	...named.map((path) => (statSync(path).isDirectory() ? `${path}/**/*.ts` : path)),
];
if (files.length === 0) {
	console.log('Nothing in nodes/ differs from the main branch.');
} else {
	const args = ['run', 'test/mutation/stryker.config.mjs', '--mutate', files.join(',')];
	const MUTATION_BY = files.some((file) => BY_ENGINE.test(file)) ? 'engine' : 'unit';
	const env = { ...process.env, MUTATION_BY };
	process.exitCode = spawnSync('stryker', args, { stdio: 'inherit', env }).status ?? 1;
}
