/** @file Until when an account runs, in whichever time zone the service writes it. */

import { expect, test } from 'vitest';

import { runNode } from '../support/engine.mts';
import { giveJson, useServer } from '../support/ownServer.mts';

const serve = useServer();

test.each([
	['2027-01-02 10:00:00+02', '2027-01-02T08:00:00.000Z'],
	['2027-01-02 10:00:00-05', '2027-01-02T15:00:00.000Z'],
	['2027-01-02 10:00:00 +02:00', '2027-01-02T08:00:00.000Z'],
	['2027-01-02 10:00:00.000000+00', '2027-01-02T10:00:00.000Z'],
	['2027-01-02 10:00:00 EST', '2027-01-02T15:00:00.000Z'],
	['Sat, 02 Jan 2027 10:00:00 PST', '2027-01-02T18:00:00.000Z'],
	['Sat Jan 02 2027 10:00:00 GMT+0100 (CET)', '2027-01-02T09:00:00.000Z'],
	['2027-01-02 10:00:00', '2027-01-02T10:00:00.000Z'],
])('%s', async (expiry, renewsAt) => {
	const baseUrl = await serve((_, response) =>
		giveJson(response, { email: 'ada@engine.example', expiry, credits: { remaining: 1 } }),
	);
	const { json } = await runNode({
		node: 'contactDataAccount',
		parameters: { operation: 'get' },
		credential: { baseUrl, apiKey: 'test-key' },
	});
	expect(json).toMatchObject([{ renewsAt }]);
});
