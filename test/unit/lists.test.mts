/** @file The lists of an account, wherever the service names them; and what may be the id of one. */

import { describe, expect, it } from 'vitest';

import { checkListId } from '../../nodes/shared/listLocator.ts';
import { readLists } from '../../nodes/shared/lists.ts';
import { readAnswer } from '../../nodes/shared/request/answer.ts';
import { InvalidInput } from '../../nodes/shared/request/outcome.ts';
import { detailsOf, rejectionOf, thrownBy } from './thrown.mts';

/** A service with these responses by path, and a note of what was asked. */
function serviceWith(responses: Record<string, [statusCode: number, body: unknown]>) {
	const asked: string[] = [];
	const get = async (path: string): Promise<object> => {
		asked.push(path);
		const [statusCode, body] = responses[path] ?? [500, {}];
		return readAnswer({ statusCode, headers: {}, body });
	};
	return { asked, get };
}

describe('readLists', () => {
	const lists = [{ id: 101, name: 'Conference' }];

	it('reads the lists', async () => {
		const { asked, get } = serviceWith({ '/api/v2/list': [200, lists] });
		expect(await readLists(get)).toEqual(lists);
		expect(asked).toEqual(['/api/v2/list']);
	});

	it('reads those of the account where the service has no path for them', async () => {
		const { asked, get } = serviceWith({
			'/api/v2/list': [404, {}],
			'/api/v2/account': [200, { email: 'ada@acme.com', lists }],
		});
		expect(await readLists(get)).toEqual(lists);
		expect(asked).toEqual(['/api/v2/list', '/api/v2/account']);
	});

	it('has none where the account names none', async () => {
		const { get } = serviceWith({
			'/api/v2/list': [404, {}],
			'/api/v2/account': [200, { email: 'ada@acme.com' }],
		});
		expect(await readLists(get)).toEqual([]);
	});

	it.each([
		['a 404 that is not of the service', { '/api/v2/list': [404, '<html>'] }, 'not_the_service'],
		['a 401', { '/api/v2/list': [401, {}] }, 'unauthorized'],
		['an answer without lists', { '/api/v2/list': [200, { lists: 3 }] }, 'unexpected_answer'],
		[
			'an account with something else for lists',
			{ '/api/v2/list': [404, {}], '/api/v2/account': [200, { lists: 'none' }] },
			'unexpected_answer',
		],
		[
			'a list for an account',
			{ '/api/v2/list': [404, {}], '/api/v2/account': [200, []] },
			'unexpected_answer',
		],
	] satisfies Array<[string, Record<string, [number, unknown]>, string]>)(
		'does not take %s for no lists',
		async (_, responses, reason) => {
			const thrown = await rejectionOf(readLists(serviceWith(responses).get));
			expect(detailsOf(thrown).reason).toBe(reason);
		},
	);
});

describe('checkListId', () => {
	it.each([['101'], ['0'], ['9007199254740993']])('accepts %j', (id) => {
		expect(checkListId(id)).toBeUndefined();
	});

	it.each([
		[''],
		['abc'],
		['-1'],
		['1.5'],
		['1/leads'],
		['../account'],
		['101\n'],
		['1 2'],
		['1?x=1'],
	])('refuses %j', (id) => {
		const thrown = thrownBy(() => checkListId(id));
		expect(thrown).toBeInstanceOf(InvalidInput);
		expect(String(thrown)).toContain('list ID (digits only)');
	});
});
