/** @file The lists of an account, wherever the service names them. */

import { describe, expect, it } from 'vitest';

import { readLists } from '../../nodes/shared/reads/lists.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { detailsOf, rejectionOf } from './thrown.mts';

/** A service with these responses by path, and a note of what was read. */
function serviceWith(responses: Record<string, [statusCode: number, body: unknown]>) {
	const asked: string[] = [];
	const get = async (path: string): Promise<object> => {
		asked.push(path);
		const [statusCode, body] = responses[path] ?? [500, {}];
		return readResponse({ statusCode, headers: {}, body });
	};
	return { asked, get };
}

describe('readLists', () => {
	const lists = [{ id: 101, name: 'Conference' }];

	it('reads the lists', async () => {
		const { asked, get } = serviceWith({ '/api/v2/list': [200, lists] });
		expect(await readLists({ get })).toEqual(lists);
		expect(asked).toEqual(['/api/v2/list']);
	});

	it('reads those of the account where the service has no path for them', async () => {
		const { asked, get } = serviceWith({
			'/api/v2/list': [404, {}],
			'/api/v2/account': [200, { email: 'ada@acme.com', lists }],
		});
		expect(await readLists({ get })).toEqual(lists);
		expect(asked).toEqual(['/api/v2/list', '/api/v2/account']);
	});

	it('has none where the account names none', async () => {
		const { get } = serviceWith({
			'/api/v2/list': [404, {}],
			'/api/v2/account': [200, { email: 'ada@acme.com' }],
		});
		expect(await readLists({ get })).toEqual([]);
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
			const thrown = await rejectionOf(readLists(serviceWith(responses)));
			const message = 'The service sent a response without a list of lists';
			expect(detailsOf(thrown)).toMatchObject({
				reason,
				...(reason === 'unexpected_answer' && { message }),
			});
		},
	);
});
