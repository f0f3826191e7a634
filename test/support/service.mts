import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { startService, type Service, type StartOptions } from '../service/service.mts';

/** Of an account that the service knows. */
export const KEY = 'test-key';

/**
 * A service for the tests of a file, as it was at its start for each of them. A request that breaks
 * the contract fails the test that sent it.
 */
export function useService(options: StartOptions = {}): () => Service {
	let service: Service | undefined;
	const running = () => {
		if (!service) throw new Error('The service runs inside tests only');
		return service;
	};
	beforeAll(async () => {
		service = await startService(options);
	});
	afterEach(() => {
		const { violations } = running();
		const seen = [...violations];
		running().reset();
		expect(seen).toEqual([]);
	});
	afterAll(async () => await service?.close());
	return running;
}

/** A credential for the service, with the given interface settings in force. */
export function credentialFor(
	{ baseUrl }: Service,
	settings: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	const customizeInterface = Object.keys(settings).length > 0;
	return { baseUrl, apiKey: KEY, customizeInterface, ...settings };
}
