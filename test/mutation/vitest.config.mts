import { mergeConfig } from 'vitest/config';

import config from '../../vitest.config.mts';
import { HANG_MS } from '../machine/hang.mts';

/** The unit tests alone: they take half a minute. Some decisions, as most of `credits/budget.ts`, only engine tests hold. */
const { projects: _, ...test } = config.test ?? {};

export default mergeConfig(
	{ ...config, test },
	{
		test: { include: ['test/unit/**/*.test.mts'], testTimeout: 4 * HANG_MS },
	},
);
