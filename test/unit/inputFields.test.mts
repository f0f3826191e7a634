/** @file What a result does to the fields of the input: who a lead is stays, and nothing is ever erased. */

import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { arrangedItem, LEAD_FIELDS, type Arrangement } from '../../nodes/shared/output/fields.ts';

/** The fields of the output item, where the input comes along. */
function arranged(json: IDataObject, result: IDataObject, own: Partial<Arrangement> = {}) {
	const arrangement = { includesInput: true, keeps: LEAD_FIELDS, ...own };
	return arrangedItem({ json }, 3, result, arrangement).json;
}

describe('the output item', () => {
	it('without the input is the result alone, linked to its input', () => {
		const input = { json: { id: 1, email: 'old@acme.com' }, binary: {} };
		const result = { status: 'found', email: null, firstName: null };
		expect(arrangedItem(input, 3, result, { includesInput: false })).toEqual({
			json: result,
			pairedItem: { item: 3 },
		});
		expect(arrangedItem(input, 3, result, { includesInput: false, resultField: 'lookup' })).toEqual(
			{
				json: { lookup: result },
				pairedItem: { item: 3 },
			},
		);
	});

	it('has the binary data of the input only where the input comes along', () => {
		const binary = { photo: { data: 'AAAA', mimeType: 'image/png' } };
		const input: INodeExecutionData = { json: { id: 1 }, binary, pairedItem: { item: 7 } };
		const result = { status: 'found' };
		expect(arrangedItem(input, 3, result, { includesInput: true })).toEqual({
			json: { id: 1, status: 'found' },
			binary,
			pairedItem: { item: 3 },
		});
		expect(arrangedItem(input, 3, result, { includesInput: false })).not.toHaveProperty('binary');
		const without = arrangedItem({ json: {} }, 3, result, { includesInput: true });
		expect(without).not.toHaveProperty('binary');
	});

	it('does not change what it is made of', () => {
		const input = Object.freeze({ status: 'failed', reason: 'connection', error: 'x', email: 'a' });
		const result = Object.freeze({ status: 'found', email: 'b' });
		arranged(input, result);
		arranged(input, result, { resultField: 'error' });
		expect(input).toEqual({ status: 'failed', reason: 'connection', error: 'x', email: 'a' });
		expect(result).toEqual({ status: 'found', email: 'b' });
	});
});

describe('a result beside the input', () => {
	it('has the fields of the input first, then those of the result', () => {
		const names = Object.keys(arranged({ b: 1, a: 2 }, { status: 'found', c: 3 }));
		expect(names).toEqual(['b', 'a', 'status', 'c']);
	});

	it.each(LEAD_FIELDS)('leaves %s as it came, and fills it where the input lacks it', (name) => {
		const result = { status: 'found', [name]: 'of the service' };
		expect(arranged({ [name]: 'of the user' }, result)[name]).toBe('of the user');
		expect(arranged({ [name]: 0 }, result)[name]).toBe(0);
		expect(arranged({ [name]: false }, result)[name]).toBe(false);
		for (const lacking of [{}, { [name]: null }, { [name]: '' }, { [name]: ' \n' }]) {
			expect(arranged(lacking, result)[name]).toBe('of the service');
		}
	});

	it.each(LEAD_FIELDS)('replaces %s where the operation does not keep it', (name) => {
		const result = { status: 'found', [name]: 'of the service' };
		expect(arranged({ [name]: 'of the user' }, result, { keeps: [] })[name]).toBe('of the service');
		expect(arranged({ [name]: 'of the user' }, result, { keeps: undefined })[name]).toBe(
			'of the service',
		);
	});

	it.each([['new@acme.com'], [0], [false]])('replaces any other field, by %j', (email) => {
		expect(arranged({ email: 'old@acme.com' }, { status: 'found', email }).email).toBe(email);
	});

	it.each([[null], [undefined], ['']])('erases nothing by a value that is %j', (absent) => {
		const input = { email: 'old@acme.com', firstName: 'Ada', accuracy: 0, checkedAt: '' };
		const result = { email: absent, firstName: absent, accuracy: absent, checkedAt: absent };
		expect(arranged(input, { status: 'not_found', ...result })).toEqual({
			...input,
			status: 'not_found',
		});
	});

	it('leaves the time of the last check, and who the lead is, where nothing was found', () => {
		const input = { firstName: 'Ada', checkedAt: '2026-01-01', email: 'old@acme.com' };
		const result = { firstName: 'Ida', checkedAt: '2026-11-21', email: 'new@acme.com' };
		expect(arranged(input, result, { isMiss: true })).toEqual({
			...result,
			...input,
			email: result.email,
		});
		expect(arranged(input, result).checkedAt).toBe('2026-11-21');
	});

	it('costs what it did cost now, even where that is not known', () => {
		const input = { status: 'active', credits: 5 };
		expect(arranged(input, { status: 'failed', credits: null }).credits).toBeNull();
	});

	it('has every field of the result, also those that the service has no value for', () => {
		const result = { status: 'not_found', email: null, firstName: null };
		expect(arranged({ id: 1 }, result)).toEqual({ id: 1, ...result });
	});

	it.each([
		['a text', 'It failed'],
		['nothing', null],
		['what another node says of a failure', { message: 'It failed' }],
	])('leaves out an error of the input that is %s', (_, error) => {
		expect(arranged({ id: 1, error }, { status: 'found' })).toEqual({ id: 1, status: 'found' });
	});

	it('has the error of a result, never that of the input', () => {
		expect(arranged({ error: 'old' }, { status: 'found', error: 'new' }).error).toBe('new');
		expect(arranged({ error: 'old' }, { status: 'found', error: null }).error).toBeNull();
	});
});

