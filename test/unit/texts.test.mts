/** @file What users read: n8n's rules for it, in every text of the code. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { validateNodeDescription } from 'n8n-core/dist/nodes-loader/validate-node-description.js';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { ContactDataAccount } from '../../nodes/Account/ContactDataAccount.node.ts';
import { ContactDataCompany } from '../../nodes/Company/ContactDataCompany.node.ts';
import { ContactDataFinder } from '../../nodes/Finder/ContactDataFinder.node.ts';
import { ContactDataList } from '../../nodes/List/ContactDataList.node.ts';
import { errorItem, statusFields } from '../../nodes/shared/output/onError.ts';
import {
	invalidValue,
	JobFailed,
	JobPending,
	missing,
	problemOf,
} from '../../nodes/shared/output/problem.ts';
import { FailingExpression } from '../../nodes/shared/host/parameters.ts';
import { assertGoesTo, checkedBaseUrl } from '../../nodes/shared/http/connection.ts';
import {
	asServiceError,
	connectionError,
	NotProcessed,
	type NotProcessedReason,
	unexpectedAnswer,
	unknownOutcome,
} from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { ContactDataTrigger } from '../../nodes/Trigger/ContactDataTrigger.node.ts';
import { ContactDataVerifier } from '../../nodes/Verifier/ContactDataVerifier.node.ts';
import { thrownBy } from './thrown.mts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What n8n's guidelines keep out of such texts. */
const UNWANTED = /error|problem|failure|mistake/i;

/** Words that readers stumbled over: it is an email or a URL, a result or a response, a lookup that is sent. */
const STUMBLED_OVER =
	/(?<!\bemail )\baddress|\b(asks?|asked|answers?|answered|covered|repetitions?|under way|word of|anew|afresh|saved in|people of)\b/i;

describe('what is told of an item', () => {
	const statuses = [200, 204, 301, 302, 400, 401, 402, 403, 404, 405, 409, 422, 429, 500, 503, 504];
	const bodies: unknown[] = [{}, { remaining: 2 }, '', '<html>', '{"cut'];
	const codes = ['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', ''];
	/** The compiler asks for all of them. */
	const notProcessed: Record<NotProcessedReason, true> = {
		out_of_credits: true,
		credit_limit: true,
		credit_floor: true,
		manual_limit: true,
		cancelled: true,
		unauthorized: true,
		service_down: true,
		rate_limited: true,
		account_unreadable: true,
		stopped: true,
	};

	const thrown: unknown[] = [
		...statuses.flatMap((statusCode) =>
			bodies
				.filter((body) => statusCode >= 300 || typeof body === 'string')
				.map((body) => thrownBy(() => readResponse({ statusCode, headers: {}, body }))),
		),
		...codes.map((code) => connectionError(code === '' ? undefined : { code })),
		unknownOutcome(connectionError({ code: 'ECONNRESET' })),
		...['http://example.com', 'nowhere'].map((url) => thrownBy(() => checkedBaseUrl(url))),
		thrownBy(() => assertGoesTo('https://example.com', 'https://elsewhere.example.com')),
		asServiceError('Nobody expected this'),
		...Object.keys(notProcessed).map((reason) => new NotProcessed(reason as NotProcessedReason)),
		unexpectedAnswer('a list of leads'),
		missing('Email'),
		new FailingExpression('Email', new Error('It fails')),
		invalidValue('Limit', 'Limit must be a whole number of 1 or more'),
		new JobPending('12'),
		new JobPending('12', 3),
		new JobFailed('12', unexpectedAnswer('a result for this item')),
		new JobFailed('12', unexpectedAnswer('a result for this item'), 3),
	];

	const problems = thrown.map((each) => problemOf(each));

	it('is never empty, and has none of the words that n8n keeps out, or that readers stumbled over', () => {
		for (const { message, description } of problems) {
			expect(message.trim()).not.toBe('');
			expect(description.trim()).not.toBe('');
			expect(message).not.toMatch(UNWANTED);
			expect(description).not.toMatch(UNWANTED);
			expect(message).not.toMatch(STUMBLED_OVER);
			expect(description).not.toMatch(STUMBLED_OVER);
		}
	});

	it('says what to do in a sentence, and what happened without a full stop', () => {
		for (const { message, description } of problems) {
			expect(message).not.toMatch(/[.!]$/);
			expect(description).not.toBe(message);
		}
	});

	it('is no error item where it goes into the output', () => {
		for (const problem of problems) expect(statusFields(problem)).not.toHaveProperty('error');
	});

	it('says the same in the output, in the error output, and where the workflow stops', () => {
		for (const problem of problems) {
			const text = `${problem.message}. ${problem.description}`;
			expect(statusFields(problem).message).toBe(text);
			expect(errorItem(problem, 0, { json: {} }).json.message).toBe(text);
		}
	});

	it('covers these reasons', () => {
		expect([...new Set(problems.map(({ reason }) => reason))].toSorted()).toEqual([
			'account_unreadable',
			'bad_request',
			'cancelled',
			'conflict',
			'connection',
			'credit_floor',
			'credit_limit',
			'expression: Email',
			'forbidden',
			'invalid: Limit',
			'job_not_finished',
			'manual_limit',
			'missing: Email',
			'not_found',
			'not_the_service',
			'out_of_credits',
			'rate_limited',
			'redirected',
			'refused_base_url',
			'refused_by_n8n',
			'service_down',
			'service_unavailable',
			'stopped',
			'unauthorized',
			'unexpected',
			'unexpected_answer',
			'unknown_outcome',
		]);
	});
});

