/** @file n8n's package scanner, which decides about packages that are to be verified, and the rules of n8n's lint. */

import { createRequire } from 'node:module';

import type { Linter } from 'eslint';
import { vi } from 'vitest';

import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';

export {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

// A plugin of the scanner takes every file for a node, a trigger and a credential at once where it is under test
// itself. It looks when the scanner loads it, with the first scan.
vi.stubEnv('NODE_ENV', 'production');

const lintFile = createRequire(import.meta.url).resolve('@n8n/node-cli/eslint');
const newest: { configs: { recommended: Linter.Config } } = createRequire(lintFile)(
	'@n8n/eslint-plugin-community-nodes',
);

/** How the scanner lints, with the rules of `n8n-node lint`: the scanner pins an older release of them. */
export async function buildNewestConfig(): Promise<Linter.Config[]> {
	return (await buildScanConfig()).map((config) =>
		config.plugins?.['@n8n/community-nodes'] ? newest.configs.recommended : config,
	);
}
