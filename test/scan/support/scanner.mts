/** @file n8n's package scanner, which decides about packages that are to be verified. */

import { vi } from 'vitest';

export {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

// A plugin of the scanner takes every file for a node, a trigger and a credential at once where it is under test
// itself. It looks when the scanner loads it, with the first scan.
vi.stubEnv('NODE_ENV', 'production');