describe('the texts in the code', () => {
	/** Classes and functions that make of a text what users read. */
	const MAKERS =
		/^(ServiceError|NotProcessed|NodeOperationError|InvalidInput|JobPending|JobFailed|Error|unexpectedAnswer|objectIn|objectsIn|missing|invalidValue|FailingExpression|refusedBaseUrl)$/;

	/** The sentences in a part of the code, with what stands around their placeholders. */
	function sentencesIn(part: ts.Node): string[] {
		const sentences: string[] = [];
		const visit = (child: ts.Node): void => {
			if (
				ts.isStringLiteral(child) ||
				ts.isNoSubstitutionTemplateLiteral(child) ||
				ts.isTemplateHead(child) ||
				ts.isTemplateMiddle(child) ||
				ts.isTemplateTail(child)
			) {
				if (/\s/.test(child.text)) sentences.push(child.text);
			}
			ts.forEachChild(child, visit);
		};
		visit(part);
		return sentences;
	}

	/** Whether what stands here is read by users as a message or as what to do about it. */
	function isTold(part: ts.Node): boolean {
		const isSuper =
			ts.isCallExpression(part) && part.expression.kind === ts.SyntaxKind.SuperKeyword;
		if (isSuper) return true;
		if (ts.isNewExpression(part) || ts.isCallExpression(part)) {
			return ts.isIdentifier(part.expression) && MAKERS.test(part.expression.text);
		}
		const isNamed =
			ts.isPropertyAssignment(part) ||
			(ts.isVariableDeclaration(part) && part.initializer !== undefined);
		if (!isNamed) return false;
		return /^(message|description|errorMessage|MESSAGES|STATUS_CODES|UNAVAILABLE|BAD_REQUEST|STATUS_MESSAGES|NOT_SENT|NOT_READ|words|parts|results|far)$/.test(
			part.name.getText(),
		);
	}

	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file)),
	);

	const told = files.flatMap((file) => {
		const text = readFileSync(join(ROOT, file), 'utf8');
		const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
		const found: string[] = [];
		const visit = (part: ts.Node): void => {
			if (isTold(part)) found.push(...sentencesIn(part));
			else ts.forEachChild(part, visit);
		};
		visit(source);
		return found.map((sentence) => `${file}: ${sentence}`);
	});

	it('are found', () => {
		expect(told).toContain(
			join('nodes', 'shared', 'http', 'errors.ts') +
				': Add credits to the account, then run the remaining items again.',
		);
		expect(told.length).toBeGreaterThan(60);
	});

	it('have none of the words that n8n keeps out', () => {
		// "On Error" is the name of a setting of n8n.
		const unwanted = told.filter((line) =>
			UNWANTED.test(line.slice(line.indexOf(': ')).replaceAll('On Error', '')),
		);
		expect(unwanted).toEqual([]);
	});

	it('have none of the words that readers stumbled over', () => {
		expect(told.filter((line) => STUMBLED_OVER.test(line.slice(line.indexOf(': '))))).toEqual([]);
	});

	it('of the credential test are as good', () => {
		const messages = new ContactDataApi().test.rules?.map(({ properties }) => properties.message);
		expect(messages?.length).toBeGreaterThan(5);
		for (const message of messages ?? []) {
			expect(message).not.toMatch(UNWANTED);
			expect(message).not.toMatch(STUMBLED_OVER);
			expect(message).toMatch(/^\S.*\.$/);
		}
	});
});

