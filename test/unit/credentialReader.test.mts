/** @file No item ever travels with another item's key, and n8n reads the credential no more often than needed. */

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';

import { CREDENTIAL } from '../../nodes/shared/host/context.ts';
import { CredentialReader, soleConnection } from '../../nodes/shared/client/accounts.ts';
import { detailsOf, rejectionOf } from './thrown.mts';

/** A credential by item, and a note of the items for which it was read. */
function readerOf(
	credentialOf: (item: number) => ICredentialDataDecryptedObject,
	isForAll: boolean,
) {
	const read: number[] = [];
	const reader = new CredentialReader({
		async credential(item) {
			read.push(item);
			return { credential: credentialOf(item), isForAll };
		},
	});
	return { reader, read };
}

const credentialWith = (apiKey: string) => ({ baseUrl: 'https://api.example.com', apiKey });

describe('CredentialReader', () => {
	it('reads the credential once where it is the same for all items', async () => {
		const { reader, read } = readerOf(() => credentialWith('key'), true);
		expect(reader.common).toBeUndefined();
		const connections = [];
		for (const item of [4, 0, 7]) connections.push(await reader.connection(item));
		expect(read).toEqual([4]);
		expect(new Set(connections).size).toBe(1);
		expect(reader.common).toBe(connections[0]);
	});

	it('reads it for each item where a field is an expression', async () => {
		const { reader, read } = readerOf((item) => credentialWith(`key of ${item % 2}`), false);
		const connections = [];
		for (const item of [0, 1, 2, 3]) connections.push(await reader.connection(item));
		expect(read).toEqual([0, 1, 2, 3]);
		expect(connections.map(({ apiKey }) => apiKey)).toEqual([
			'key of 0',
			'key of 1',
			'key of 0',
			'key of 1',
		]);
		// Items of one account share a connection.
		expect(connections[0]).toBe(connections[2]);
		expect(connections[1]).toBe(connections[3]);
		expect(reader.common).toBeUndefined();
	});

	it('gives items that ask at the same time each its own', async () => {
		const { reader } = readerOf((item) => credentialWith(`key of ${item}`), false);
		const connections = await Promise.all([0, 1, 2].map((item) => reader.connection(item)));
		expect(connections.map(({ apiKey }) => apiKey)).toEqual(['key of 0', 'key of 1', 'key of 2']);
	});

	it('fails for an item whose Base URL must not get the key, and for no other', async () => {
		const { reader } = readerOf(
			(item) => ({ ...credentialWith('key'), ...(item === 1 && { baseUrl: 'http://evil.org' }) }),
			false,
		);
		expect((await reader.connection(0)).apiKey).toBe('key');
		expect(detailsOf(await rejectionOf(reader.connection(1))).reason).toBe('refused_base_url');
		expect((await reader.connection(2)).apiKey).toBe('key');
	});

	it('reads a credential once, too, whose Base URL must not get the key', async () => {
		const { reader, read } = readerOf(() => ({ apiKey: 'key', baseUrl: 'http://evil.org' }), true);
		const refusals = [];
		for (const item of [4, 0]) refusals.push(await rejectionOf(reader.connection(item)));
		expect(refusals.map((thrown) => detailsOf(thrown).reason)).toEqual(
			Array(2).fill('refused_base_url'),
		);
		expect(read).toEqual([4]);
	});

	it('does not take what n8n cannot read for a connection to the service that was lost', async () => {
		const reader = new CredentialReader({
			async credential() {
				throw Object.assign(new Error('The database is gone'), { code: 'ECONNRESET' });
			},
		});
		expect(detailsOf(await rejectionOf(reader.connection(0)))).toMatchObject({
			reason: 'refused_by_n8n',
			message: 'The database is gone',
			mayBeCharged: false,
		});
	});

	it("passes n8n's words on where there is no credential, and tries again for the next item", async () => {
		let tried = 0;
		const reader = new CredentialReader({
			async credential() {
				if (tried++ === 0) throw new Error('Credential with ID "1" does not exist');
				return { credential: credentialWith('key'), isForAll: true };
			},
		});
		expect(detailsOf(await rejectionOf(reader.connection(0)))).toMatchObject({
			reason: 'refused_by_n8n',
			message: 'Credential with ID "1" does not exist',
			mayBeCharged: false,
		});
		expect((await reader.connection(1)).apiKey).toBe('key');
	});
});

describe('soleConnection', () => {
	it('is that of the credential', async () => {
		const getCredentials = vi.fn();
		getCredentials.mockResolvedValue(credentialWith('key'));
		expect((await soleConnection({ getCredentials })).apiKey).toBe('key');
		expect(getCredentials).toHaveBeenCalledWith(CREDENTIAL);
	});

	it("passes n8n's words on where there is no credential", async () => {
		const refused = soleConnection({
			async getCredentials() {
				throw new Error('Credential with ID "1" does not exist');
			},
		});
		expect(detailsOf(await rejectionOf(refused))).toMatchObject({
			reason: 'refused_by_n8n',
			message: 'Credential with ID "1" does not exist',
		});
	});
});
