/** Which changes of the code no unit test would notice; see run.mts. */
export default {
	testRunner: 'vitest',
	vitest: { configFile: 'test/mutation/vitest.config.mts' },
	plugins: ['@stryker-mutator/vitest-runner'],
	// A changed constant of a module would need all tests again, and says little.
	ignoreStatic: true,
	concurrency: 2,
	// On a busy machine too.
	dryRunTimeoutMinutes: 30,
	reporters: ['clear-text', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	jsonReporter: { fileName: '.cache/mutation.json' },
	tempDirName: '.cache/mutation',
	thresholds: { high: 95, low: 90, break: 90 },
};
