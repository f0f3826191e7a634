import fc from 'fast-check';
import { beforeEach } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { isLong } from './depth.mts';

// A long run draws new cases, and prints the seed of what it finds.
if (!isLong) fc.configureGlobal({ seed: 1 });

// What one test has bought, another one would not pay for.
beforeEach(forgetRecentAnswers);
