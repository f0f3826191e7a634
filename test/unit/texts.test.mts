/** @file What users read: n8n's rules for it, beyond those of n8n's lint, which `test/scan/descriptions` holds. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { validateNodeDescription } from 'n8n-core/dist/nodes-loader/validate-node-description.js';
import type { GenericValue, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { statusFields } from '../../nodes/shared/output/onError.ts';
import { CODES } from '../../nodes/shared/http/codes.ts';
import { assertGoesTo, checkedBaseUrl } from '../../nodes/shared/http/connection.ts';
import { connectionError, unexpectedResponse } from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { ContactDataTrigger } from '../../nodes/Trigger/ContactDataTrigger.node.ts';
import { root } from '../machine/paths.mjs';
import { operations } from '../operations.mts';
import { ourNodes } from '../support/node/engine.mts';
import { noName, thrownBy } from './thrown.mts';
import {
	Failure,
	invalidValue,
	notSent,
	ofJob,
	problemOf,
} from '../../nodes/shared/failures/failure.ts';
import { OF_LOOKUP } from '../../nodes/shared/failures/names.ts';
import { type Reason, REASONS } from '../../nodes/shared/failures/reasons.ts';

/** What n8n's guidelines keep out of such texts. */
const UNWANTED = /error|problem|failure|mistake/i;

/** Words that readers stumbled over: it is an email or a URL, a result or a response, a lookup that is sent. */
const STUMBLED_OVER =
	/(?<!\bemail )\baddress|\b(asks?|asked|answers?|answered|covered|repetitions?|under way|word of|anew|afresh|saved in|people of)\b/i;

/** Whether a text has such a word; the names of settings of n8n are none of ours, and of what is reused the contract says "answered". */
function isUnwelcome(text: string): boolean {
	const own = text.replaceAll(/On Error|Allow Unauthorized/g, '');
	return UNWANTED.test(own) || STUMBLED_OVER.test(own);
}

describe('what is told of an item', () => {
	const refusal = (statusCode: number, body: GenericValue) =>
		thrownBy(() => readResponse({ statusCode, headers: {}, body }));
	const statuses = [301, ...CODES.keys()];
	const codes = ['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED'];
	const problems = [
		...statuses.map((status) => refusal(status, { remaining: 2 })),
		...[200, 404].flatMap((status) => ['<html>', '{"cut'].map((body) => refusal(status, body))),
		...codes.map((code) => connectionError({ code })),
		connectionError(undefined),
		new Failure('unknown_outcome', { message: 'What happened' }),
		...['http://example.com', 'nowhere'].map((url) => thrownBy(() => checkedBaseUrl(url))),
		thrownBy(() => assertGoesTo('https://example.com', 'https://elsewhere.example.com')),
		'Nobody expected this',
		...Object.entries(REASONS).flatMap(([reason, row]) =>
			'todo' in row ? notSent(reason as Reason) : [],
		),
		noName,
		invalidValue('Limit', 'Limit must be a whole number of 1 or more'),
		ofJob('12'),
		ofJob('12', unexpectedResponse('a result for this item')),
	].map((thrown) => problemOf(thrown));

	it('says what happened and what to do, the same in the output and in the error output', () => {
		for (const problem of problems) {
			const { message, description } = problem;
			for (const text of [message, description]) {
				expect(text.trim()).not.toBe('');
				expect(isUnwelcome(text), text).toBe(false);
			}
			expect(message).not.toMatch(/[.!]$/);
			expect(description).not.toBe(message);
			const fields = statusFields(problem, OF_LOOKUP);
			expect(fields).toMatchObject({ lookupMessage: `${message}. ${description}` });
			// With it, n8n would take the item for an error item.
			expect(fields).not.toHaveProperty('error');
		}
	});
});

it('no text in the code has a word that n8n keeps out, or that readers stumbled over', () => {
	const texts: string[] = [];
	const visit = (part: ts.Node): void => {
		const isText = ts.isStringLiteralLike(part) || ts.isTemplateLiteralToken(part);
		if (isText && /\s/.test(part.text)) texts.push(part.text);
		ts.forEachChild(part, visit);
	};
	for (const folder of ['nodes', 'credentials']) {
		for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
			if (!file.endsWith('.ts')) continue;
			const code = readFileSync(join(root, folder, file), 'utf8');
			visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
		}
	}
	expect(texts).toContain(
		'Nothing is lost: run the Finder again later, and it collects what is waiting, for free',
	);
	expect(texts.filter(isUnwelcome)).toEqual([]);
});

it('the credential test says each thing in whole sentences', () => {
	const messages = new ContactDataApi().test.rules?.map(({ properties }) => properties.message);
	expect(messages?.length).toBeGreaterThan(5);
	for (const message of messages ?? []) expect(message).toMatch(/^\S.*\.$/);
});

