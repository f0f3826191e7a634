import { beforeEach } from 'vitest';

import { openHost, type OpenHost, type OpenOptions } from '../../hosts/open.mts';
import type { Credential, CredentialData, RestClient } from '../../hosts/rest.mts';
import type { Service } from '../../emulator/service.mts';
import { useComponent } from './component.mts';
import { known } from '../leads/expected.mts';
import { KEY, openAccount } from '../servers/service.mts';

/** An n8n with the package and a credential for the service. */
export interface TestHost extends OpenHost {
	readonly credential: Credential;
}

/** An n8n for the tests of a file, or of one of its groups. */
export function useHost(service: () => Service, options: OpenOptions): () => TestHost {
	return useComponent(async () => {
		await using resources = new AsyncDisposableStack();
		const host = resources.use(await openHost(options));
		const credential = await createCredential(host.client, service());
		resources.move();
		return { ...host, credential };
	});
}

/** An n8n whose credential is that of an account that nobody had before. */
export interface OwnAccount extends TestHost {
	readonly apiKey: string;
}

/** The same n8n, for each test with an account of its own: what the process bought before is not free for it. */
export function useOwnAccount(service: () => Service, running: () => TestHost): () => OwnAccount {
	let own: OwnAccount | undefined;
	beforeEach(async () => {
		own = await withOwnAccount(running(), service());
	});
	return () => known(own);
}

/** The same n8n with the credential of an account that nobody had before; it lasts until the service is reset. */
export async function withOwnAccount<Host extends Pick<OpenHost, 'client'>>(
	host: Host,
	service: Service,
): Promise<Host & Pick<OwnAccount, 'apiKey' | 'credential'>> {
	const apiKey = openAccount(service);
	return { ...host, apiKey, credential: await createCredential(host.client, service, apiKey) };
}

/** Gives n8n a credential for the service. */
export async function createCredential(
	client: RestClient,
	service: Pick<Service, 'baseUrl'>,
	apiKey = KEY,
): Promise<Credential> {
	const data = credentialData(service, apiKey);
	return await client.createCredential('Contact Data', 'contactDataApi', data);
}

/** What people fill into the credential. */
export function credentialData(
	{ baseUrl }: Pick<Service, 'baseUrl'>,
	apiKey = KEY,
): CredentialData {
	return { baseUrl, apiKey };
}