describe('the texts in the editor', () => {
	const nodes = [
		ContactDataAccount,
		ContactDataCompany,
		ContactDataFinder,
		ContactDataList,
		ContactDataTrigger,
		ContactDataVerifier,
	].map((Node) => new Node().description);

	/** A property with those inside it. */
	function withOptions(property: INodeProperties): INodeProperties[] {
		const inside = (property.options ?? []).flatMap((option) => ('type' in option ? [option] : []));
		return [property, ...inside.flatMap(withOptions)];
	}

	const fields = [...nodes, new ContactDataApi()].flatMap(({ properties }) =>
		properties.flatMap(withOptions),
	);

	const choices = fields.flatMap(({ options = [] }) =>
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
	});

	it('end with a full stop where there are several sentences, and only there', () => {
		const descriptions = [...nodes, ...fields, ...choices].flatMap((one) => one.description ?? []);
		expect(descriptions.length).toBeGreaterThan(60);
		const isOff = (text: string) => text.endsWith('.') !== /\. [A-Z\d]/.test(text);
		expect(descriptions.filter(isOff)).toEqual([]);
		expect(descriptions.filter((text) => /^[a-z]/.test(text))).toEqual([]);
	});

	it('give examples in the empty fields', () => {
		const placeholders = fields.flatMap(({ placeholder, modes = [] }) => [
			placeholder,
			...modes.flatMap((mode) => (mode.type === 'string' ? mode.placeholder : [])),
		]);
		const examples = placeholders.filter((text) => text !== undefined && text !== 'Add option');
		expect(examples.length).toBeGreaterThan(10);
		expect(examples.filter((text) => !text?.startsWith('e.g. '))).toEqual([]);
	});

	const operations = fields
		.filter(({ name }) => ['operation', 'event'].includes(name))
		.flatMap(({ options = [] }) =>
			options.flatMap((option): INodePropertyOptions[] => ('value' in option ? [option] : [])),
		);

	it('tell of every node and operation what it costs', () => {
		const events = ['lowCredits', 'newLead'];
		const costly = operations.filter(({ value }) => !events.includes(String(value)));
		expect(costly).toHaveLength(14);
		const told = [...nodes, ...costly].map(({ description }) => description ?? '');
		const cost = /\b(costs?|uses?)\b[^.]*\bcredits?\b/i;
		expect(told.filter((text) => !cost.test(text))).toEqual([]);
	});

	it('tell the model of an AI agent what each of its tools costs, and what the statuses mean', () => {
		const tools = fields.filter(({ name }) => name === 'toolDescription');
		const told = tools.map(({ default: text }) => String(text));
		expect(told).toHaveLength(9);
		for (const text of told) {
			expect(text).toMatch(/\bcosts?\b[^.]*\bcredits?\b/i);
			expect(text).toMatch(/^[A-Z].*\.$/);
			expect(text).not.toMatch(UNWANTED);
			expect(text).not.toMatch(STUMBLED_OVER);
		}
		const lookups = told.filter((text) => text.includes("'status'"));
		expect(lookups).toHaveLength(3);
		for (const text of lookups) expect(text).toContain("'message' says why and what to do");
	});

	it('hide from an AI agent what makes no sense for one question at a time', () => {
		const isOfTool = (operation: unknown) => operation === 'find' || operation === 'verify';
		const offered = (type: string) =>
			nodes
				.filter(({ name }) => name === type)
				.flatMap(({ properties }) => properties)
				.filter(({ name }) => name === 'options')
				.filter(({ displayOptions }) => isOfTool(displayOptions?.show?.operation?.[0]))
				.flatMap(({ options = [] }) => options)
				.filter((option) => !('displayOptions' in option && option.displayOptions?.hide?.['@tool']))
				.map(({ name }) => name);
		const expected = { Finder: ['country', 'includeCompanyData'], Verifier: ['enrich'] };
		for (const [node, own] of Object.entries(expected)) {
			const names = new Set(offered(`contactData${node}`));
			expect([...names].toSorted()).toEqual(['keepCredits', 'maxCredits', ...own].toSorted());
		}
	});

	it("hold for n8n's own validator of hints for its AI workflow builder", () => {
		for (const description of nodes) {
			expect(() => validateNodeDescription(description)).not.toThrow();
			expect(description.builderHint?.searchHint).toMatch(/\.$/);
		}
		const operation = nodes[0].properties.find(({ name }) => name === 'operation');
		const misplaced = { ...operation, builderHint: { propertyHint: 'Where it is not seen.' } };
		const wrong = { ...nodes[0], properties: [misplaced] };
		expect(() => validateNodeDescription(Object(wrong))).toThrow('builderHint');
	});

	it('name what an operation does without articles, as the node is called by it', () => {
		expect(operations.map(({ action }) => action).toSorted()).toEqual([
			'Estimate cost',
			'Estimate cost',
			'Export leads from list',
			'Find email',
			'Find emails in bulk',
			'Get account',
			'Get bulk job',
			'Get leads from company',
			'Get leads from list',
			'Get list',
			'Get many lists',
			'On low credits',
			'On new lead in list',
			'Search company',
			'Verify email',
			'Verify emails in bulk',
		]);
	});

	/** What stands above an output, and what n8n's AI workflow builder is told. */
	const hints = [
		...nodes.flatMap(({ hints: ofNode = [] }) => ofNode.map(({ message }) => message)),
		...nodes.flatMap(({ builderHint }) => builderHint?.searchHint ?? []),
		...nodes.flatMap(({ builderHint }) =>
			(builderHint?.relatedNodes ?? []).map(({ relationHint }) => relationHint),
		),
		...[...fields, ...choices].flatMap(({ builderHint }) => builderHint?.propertyHint ?? []),
	];

	it('have none of the words that readers stumbled over, nor of those that n8n keeps out', () => {
		expect(hints.length).toBeGreaterThan(15);
		const texts = [
			...[...nodes, ...fields].map(({ displayName }) => displayName),
			...choices.map(({ name }) => name),
			...fields.flatMap(({ placeholder }) => placeholder ?? []),
			...[...nodes, ...fields, ...choices].flatMap(({ description }) => description ?? []),
			...hints,
		];
		expect(texts.length).toBeGreaterThan(150);
		expect(texts.filter((text) => STUMBLED_OVER.test(text))).toEqual([]);
		const settings = /On Error|Allow Unauthorized/g;
		expect(texts.filter((text) => UNWANTED.test(text.replaceAll(settings, '')))).toEqual([]);
	});

	it('say of a switch whether it does something', () => {
		const switches = fields.filter(({ type }) => type === 'boolean');
		expect(switches.length).toBeGreaterThan(5);
		expect(switches.filter(({ description }) => !description?.startsWith('Whether '))).toEqual([]);
	});

	it('call the same field the same everywhere', () => {
		const labels = new Map<string, Set<string>>();
		for (const { name, displayName } of fields) {
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
