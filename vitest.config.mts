import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

import { HANG_MS } from './test/machine/hang.mts';

// The engine (n8n-core) is CommonJS. The nodes must get the same copy of n8n-workflow as the engine:
// with two copies its `instanceof` checks of errors would fail.
const workflowPackage = createRequire(import.meta.url).resolve('n8n-workflow');

const inProcess = ['unit', 'engine'];

export default defineConfig({
	resolve: { alias: { 'n8n-workflow': workflowPackage } },
	test: {
		// Many tests wait for something: a core more is a core less that waits with them.
		maxWorkers: '100%',
		projects: ['unit', 'engine', 'scan', 'e2e', 'browser', 'benchmarks'].map((name) => ({
			extends: true,
			test: {
				name,
				include: [`test/${name}/**/*.test.mts`],
				// What measures has to be alone. An n8n that shares two cores with more than another one runs into limits of its
				// own, e.g. 250 ms for a regular expression.
				fileParallelism: !['benchmarks', 'e2e'].includes(name),
				// Their files share a process and its modules: the engine and our code are loaded once.
				isolate: !inProcess.includes(name),
				setupFiles: inProcess.includes(name) ? ['test/support/setup.mts'] : [],
				testTimeout: 4 * HANG_MS,
				hookTimeout: 4 * HANG_MS,
				expect: { poll: { timeout: HANG_MS } },
			},
		})),
	},
});