describe('the texts in the editor', () => {
	const nodes = [...Object.values(ourNodes), new ContactDataTrigger()].map(
		({ description }) => description,
	);

	/** A property with those inside it. */
	function withOptions(property: INodeProperties): INodeProperties[] {
		const inside = (property.options ?? []).flatMap((option) => ('type' in option ? [option] : []));
		return [property, ...inside.flatMap(withOptions)];
	}

	const fields = [...nodes, new ContactDataApi()].flatMap(({ properties }) =>
		// The Request Options are n8n's.
		properties.filter(({ name }) => name !== 'requestOptions').flatMap(withOptions),
	);

	const choicesOf = (some: INodeProperties[]) =>
		some.flatMap(({ options = [] }) =>
			options.flatMap((option): INodePropertyOptions[] => ('value' in option ? [option] : [])),
		);

	it('describe every field', () => {
		const plain = fields.filter(
			({ name, type }) =>
				!['hidden', 'collection', 'notice'].includes(type) &&
				!['operation', 'event'].includes(name),
		);
		expect(plain.length).toBeGreaterThan(30);
		expect(plain.filter(({ description }) => !description)).toEqual([]);
		expect(fields.filter(({ displayName }) => isUnwelcome(displayName))).toEqual([]);
	});

	it('give examples in the empty fields', () => {
		const placeholders = fields.flatMap(({ placeholder, modes = [] }) => [
			placeholder,
			...modes.flatMap((mode) => (mode.type === 'string' ? mode.placeholder : [])),
		]);
		const examples = placeholders.filter((text) => text !== undefined && !text.startsWith('Add '));
		expect(examples.length).toBeGreaterThan(10);
		expect(examples.filter((text) => !text?.startsWith('e.g. '))).toEqual([]);
	});

	const menu = choicesOf(fields.filter(({ name }) => ['operation', 'event'].includes(name)));
	const events = ['lowCredits', 'newLead'];

	it('tell of every node and operation what it costs', () => {
		const costly = menu.filter(({ value }) => !events.includes(String(value)));
		expect(costly).toHaveLength(operations.length);
		const told = [...nodes, ...costly].map(({ description }) => description ?? '');
		const cost = /\b(costs?|uses?)\b[^.]*\bcredits?\b/i;
		expect(told.filter((text) => !cost.test(text))).toEqual([]);
	});

	it('tell the model of an AI agent what each of its tools costs, and what the statuses mean', () => {
		const told = fields.flatMap(({ name, default: text }) =>
			name === 'toolDescription' ? String(text) : [],
		);
		const hidden = menu.filter(({ displayOptions }) => displayOptions?.hide?.['@tool']);
		expect(told).toHaveLength(menu.length - hidden.length - events.length);
		for (const text of told) {
			expect(text).toMatch(/\bcosts?\b[^.]*\bcredits?\b/i);
			expect(text).toMatch(/^[A-Z].*\.$/);
		}
		const singles = operations.filter(({ perRequest }) => perRequest === 1);
		const lookups = told.flatMap((text) => {
			const [, lookup] = /'(lookup|company)Status'/.exec(text) ?? [];
			return lookup === undefined ? [] : [[text, lookup]];
		});
		expect(lookups).toHaveLength(singles.length);
		for (const [text, lookup] of lookups)
			expect(text).toContain(`'${lookup}Message' says why and what to do`);
	});

	it("hold for n8n's own validator of hints for its AI workflow builder", () => {
		for (const description of nodes) {
			expect(() => validateNodeDescription(description)).not.toThrow();
			expect(description.builderHint?.searchHint).toMatch(/\.$/);
		}
	});

	it('name what an operation does without articles, as the node is called by it', () => {
		const named = /^(?!.*\b(a|an|the)\b)[A-Z][a-z ]+(API)?$/;
		expect(menu.filter(({ action = '' }) => !named.test(action))).toEqual([]);
	});

	it('sort every menu by its names', () => {
		const menus = fields.filter(({ type }) => type === 'options');
		expect(menus.length).toBeGreaterThan(10);
		const named = menus.map(({ options = [] }) => options.map(({ name }) => name));
		expect(named).toEqual(named.map((names) => names.toSorted((a, b) => a.localeCompare(b))));
	});

	it('call the same field the same everywhere', () => {
		const labels = new Map<string, Set<string>>();
		// The text of a notice is no label: it says what the node reads of a lead.
		for (const { name, displayName } of fields.filter(({ type }) => type !== 'notice')) {
			labels.set(name, (labels.get(name) ?? new Set()).add(displayName));
		}
		// What is looked up in companies is a company, in the leads of a list anything.
		labels.delete('keyword');
		const several = [...labels].flatMap(([name, names]) =>
			names.size > 1 ? [[name, ...names]] : [],
		);
		expect(several).toEqual([]);
	});
});
