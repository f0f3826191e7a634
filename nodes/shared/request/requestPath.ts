import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';

import { toText } from '../values/text';
import { answersOf, budgetOf, runOf } from './execution';
import type { InterfaceSettings } from './interfaceSettings';
import type { SingleLookup } from './lookup';
import { maxCreditsOf, paceOf } from './lookupOptions';
import { NotProcessed } from './notProcessed';
import {
	echoOf,
	errorItem,
	InvalidInput,
	missingInput,
	onErrorOf,
	problemItem,
	problemOf,
	statusFields,
	type Problem,
} from './outcome';
import type { Collected } from './pages';
import { DEFAULT_PACE, type Run } from './run';
import { ifNotFound } from './serviceError';

type ResultOptions = DeclarativeRestApiSettings.ResultOptions;

/** What n8n calls for each input item of a declarative operation, as its `pagination`. */
type Hook = (
	this: IExecutePaginationFunctions,
	requestOptions: ResultOptions,
) => Promise<INodeExecutionData[]>;

/** Reading what the service holds: what is particular to one such operation. */
export type Read = (request: ReadRequest) => Promise<Reading>;

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	simplify(result: IDataObject): IDataObject;
}

/** What a {@link Read} has to go by. */
export interface ReadRequest {
	/** The query parameters that the fields of the operation give. */
	fields: IDataObject;
	/** The most results; all of them without one. */
	limit: number | undefined;
	settings: InterfaceSettings;
	/** The value of a field of the operation, as text. */
	text(field: string): string;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** The answer 404 of a lookup. */
const NOTHING: object = {};

/** The request path of a lookup: N items in, N items out, whatever happens to one of them. */
export function lookup<Query extends IDataObject>(operation: SingleLookup<Query>): Hook {
	return async function ({ options, maxResults }) {
		const run = runOf(this);
		const { query, missing, answer } = operation.prepare(options.qs ?? {});
		const simple = this.getNodeParameter('simple', true) === true;
		const item = (json: IDataObject) => lookupItem(this, json);
		const problem = (found: Problem) =>
			problemItems(this, run, found, () => item(statusFields(found, echoOf(query))));

		if (missing !== undefined) return problem(missingInput(missing));
		try {
			const given = answer ?? (await ask.call(this, run, operation, query, options));
			const results = given === NOTHING ? [] : operation.results(given);
			if (results.length === 0) {
				return [item({ status: 'not_found', ...operation.simplify({}, query), ...echoOf(query) })];
			}
			return results
				.slice(0, Number(maxResults) || undefined)
				.map((result) =>
					item(
						simple ? { status: operation.answered, ...operation.simplify(result, query) } : result,
					),
				);
		} catch (error) {
			return problem(problemOf(error));
		}
	};
}

/** Asks the service, unless this execution has the answer or is getting it. */
async function ask<Query extends IDataObject>(
	this: IExecutePaginationFunctions,
	run: Run,
	operation: SingleLookup<Query>,
	query: Query,
	options: ResultOptions['options'],
): Promise<object> {
	const { account, settings } = await run.connection();
	const qs = operation.toQueryString(query, settings);
	const request = requestOf(options, qs, operation.path?.(settings));
	const question = `${account} ${operation.key(query)}`;
	const option = (name: string) => this.getNodeParameter(`options.${name}`, null);
	return await answersOf(this).once(question, async () => {
		const reservation = await budgetOf(this).reserve(1, maxCreditsOf(option));
		if (!reservation) throw new NotProcessed('credit_limit');
		const price = { reservation, charged: operation.charged };
		return await run.send(request, { ...paceOf(option), price }).catch(ifNotFound(NOTHING));
	});
}

/** The request path of a read: the results of one input item, each linked to it. */
export function read(operation: Read): Hook {
	return async function ({ options }) {
		const run = runOf(this);
		const pairedItem = { item: this.getItemIndex() };
		const simple = this.getNodeParameter('simple', true) === true;
		const problem = (found: Problem) =>
			problemItems(this, run, found, () => errorItem(found, pairedItem.item));
		try {
			const { settings } = await run.connection();
			const { results, incomplete, simplify } = await operation({
				fields: options.qs ?? {},
				limit: limitOf(this),
				settings,
				text: (field) => toText(this.getNodeParameter(field, '', { extractValue: true })),
				get: async (query, path) => await run.send(requestOf(options, query, path), DEFAULT_PACE),
			});
			const items = results.map((result) => ({
				json: simple ? simplify(result) : result,
				pairedItem,
			}));
			return incomplete ? [...items, ...problem(problemOf(incomplete))] : items;
		} catch (error) {
			return problem(problemOf(error));
		}
	};
}

/** The most results that the user wants; all of them without one. */
function limitOf(context: IExecutePaginationFunctions): number | undefined {
	if (context.getNodeParameter('returnAll', true) === true) return undefined;
	const limit = Number(context.getNodeParameter('limit', 50));
	if (!Number.isInteger(limit) || limit < 1)
		throw new InvalidInput('limit (a whole number from 1)');
	return limit;
}

/** The request that n8n has put together from `routing`, with these query parameters. */
function requestOf(
	options: ResultOptions['options'],
	qs: IDataObject,
	url = options.url ?? '',
): IHttpRequestOptions {
	const skipSslCertificateValidation = options.skipSslCertificateValidation === true;
	return { ...options, url, qs, skipSslCertificateValidation };
}

/** The items of an item without an answer. One that stops the workflow stops the others too. */
function problemItems(
	context: IExecutePaginationFunctions,
	run: Run,
	problem: Problem,
	continueWith: () => INodeExecutionData,
): INodeExecutionData[] {
	if (problem.reason === 'stopped') return [];
	const node = context.getNode();
	if (onErrorOf(node) === 'stop' && problem.reason !== 'cancelled') run.halt('stopped');
	return [problemItem(node, problem, context.getItemIndex(), continueWith)];
}

function lookupItem(context: IExecutePaginationFunctions, json: IDataObject): INodeExecutionData {
	const withInput = context.getNodeParameter('options.includeInputFields', false) === true;
	return {
		json: withInput ? { ...context.getInputData().json, ...json } : json,
		pairedItem: { item: context.getItemIndex() },
	};
}