describe('the words of an earlier lookup', () => {
	const told = { reason: 'connection', message: 'Lost', httpCode: 503, jobId: '12', jobRow: 3 };

	it.each([
		'found',
		'verified',
		'known',
		'skipped',
		'not_found',
		'invalid_input',
		'not_processed',
		'pending',
		'failed',
	])('go with its status %s, when a result replaces it', (status) => {
		expect(arranged({ id: 1, status, ...told }, { status: 'found' })).toEqual({
			id: 1,
			status: 'found',
		});
	});

	it.each([['active'], ['Found'], [''], [null], [undefined], [5], [['failed']], ['toString']])(
		'are none beside a status of %j, and stay',
		(status) => {
			expect(arranged({ status, ...told }, { status: 'found' })).toEqual({
				...told,
				status: 'found',
			});
		},
	);

	it('are replaced by those of a result that has some', () => {
		const result = { status: 'failed', reason: 'rate_limited', message: 'Busy', httpCode: null };
		expect(arranged({ id: 1, status: 'pending', ...told }, result)).toEqual({ id: 1, ...result });
	});

	it('stay where a result says nothing of its status', () => {
		const input = { status: 'failed', ...told };
		expect(arranged(input, { companyName: 'Acme' })).toEqual({ ...input, companyName: 'Acme' });
		expect(arranged(input, { status: null, companyName: 'Acme' })).toEqual({
			...input,
			companyName: 'Acme',
		});
	});

	it('go with the status, where a result without one says all the same how the item is now', () => {
		const input = { id: 1, status: 'pending', ...told };
		const isAnswer = true;
		expect(arranged(input, { row_id: '1', email: 'a' }, { isAnswer })).toEqual({
			id: 1,
			row_id: '1',
			email: 'a',
		});
		expect(arranged(input, { status: null, email: 'a' }, { isAnswer })).toEqual({
			id: 1,
			status: null,
			email: 'a',
		});
		// A status of somebody else is none of ours, nor are the words beside it.
		const others = { id: 1, status: 'active', ...told };
		expect(arranged(others, { email: 'a' }, { isAnswer })).toEqual({ ...others, email: 'a' });
		// What is passed on stays passed on.
		expect(arranged(input, { status: 'skipped' }, { isAnswer })).toEqual(input);
	});

	it('stay where the result goes under a name of its own', () => {
		const input = { status: 'failed', ...told };
		const result = { status: 'found', message: null };
		expect(arranged(input, result, { resultField: 'lookup' })).toEqual({
			...input,
			lookup: result,
		});
	});
});

describe('an item that is passed on', () => {
	it('as known has its status, and what it brought, in our words', () => {
		const input = { email: 'ada@acme.com', emailStatus: 'OK', status: 'failed', reason: 'x' };
		const result = { status: 'known', emailStatus: 'valid', credits: 0 };
		expect(arranged(input, result)).toEqual({
			email: 'ada@acme.com',
			emailStatus: 'valid',
			status: 'known',
			credits: 0,
		});
	});

	const skipped = { status: 'skipped', credits: 0 };

	it.each([['not_found'], ['failed'], ['active'], [5], [false]])(
		'as skipped keeps the status that it has, %j, and all else as it came',
		(status) => {
			const input = { id: 1, email: '', status, reason: 'x', message: 'y', jobId: '12', jobRow: 3 };
			expect(arranged(input, skipped)).toEqual({ ...input, credits: 0 });
		},
	);

	it.each([[{}], [{ status: null }], [{ status: '' }], [{ status: ' ' }]])(
		'as skipped gets its status where it has none: %j',
		(input) => {
			expect(arranged({ ...input, reason: 'x' }, skipped)).toEqual({ ...skipped, reason: 'x' });
		},
	);

	it('as skipped is free, whatever an earlier lookup did cost', () => {
		expect(arranged({ status: 'found', credits: 1 }, skipped)).toEqual({
			status: 'found',
			credits: 0,
		});
	});
});

