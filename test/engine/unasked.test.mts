/** @file What is not asked: an item without an email is skipped first, and a known one by any form of its date. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { find, runLookup, verify, type Lookup } from '../support/lookups.mts';
import { findBulk, verifyBulk } from '../support/bulk.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const DAY = 24 * 60 * 60_000;

/** Fails for every item that has no text there. */
const FAILING = '={{ $json.emailStatus.removeMarkdown() }}';

describe.each<[string, Pick<Lookup, 'node' | 'parameters'>]>([
	['verify', verify],
	['verifyBulk', verifyBulk],
])('%s with Skip Items Without an Email', (_, lookup) => {
	const verified = async (items: IDataObject[], parameters = {}, options = { skipEmpty: true }) =>
		await runLookup(lookup, service(), items, {
			options,
			onError: 'continueRegularOutput',
			parameters: { existingStatus: FAILING, includeInputFields: true, ...parameters },
		});

	test('skips an item whose Existing Status fails, as it has no email', async () => {
		const { json, error } = await verified([
			{ name: 'none' },
			{ name: 'empty', email: '', emailStatus: null },
			{ name: 'blank', email: ' ', emailStatus: 5 },
			{ name: 'known', email: 'ada@acme.example', emailStatus: 'valid' },
		]);
		expect(error).toBeUndefined();
		expect(json.map(({ name, status }) => [name, status])).toEqual([
			['none', 'skipped'],
			['empty', 'skipped'],
			['blank', 'skipped'],
			['known', 'known'],
		]);
		expect(service().requests).toEqual([]);
	});

	test('says what fails of an item that has an email', async () => {
		const { json } = await verified([{ email: 'ada@acme.example' }, { email: 'no address' }]);
		expect(json).toMatchObject(
			[1, 2].map(() => ({ status: 'invalid_input', reason: 'expression: Existing Status' })),
		);
		expect(service().requests).toEqual([]);
	});

	test('says what fails of an item whose Email does', async () => {
		const email = '={{ $json.missing.removeMarkdown() }}';
		const { json } = await verified([{ emailStatus: '' }], { email });
		expect(json).toMatchObject([{ status: 'invalid_input', reason: 'expression: Email' }]);
	});

	test('says what fails where nothing is to be skipped', async () => {
		const { json } = await verified([{ name: 'none' }], {}, { skipEmpty: false });
		expect(json).toMatchObject([
			{ status: 'invalid_input', reason: 'expression: Existing Status' },
		]);
	});
});

describe.each([find, findBulk])('$operation with a date in Checked At', (lookup) => {
	/** The day, so many days ago, as `20261120`. */
	const basic = (daysAgo: number) => extended(daysAgo).slice(0, 10).replaceAll('-', '');
	const extended = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY).toISOString();

	test.each<[string, (daysAgo: number) => unknown]>([
		['20261120', basic],
		['20261120T101010Z', (daysAgo) => `${basic(daysAgo)}T101010Z`],
		['20261120T1010+0530', (daysAgo) => `${basic(daysAgo)}T1010+0530`],
		['2026-11-20T10Z', (daysAgo) => `${extended(daysAgo).slice(0, 10)}T10Z`],
		['2026-11-20T10:00:00,123Z', (daysAgo) => extended(daysAgo).replace('.', ',')],
		['2026-11-20T10:00:00.123Z', extended],
	])('such as %s knows a fresh email, and asks again for an old one', async (_, write) => {
		const lead = lookup.item(1);
		const { json } = await runLookup(
			lookup,
			service(),
			[3, 80, 100].map((daysAgo) => ({
				...lead,
				email: 'ada@acme.example',
				at: String(write(daysAgo)),
			})),
			{
				credential: credentialFor(service()),
				options: { checkedAt: '={{ $json.at }}' },
				parameters: { existingEmail: '={{ $json.email }}' },
			},
		);
		expect(json.map(({ status }) => status)).toEqual([
			...['known', 'known'],
			lookup.answer(1).status,
		]);
		expect(service().requests).toHaveLength(1);
	});
});
