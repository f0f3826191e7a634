import { mergeConfig } from 'vitest/config';

import config from '../../vitest.config.mts';

/** The unit tests alone: they take a minute, and hold every decision that is not a matter of order. */
const { projects: _, ...test } = config.test ?? {};

export default mergeConfig({ ...config, test }, { test: { include: ['test/unit/**/*.test.mts'] } });
