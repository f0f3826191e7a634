/** @file The lists of an account, wherever the service names them; a list by its id. */

import { expect, it } from 'vitest';

import { problemOf } from '../../nodes/shared/failures/failure.ts';
import { readLeadPage, readLists } from '../../nodes/shared/api/lists.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { listLocator, toListId } from '../../nodes/shared/reads/listLocator.ts';
import { thrownBy } from './thrown.mts';

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

it('the id of a list is digits, of any number; another one the editor refuses, and so does the node', () => {
	const refused = ['abc', '-1', '1.5', '1/leads', '../account', '1 2', '1?x=1', '１'];
	for (const id of refused) {
		expect(problemOf(thrownBy(() => toListId(id)))).toMatchObject({ reason: 'invalid_value' });
	}
	expect(toListId('9007199254740993')).toBe('9007199254740993');
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

it.each([
	[true, 42],
	// Only "when a keyword is given" it is the overall count.
	[false, null],
])('a page of leads, filtered: %s, is one of %j', (isFiltered, total) => {
	const data = [{ id: 9001 }, { id: 9000 }];
	const page = readLeadPage({ count_results: 42, next_start: 8999, data }, isFiltered);
	expect(page).toEqual({ results: data, next: 8999, total });
});