describe('a result under a name of its own', () => {
	it('has all that the lookup says, and leaves the input as it is', () => {
		const input = { email: 'old@acme.com', status: 'failed', message: 'Lost' };
		const result = { status: 'found', email: null, firstName: null };
		expect(arranged(input, result, { resultField: 'lookup' })).toEqual({
			...input,
			lookup: result,
		});
	});

	it('replaces what is there, an earlier result', () => {
		const input = { lookup: { status: 'failed', reason: 'connection' }, id: 1 };
		const result = { status: 'skipped', credits: 0 };
		expect(arranged(input, result, { resultField: 'lookup' })).toEqual({ id: 1, lookup: result });
	});

	it('leaves an error of the input out all the same', () => {
		expect(arranged({ error: 'x', id: 1 }, { a: 1 }, { resultField: 'lookup' })).toEqual({
			id: 1,
			lookup: { a: 1 },
		});
	});

	it.each([['a.b'], ['toString'], ['hasOwnProperty'], ['0'], ['with blanks']])(
		'takes the name %j literally',
		(resultField) => {
			const json = arranged({ id: 1 }, { status: 'found' }, { resultField });
			expect(Object.keys(json).toSorted()).toEqual(['id', resultField].toSorted());
			expect(Object.entries(json)).toContainEqual([resultField, { status: 'found' }]);
		},
	);
});

describe('names that every object has', () => {
	const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

	/** An object with this field of its own, as JSON has it. */
	function objectWith(name: string, value: unknown): IDataObject {
		return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
	}

	const hostile = { isAdmin: true };

	it.each(names)('are ordinary ones in the input: %s', (name) => {
		for (const resultField of [undefined, 'lookup']) {
			const json = arranged(objectWith(name, hostile), { status: 'found' }, { resultField });
			expect(Object.entries(json)).toContainEqual([name, hostile]);
			expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
			expect(json).not.toHaveProperty('isAdmin');
		}
	});

	it.each(names)('are ordinary ones in a result: %s', (name) => {
		for (const input of [{ id: 1 }, objectWith(name, 'old')]) {
			const json = arranged(input, objectWith(name, hostile));
			expect(Object.entries(json)).toContainEqual([name, hostile]);
			expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
			expect(json).not.toHaveProperty('isAdmin');
		}
	});

	it.each(names)('are not lost where only the result has one, and no value for it: %s', (name) => {
		const json = arranged({ id: 1 }, objectWith(name, null));
		expect(Object.entries(json)).toContainEqual([name, null]);
	});

	it.each(names)('pollute nothing', (name) => {
		const before = names.map((own) => Reflect.get(Object.prototype, own));
		arranged(objectWith(name, hostile), objectWith(name, hostile), { keeps: names });
		expect(names.map((own) => Reflect.get(Object.prototype, own))).toEqual(before);
		expect({}).not.toHaveProperty('isAdmin');
	});
});

describe('whatever input and result hold', () => {
	const name = fc.oneof(
		fc.constantFrom('status', 'reason', 'message', 'email', 'firstName', 'domain', 'error'),
		fc.constantFrom('__proto__', 'constructor', 'toString'),
		fc.string({ maxLength: 3 }),
	);
	const value = fc.oneof(
		fc.constantFrom(null, undefined, '', ' ', 0, false, 'found', 'failed', 'skipped'),
		fc.jsonValue({ maxDepth: 1 }),
	);
	const fields = fc
		.array(fc.tuple(name, value), { maxLength: 8 })
		.map((entries): IDataObject => JSON.parse(JSON.stringify(Object.fromEntries(entries))));

	const isEmpty = (one: unknown) =>
		one === null || one === undefined || (typeof one === 'string' && one.trim() === '');

	it('each field is of the input or of the result, and no value is erased', () => {
		const stale = ['reason', 'message', 'httpCode', 'jobId', 'jobRow', 'error'];
		const seen = { kept: 0, replaced: 0, filled: 0 };
		fc.assert(
			fc.property(fields, fields, (input, result) => {
				const json = arranged(input, result);
				for (const key of new Set([...Object.keys(input), ...Object.keys(result)])) {
					if (key === 'error') continue;
					const own = Object.hasOwn(input, key) ? input[key] : undefined;
					const given = Object.hasOwn(result, key) ? result[key] : undefined;
					const now = Object.hasOwn(json, key) ? json[key] : undefined;
					if (!isEmpty(own) && isEmpty(now) && !stale.includes(key)) {
						// Only a value that the result has, if an empty text, takes its place.
						expect([given, now]).toEqual(['string', 'string'].map(() => now));
						expect(now).not.toBeNull();
					}
					if (LEAD_FIELDS.includes(key) && !isEmpty(own)) expect(now).toEqual(own);
					else if (LEAD_FIELDS.includes(key) && !isEmpty(given)) {
						expect(now).toEqual(given);
						seen.filled++;
					}
					if (now !== undefined && own !== undefined && now === own) seen.kept++;
					if (now !== undefined && own !== undefined && now !== own) seen.replaced++;
					if (now !== undefined) expect([own, given]).toContainEqual(now);
				}
				for (const key of Object.keys(json)) {
					expect(Object.hasOwn(input, key) || Object.hasOwn(result, key)).toBe(true);
				}
				expect(Object.hasOwn(json, 'error')).toBe(Object.hasOwn(result, 'error'));
			}),
			{ numRuns: 1_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
	});
});
