/**
 * An n8n to run the nodes in. The folder beside this file that is named after its version holds what
 * pnpm installs it from.
 */
export interface HostVersion {
	/** For titles and log files. */
	readonly name: string;
	readonly version: string;
	/** Settings that only this n8n gets. */
	readonly settings?: NodeJS.ProcessEnv;
	/** Modules that n8n loads at its start and these tests do not need, as N8N_DISABLED_MODULES takes them. */
	readonly spareModules: string;
}

export const n8n2: HostVersion = {
	name: '2.41.1',
	version: '2.41.1',
	// This module calls home on start.
	settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
	spareModules:
		'agents,chat-hub,external-secrets,favorites,insights,instance-ai,ldap,log-streaming,mcp,' +
		'mcp-registry,oauth-server,otel,quick-connect,source-control,sso-oidc,sso-saml,' +
		'token-exchange,workflow-builder,workflow-reviews',
};

/** n8n keeps what a trigger remembers in a table of its own, and commits it with the execution that a poll starts. */
export const durableCursors: NodeJS.ProcessEnv = {
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	// In seconds: it looks for due polls, and for those of a process that is gone, as often as the tests poll.
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	N8N_SCHEDULER_REAPER_INTERVAL: '1',
};

export const n8n1: HostVersion = {
	name: '1.123.81',
	version: '1.123.81',
	spareModules: 'external-secrets,insights,mcp',
};

/**
 * n8n 2 with the defaults of n8n 3.0, until an n8n 3 can be installed in its place. Each setting is named
 * after the rule of n8n's own migration report that tells of it (`modules/breaking-changes/rules/v3`); a
 * test holds that the report finds nothing else. Binary data out of memory (`in-memory-binary-data`) is the
 * default of n8n 2 already.
 */
export const n8n3: HostVersion = {
	...n8n2,
	name: '2.41.1-as-3.0',
	settings: {
		...n8n2.settings,
		// offload-manual-executions
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		// task-runner-task-timeout, in seconds
		N8N_RUNNERS_TASK_TIMEOUT: '60',
		// ssrf-default-blocked-ranges, where the protection is on; it leaves open which IPv6 transition ranges.
		N8N_SSRF_BLOCKED_IP_RANGES: 'default,100.64.0.0/10,64:ff9b::/96,2001::/32,2002::/16',
		// compression-node-limits
		N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 * 1024),
		N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
		// unverified-packages: false by default, and then n8n 3 neither installs nor loads this package.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	},
};

/** The same with what its users may turn on besides: the other expression engine, and SSRF protection. */
export const guarded: HostVersion = {
	...n8n3,
	name: `${n8n3.name}-guarded`,
	settings: {
		...n8n3.settings,
		N8N_EXPRESSION_ENGINE: 'quickjs',
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		// The emulator of the service is on this machine.
		N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32,::1/128',
	},
};
