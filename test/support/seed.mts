import fc from 'fast-check';

import { isLong } from './depth.mts';

// A long run draws new cases, and prints the seed of what it finds.
if (!isLong) fc.configureGlobal({ seed: 1 });
