/** @file The lists of an account, wherever the service names them; a list by its id; a page of its leads. */

import { describe, expect, it } from 'vitest';

import { readLeadPage, readLists } from '../../nodes/shared/api/lists.ts';
import { listLocator, toListId } from '../../nodes/shared/reads/listLocator.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { thrownBy } from './thrown.mts';
import { problemOf } from '../../nodes/shared/failures/failure.ts';

/** The lists of a service that answers a request for them with this status, and has this account. */
async function listsOf(statusCode: number, account: object): Promise<unknown> {
	const get = async (path: string) =>
		path === '/api/v2/list' ? readResponse({ statusCode, headers: {}, body: {} }) : account;
	return await readLists({ get });
}

it.each([400, 404, 405])('the lists are those of the account after a %i', async (code) => {
	const lists = [{ id: 101, name: 'Conference' }];
	expect(await listsOf(code, { lists })).toEqual(lists);
	expect(await listsOf(code, { lists: [] })).toEqual([]);
	// An account that names no lists may have some.
	for (const account of [{ lists: 'none' }, [], {}, { email: 'ada@acme.com' }]) {
		const told = { reason: 'unexpected_answer' };
		await expect(listsOf(code, account)).rejects.toMatchObject(told);
	}
});

describe('the id of a list', () => {
	const refused = ['abc', '-1', '1.5', '1/leads', '../account', '1 2', '1?x=1', '１'];

	it('is digits, of any number', () => {
		for (const id of ['101', '0', '9007199254740993']) expect(toListId(id)).toBe(id);
	});

	it.each([...refused, ''])('is not %j', (id) => {
		const reason = id === '' ? 'missing_list' : 'invalid_value';
		expect(problemOf(thrownBy(() => toListId(id)))).toMatchObject({ reason });
	});

	it('is refused by the editor where the node refuses it', () => {
		const rules = (listLocator.modes ?? []).flatMap(({ validation }) => validation ?? []);
		const patterns = rules.flatMap((rule) => {
			const properties = 'properties' in rule ? rule.properties : {};
			return 'regex' in properties ? [String(properties.regex)] : [];
		});
		expect(patterns).toHaveLength(1);
		const accepts = (text: string) => new RegExp(patterns[0]).test(text);
		expect(['101', ' 101 ', '0'].filter(accepts)).toHaveLength(3);
		expect(['', ...refused].filter(accepts)).toEqual([]);
	});
});

it.each<[next: unknown, isFiltered: boolean, read: object]>([
	[8999, true, { next: 8999, total: 42 }],
	// Only "when a keyword is given" it is the overall count.
	[8999, false, { next: 8999, total: null }],
	...[null, 0, ''].map((end): [unknown, boolean, object] => [
		end,
		false,
		{ next: null, total: null },
	]),
])('a page of leads with the next start %j, filtered: %s', (next_start, isFiltered, read) => {
	const data = [{ id: 9001 }, { id: 9000 }];
	const page = readLeadPage({ count_results: 42, next_start, data }, isFiltered);
	expect(page).toEqual({ results: data, ...read });
});

it.each([{}, { data: {} }, { data: [1] }, [[{ id: 1 }]]])(
	'the leads of a list do not end with %j',
	(body) => {
		expect(thrownBy(() => readLeadPage(body, false))).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without a page of leads',
		});
	},
);
