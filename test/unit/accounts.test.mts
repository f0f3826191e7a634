/** @file No item ever travels with another item's key, and n8n reads the credential no more often than needed. */

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { Accounts } from '../../nodes/shared/client/accounts.ts';
import { credentialContext } from '../support/credentialContext.mts';
import { detailsOf, rejectionOf } from './thrown.mts';

/** The keys of the clients by item, and a note of the items for which the credential was read. */
function accountsOf(
	credentialOf: (item: number) => ICredentialDataDecryptedObject,
	isForAll: boolean,
) {
	const read: number[] = [];
	const context = credentialContext(async (item) => {
		read.push(item);
		return { credential: credentialOf(item), isForAll };
	});
	const opened: string[] = [];
	const accounts = new Accounts(context, {}, ({ connection }) => {
		opened.push(connection.apiKey);
		return connection.apiKey;
	});
	return { accounts, read, opened };
}

const credentialWith = (apiKey: string) => ({ baseUrl: 'https://api.example.com', apiKey });

describe('Accounts', () => {
	it('reads the credential once where it is the same for all items', async () => {
		const { accounts, read, opened } = accountsOf(() => credentialWith('key'), true);
		expect(accounts.common).toBeUndefined();
		for (const item of [4, 0, 7]) expect(await accounts.of(item)).toBe('key');
		expect([read, opened, accounts.common]).toEqual([[4], ['key'], 'key']);
	});

	it('reads it for each item where a field is an expression, and opens each account once', async () => {
		const { accounts, read, opened } = accountsOf(
			(item) => credentialWith(`key ${item % 2}`),
			false,
		);
		const found = [];
		for (const item of [0, 1, 2, 3]) found.push(await accounts.of(item));
		expect(found).toEqual(['key 0', 'key 1', 'key 0', 'key 1']);
		expect([read, opened, accounts.common]).toEqual([[0, 1, 2, 3], ['key 0', 'key 1'], undefined]);
	});

	it('gives items that ask at the same time each its own', async () => {
		const { accounts } = accountsOf((item) => credentialWith(`key ${item}`), false);
		expect(await Promise.all([0, 1, 2].map((item) => accounts.of(item)))).toEqual([
			'key 0',
			'key 1',
			'key 2',
		]);
	});

	it('reads a credential that cannot be used once where it is the same for all items', async () => {
		const { accounts, read } = accountsOf(() => ({ baseUrl: 'nowhere', apiKey: 'key' }), true);
		for (const item of [0, 1]) {
			const thrown = await rejectionOf(accounts.of(item));
			expect(detailsOf(thrown)).toMatchObject({ reason: 'refused_base_url' });
		}
		expect(read).toEqual([0]);
	});

	it('passes on why n8n has no credential', async () => {
		const { accounts } = accountsOf(() => {
			throw new Error('Credential with ID "1" does not exist');
		}, true);
		const thrown = await rejectionOf(accounts.of(0));
		expect(detailsOf(thrown)).toMatchObject({
			reason: 'refused_by_n8n',
			message: 'Credential with ID "1" does not exist',
		});
	});

	it('opens nothing once the run is over', async () => {
		const { accounts, opened } = accountsOf(() => credentialWith('key'), true);
		accounts.end();
		const thrown = await rejectionOf(accounts.of(0));
		expect(thrown).toMatchObject({ reason: 'stopped' });
		expect(opened).toEqual([]);
	});
});
