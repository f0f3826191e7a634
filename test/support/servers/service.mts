import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { startService, type Service, type StartOptions } from '../../emulator/service.mts';

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

let opened = 0;

/**
 * Opens an account that lasts until the service is reset, and gives its key: nobody had it before
 * unless told, so that what the nodes learned of other accounts does not slow it down.
 */
export function openAccount(
	{ fixtures }: Service,
	key = `key-of-account-${(opened += 1)}`,
): string {
	const [example] = fixtures.accounts;
	if (!example) throw new Error('The service has no account');
	fixtures.accounts.push({ ...example, key });
	return key;
}

/** A credential for the service, with the given interface settings in force. */
export function credentialFor(
	{ baseUrl }: Service,
	settings: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	const customizeInterface = Object.keys(settings).length > 0;
	return { baseUrl, apiKey: KEY, customizeInterface, ...settings };
}

/** The credential of an account that nobody had before. */
export function ofNewAccount(
	service: Service,
	settings?: ICredentialDataDecryptedObject,
): ICredentialDataDecryptedObject {
	return { ...credentialFor(service, settings), apiKey: openAccount(service) };
}
