/** @file After the end of a run no account is opened for an item whose credential was still being read. */

import { expect, it } from 'vitest';

import { Accounts } from '../../nodes/shared/client/accounts.ts';

it('opens nothing once the run is over', async () => {
	const credential = { baseUrl: 'https://api.example.com', apiKey: 'key' };
	const context = { credential: async () => ({ credential, isForAll: true }) };
	const opened: unknown[] = [];
	const open = (client: unknown) => opened.push(client);
	const accounts: Accounts<never> = Reflect.construct(Accounts, [context, {}, open]);
	const late = accounts.of(0);
	accounts.end();
	await expect(late).rejects.toMatchObject({ reason: 'stopped' });
	expect(opened).toEqual([]);
});
