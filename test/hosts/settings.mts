import { environment } from '../machine/program.mjs';
import type { HostVersion } from './versions.mts';

interface Where {
	port: number;
	brokerPort: number;
	userFolder: string;
}

/** The settings of a host that listens on this machine only, keeps its data in its own folder and calls nobody. */
export function hostSettings({ port, brokerPort, userFolder }: Where): NodeJS.ProcessEnv {
	return {
		...inherited(),
		NO_COLOR: '1',

		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_PYTHON_ENABLED: 'false',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',

		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'a key for throw-away data',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		DB_TYPE: 'sqlite',
		DB_SQLITE_POOL_SIZE: '4',
		// Where a busy machine answers a ping too late, n8n refuses every request.
		DB_PING_INTERVAL_SECONDS: '3600',

		N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_REINSTALL_MISSING_PACKAGES: 'false',

		EXTERNAL_FRONTEND_HOOKS_URLS: '',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	};
}

/** Leaves out what no execution needs and what takes more than half of a start: the editor, Code nodes, modules. */
export function leanSettings({ spareModules }: HostVersion): NodeJS.ProcessEnv {
	return {
		N8N_DISABLE_UI: 'true',
		N8N_PUBLIC_API_DISABLED: 'true',
		N8N_RUNNERS_MODE: 'external',
		N8N_RUNNERS_AUTH_TOKEN: 'of no runner',
		N8N_DISABLED_MODULES: spareModules,
	};
}

/** What a program needs of the caller's environment; nothing that configures n8n, npm or a proxy. */
function inherited(): NodeJS.ProcessEnv {
	const { PATH, HOME, USER, LANG, TMPDIR, TZ } = environment();
	return { PATH, HOME, USER, LANG, TMPDIR, TZ };
}
