import { openHost, type OpenHost, type OpenOptions } from '../../hosts/open.mts';
import type { Credential, CredentialData, RestClient } from '../../hosts/rest.mts';
import type { Service } from '../../emulator/service.mts';
import { useComponent } from './component.mts';
import { KEY } from '../servers/service.mts';

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

/** Gives n8n a credential for the service. */
export async function createCredential(
	client: RestClient,
	service: Pick<Service, 'baseUrl'>,
): Promise<Credential> {
	return await client.createCredential('Contact Data', 'contactDataApi', credentialData(service));
}

/** What people fill into the credential. */
export function credentialData({ baseUrl }: Pick<Service, 'baseUrl'>): CredentialData {
	return { baseUrl, apiKey: KEY };
}
