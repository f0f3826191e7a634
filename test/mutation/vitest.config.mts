import { mergeConfig } from 'vitest/config';

import config from '../../vitest.config.mts';
import { HANG_MS } from '../machine/hang.mts';

const { projects: _, ...test } = config.test ?? {};

/** The unit tests take half a minute; those of the engine that say most about a run in the least time, as much again. */
const include = ['test/unit/**/*.test.mts'];
const ofRuns = 'operations/* bulk credits estimate known limits onError providers'.split(' ');
if (process.env.MUTATION_BY === 'engine') {
	include.push(...ofRuns.map((name) => `test/engine/${name}.test.mts`));
}

export default mergeConfig(
	{ ...config, test },
	{
		test: { include, setupFiles: ['test/support/setup.mts'], testTimeout: 4 * HANG_MS },
	},
);
