/** @file The parts of n8n's package scanner, which has no types, that the tests use. */

declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	import type { Linter } from 'eslint';

	interface Analysis {
		passed: boolean;
		message?: string;
		/** The findings as ESLint prints them. */
		details?: string;
	}
	export const SOURCE_FILE_PATTERNS: string[];
	export function buildScanConfig(): Promise<Linter.Config[]>;
	export function analyzePackage(folder: string, patterns: string[]): Promise<Analysis>;
}
