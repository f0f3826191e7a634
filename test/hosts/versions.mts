/**
 * An n8n version to run the nodes in. Its folder beside this file, named after it, holds the
 * package.json and the lockfile that it is installed from.
 */
export interface HostVersion {
	readonly version: string;
	/** The packages that are compiled for this machine; no other package runs a script on installation. */
	readonly nativePackages: readonly string[];
	/** Settings that only this version knows. */
	readonly settings?: NodeJS.ProcessEnv;
}

export const n8n2: HostVersion = {
	version: '2.41.1',
	nativePackages: ['isolated-vm', 'sqlite3'],
	// This module calls home on start.
	settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
};

export const n8n1: HostVersion = {
	version: '1.123.81',
	nativePackages: ['isolated-vm', 'sqlite3'],
};
