/** @file Whether a credential is the same for every item, which n8n does not tell. */

import { describe, expect, it, vi } from 'vitest';

import {
	CREDENTIAL,
	hasExpression,
	inheriting,
	readCredential,
} from '../../nodes/shared/host/context.ts';
import { rejectionOf } from './thrown.mts';

describe('hasExpression', () => {
	it.each([
		['={{ $json.tenantKey }}'],
		['='],
		[{ apiKey: '={{ $json.tenantKey }}' }],
		[{ apiKey: 'key', header: { name: { value: '=x' } } }],
		[['a', '=b']],
		[[{ a: [{ b: '=c' }] }]],
	])('sees it in %j', (parameter) => {
		expect(hasExpression(parameter)).toBe(true);
	});

	it.each([
		['key'],
		[' ={{ $json.tenantKey }}'],
		['{{ $json.tenantKey }}'],
		[''],
		[{ apiKey: 'key=', '=': 'name' }],
		[[]],
		[{}],
		[null],
		[undefined],
		[5],
		[true],
	])('sees none in %j', (parameter) => {
		expect(hasExpression(parameter)).toBe(false);
	});
});

/** What n8n's context is, as far as it counts here: it reads a credential and evaluates its fields. */
function contextWith(saved: Record<string, unknown>, handedOver: unknown[] = [saved]) {
	const expression = {
		suffix: ' for',
		getParameterValue(this: { suffix: string }, value: unknown, item: number): unknown {
			if (typeof value === 'object' && value !== null && 'apiKey' in value) {
				return { ...value, apiKey: `${String(value.apiKey)}${this.suffix} ${item}` };
			}
			return value;
		},
	};
	const n8n = {
		name: 'context',
		workflow: { id: '1', expression },
		getCredentials: vi.fn(),
	};
	n8n.getCredentials.mockImplementation(async function (
		this: typeof n8n,
		_type: string,
		item: number,
	) {
		expect([this.name, this.workflow.id]).toEqual(['context', '1']);
		const evaluated = handedOver.map((fields) =>
			this.workflow.expression.getParameterValue(fields, item),
		);
		return evaluated.at(-1) ?? saved;
	});
	return n8n;
}

describe('readCredential', () => {
	it('is one for all items where no field is an expression', async () => {
		const n8n = contextWith({ baseUrl: 'https://api.example.com', apiKey: 'key' });
		expect(await readCredential(n8n, 2)).toEqual({
			credential: { baseUrl: 'https://api.example.com', apiKey: 'key for 2' },
			isForAll: true,
		});
		expect(n8n.getCredentials.mock.calls).toEqual([[CREDENTIAL, 2]]);
	});

	it.each([
		[{ apiKey: '={{ $json.tenantKey }}', baseUrl: 'https://api.example.com' }],
		[{ apiKey: 'key', baseUrl: '={{ $json.url }}' }],
		[{ apiKey: 'key', nested: { list: ['=1'] } }],
	])('is one for its item where a field is one: %j', async (saved) => {
		const { isForAll } = await readCredential(contextWith(saved), 0);
		expect(isForAll).toBe(false);
	});

	it('is one for its item where n8n hands the fields over one by one and any is an expression', async () => {
		const saved = { apiKey: '={{ $json.tenantKey }}' };
		for (const handedOver of [
			[saved, 'https://api.example.com'],
			['https://api.example.com', saved],
		]) {
			expect((await readCredential(contextWith(saved, handedOver), 0)).isForAll).toBe(false);
		}
		const plain = { apiKey: 'key' };
		const context = contextWith(plain, ['https://api.example.com', plain]);
		expect((await readCredential(context, 0)).isForAll).toBe(true);
	});

	it('is one for its item where the fields do not come by', async () => {
		const saved = { apiKey: 'key' };
		expect(await readCredential(contextWith(saved, []), 0)).toEqual({
			credential: saved,
			isForAll: false,
		});
		const { getCredentials } = contextWith(saved, []);
		getCredentials.mockImplementation(async () => saved);
		for (const workflow of [undefined, null, {}, { expression: {} }]) {
			expect(await readCredential(inheriting({ getCredentials }, { workflow }), 0)).toEqual({
				credential: saved,
				isForAll: false,
			});
		}
	});

	it('leaves what n8n gave as it is', async () => {
		const n8n = contextWith({ apiKey: 'key' });
		const { workflow } = n8n;
		const { expression } = workflow;
		const { getParameterValue } = expression;
		await readCredential(n8n, 0);
		expect(n8n.workflow).toBe(workflow);
		expect(workflow.expression).toBe(expression);
		expect(expression.getParameterValue).toBe(getParameterValue);
	});

	it('fails as n8n fails', async () => {
		const n8n = contextWith({});
		const reason = new Error('No credential');
		n8n.getCredentials.mockRejectedValue(reason);
		expect(await rejectionOf(readCredential(n8n, 0))).toBe(reason);
	});
});

describe('inheriting', () => {
	it('has the other values, and all the rest of the object', () => {
		class Context {
			helpers = { request: 1 };

			get signal() {
				return this.helpers.request;
			}
		}
		const context = new Context();
		const other = inheriting(context, { helpers: { request: 2 } });
		expect(other).toBeInstanceOf(Context);
		expect([other.signal, context.signal]).toEqual([2, 1]);
	});
});
