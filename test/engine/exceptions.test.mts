/** @file Whatever throws, where nothing should: every question is settled, and the run ends. */

import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answerIn, bulks, findBulk, leadOf, numbers, verifyBulk } from '../support/bulk.mts';
import {
	find,
	lookups,
	runLookup,
	sentAfterwards,
	verify,
	type Lookup,
} from '../support/lookups.mts';
import { useServer } from '../support/ownServer.mts';
import { useService } from '../support/service.mts';

const service = useService();

/** The function of the finder that throws, for what the lead with this name has to do with. */
const fault = vi.hoisted(() => ({ at: '', times: 0, lead: '' }));

/** The same functions, but for the one that throws. */
const throwing = vi.hoisted(
	() =>
		function throwing(module: object): object {
			const functions = Object.entries(module).map(([name, original]): [string, unknown] => {
				// What the operations of a node share is an object of functions.
				const isShared = typeof original === 'object' && original !== null && 'prepare' in original;
				if (isShared) return [name, throwing(original)];
				if (typeof original !== 'function') return [name, original];
				const instead = (...values: unknown[]): unknown => {
					if (name === fault.at && fault.times > 0 && JSON.stringify(values).includes(fault.lead)) {
						fault.times--;
						throw new TypeError('Nobody thought of that');
					}
					return original(...values);
				};
				return [name, instead];
			});
			return Object.fromEntries(functions);
		},
);

vi.mock(import('../../nodes/Finder/bulk.ts'), async (load) => throwing(await load()));
vi.mock(import('../../nodes/Finder/person.ts'), async (load) => throwing(await load()));

afterEach(() => {
	fault.at = '';
});

/** How long a run may take at most, in milliseconds: one that hangs does not end at all. */
const soon = 10_000;

describe.each([find, findBulk])('an exception in the code of $operation', (lookup) => {
	const length = lookup.perRequest > 1 ? 2 * lookup.perRequest + 20 : 30;
	const wanted = numbers(length);
	/** Somebody whose email is known. */
	const failing = wanted.find((number) => number > 3 && lookup.subject(number) !== null) ?? 0;
	const affected = wanted.slice(0, Math.max(lookup.perRequest, failing + 1));

	const ofBulk = lookup.perRequest > 1 ? ['toRows', 'matchRows'] : [];
	const places = ['hasEmail', 'simplifyFoundEmail', ...ofBulk];

	function failAt(place: string, times = Number.POSITIVE_INFINITY): void {
		Object.assign(fault, { at: place, times, lead: leadOf(failing).first });
	}

	test('before anything is sent for the item: it fails alone', async () => {
		service().options.latencyMs = 5;
		failAt(lookup.perRequest > 1 ? 'prepare' : 'toPersonQuestion');
		const { error, json } = await runLookup(lookup, service(), wanted.map(leadOf));
		expect(error).toBeUndefined();
		expect(json[failing]).toMatchObject({
			status: 'failed',
			reason: 'unexpected',
			message: expect.stringContaining('Nobody thought of that'),
			credits: 0,
		});
		const others = wanted.filter((number) => number !== failing);
		expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
		expect(await sentAfterwards(service())).toEqual([]);
	});

	test.each(places)(
		'%s: the items of other requests have their answers, and the run ends',
		async (place) => {
			failAt(place);
			const { json, error } = await runLookup(lookup, service(), wanted.map(leadOf));
			expect(error).toBeUndefined();
			expect(json).toHaveLength(length);
			const others = wanted.slice(affected.length);
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
		},
		soon,
	);

	test.each(['toPersonQuestion', ...places])(
		'%s: with Retry On Fail the second try has all answers',
		async (place) => {
			failAt(place, 1);
			const { json, error } = await runLookup(lookup, service(), wanted.map(leadOf), {
				options: { incompleteRun: 'fail' },
				retryOnFail: true,
				maxTries: 2,
			});
			expect(error).toBeUndefined();
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		},
		soon,
	);
});

describe.each(lookups)('half a character in the input of $operation', (lookup) => {
	const wanted = numbers(2 * lookup.perRequest + 5);
	const odd = Math.floor(wanted.length / 2);
	/** A lone surrogate, which no request can carry. */
	const halved = (item: IDataObject) =>
		Object.fromEntries(
			Object.entries(item).map(([name, text]) => [name, String(text).replace(/ann/i, 'A\ud83dnn')]),
		);
	const items = wanted.map((number) =>
		number === odd ? halved(lookup.item(number)) : lookup.item(number),
	);

	test.each([false, true])(
		'costs no other item its answer, with Retry On Fail %s',
		async (retryOnFail) => {
			const { json, error } = await runLookup(lookup, service(), items, {
				retryOnFail,
				maxTries: 2,
			});
			expect(error).toBeUndefined();
			expect(json).toHaveLength(items.length);
			const others = wanted.filter((number) => number !== odd);
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
			const paid = service().ledger.bySubject();
			expect(Math.max(...paid.values())).toBe(1);
			for (const number of others) {
				expect(paid.has(lookup.subject(number) ?? '')).toBe(lookup.subject(number) !== null);
			}
		},
		soon,
	);
});

test.each([verify, verifyBulk])(
	'half a character is known not to be part of an email, for free: $operation',
	async (lookup) => {
		const { json } = await runLookup(lookup, service(), [{ email: 'a\ud83db@c.bulk.example' }]);
		expect(json).toMatchObject([{ status: 'verified', emailStatus: 'invalid' }]);
		expect(service().requests).toEqual([]);
	},
);

describe('an answer that nobody would think of', () => {
	const serve = useServer();

	/** So deep that nothing recursive gets to the bottom of it. */
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

	const bodies: Array<[string, string]> = [
		['lists in lists', deep],
		['lists in a field', `{"email": "a@b.example", "email_status": "valid", "more": ${deep}}`],
		['rows that are none', '[null, 1, "text", [], {}]'],
		['rows without what they are known by', '[{"email": {"at": "b"}}, {"tId": []}]'],
		['fields of another kind', '{"email": ["a"], "email_status": {}, "quality": 7, "results": 1}'],
		['names that objects have', '{"__proto__": null, "constructor": 1, "results": {"length": 9}}'],
		['a job without end', '{"id": {}, "status": ["processing"], "results": null}'],
		['a job whose rows are text', '{"id": 7, "status": "processing", "results": "none"}'],
	];

	const hostile: Lookup[] = [find, verify, ...bulks];

	test.each(hostile.flatMap((lookup) => bodies.map(([title, body]) => ({ title, body, lookup }))))(
		'$title, to $lookup.operation',
		async ({ body, lookup }) => {
			const baseUrl = await serve((_, response) => {
				response.writeHead(200, { 'content-type': 'application/json' }).end(body);
			});
			const wanted = numbers(3);
			const { json } = await runLookup(lookup, service(), wanted.map(lookup.item), {
				credential: { baseUrl, apiKey: 'test-key' },
				onError: 'continueRegularOutput',
				options: { jobTimeout: 0 },
				retryOnFail: true,
				maxTries: 2,
			});
			expect(json).toHaveLength(wanted.length);
			for (const { status } of json)
				expect(status).toMatch(/^(found|verified|failed|pending|not_found)$/);
		},
		soon,
	);
});
