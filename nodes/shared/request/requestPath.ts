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
import {
	errorItem,
	missingInput,
	onErrorOf,
	problemOf,
	statusFields,
	stopError,
	type Problem,
} from './outcome';
import type { Collected } from './pages';
import { DEFAULT_PACE, type Pace, type Price, type Run } from './run';
import { ifNotFound } from './serviceError';

type ResultOptions = DeclarativeRestApiSettings.ResultOptions;

/** What n8n calls for each input item of a declarative operation, as its `pagination`. */
type Hook = (
	this: IExecutePaginationFunctions,
	requestOptions: ResultOptions,
) => Promise<INodeExecutionData[]>;

/** A metered question per input item: what is particular to one lookup operation. */
export interface Lookup<Query extends IDataObject> {
	/** The status of an item that got its answer. */
	answered: 'found' | 'verified';
	/** The question, from the fields as they were filled in. */
	prepare(fields: IDataObject): {
		/** The question in the package's words; it goes into items without an answer too. */
		query: Query;
		/** Names the fields that the item lacks: it is not sent. */
		missing?: string;
		/** What the service would answer, where that is certain: it is not asked. */
		answer?: object;
	};
	/** The question as query parameters. */
	toQueryString(query: Query, settings: InterfaceSettings): IDataObject;
	/** The results in an answer, best first; none if the service has nothing. Throws if malformed. */
	results(answer: object): IDataObject[];
	/** What an answer did cost, in credits; at most 1. */
	charged(answer: object): number;
	/** A result in the package's words; without a result, the same fields with what was asked. */
	simplify(result: IDataObject, query: Query): IDataObject;
}

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
export function lookup<Query extends IDataObject>(operation: Lookup<Query>): Hook {
	return async function ({ options, maxResults }) {
		const run = runOf(this);
		const { query, missing, answer } = operation.prepare(options.qs ?? {});
		const simple = this.getNodeParameter('simple', true) === true;
		const item = (json: IDataObject) => lookupItem(this, json);
		const problem = (found: Problem) =>
			problemItems(this, run, found, () => item(statusFields(found, query)));

		if (missing !== undefined) return problem(missingInput(missing));
		try {
			const given = answer ?? (await ask.call(this, run, operation, query, options));
			const results = given === NOTHING ? [] : operation.results(given);
			if (results.length === 0) {
				return [item({ status: 'not_found', ...operation.simplify({}, query), ...query })];
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
	operation: Lookup<Query>,
	query: Query,
	options: ResultOptions['options'],
): Promise<object> {
	const { account, settings } = await run.connection();
	const request = requestOf(options, operation.toQueryString(query, settings));
	const price: Price = {
		budget: budgetOf(this),
		maxCredits: numberOption(this, 'maxCredits', 0),
		most: 1,
		charged: operation.charged,
	};
	const question = JSON.stringify([account, request.url, request.qs]);
	return await answersOf(this).once(
		question,
		async () => await run.send(request, paceOf(this), price).catch(ifNotFound(NOTHING)),
	);
}

/** The request path of a read: the results of one input item, each linked to it. */
export function read(operation: Read): Hook {
	return async function ({ options, maxResults }) {
		const run = runOf(this);
		const pairedItem = { item: this.getItemIndex() };
		const simple = this.getNodeParameter('simple', true) === true;
		const problem = (found: Problem) =>
			problemItems(this, run, found, () => errorItem(found, pairedItem.item));
		try {
			const { settings } = await run.connection();
			const { results, incomplete, simplify } = await operation({
				fields: options.qs ?? {},
				limit: Number(maxResults) || undefined,
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

/** The request that n8n has put together from `routing`, with these query parameters. */
function requestOf(
	options: ResultOptions['options'],
	qs: IDataObject,
	url = options.url ?? '',
): IHttpRequestOptions {
	const skipSslCertificateValidation = options.skipSslCertificateValidation === true;
	return { ...options, url, qs, skipSslCertificateValidation };
}

/** What becomes of an item without an answer, by the setting On Error of the node. */
function problemItems(
	context: IExecutePaginationFunctions,
	run: Run,
	problem: Problem,
	continueWith: () => INodeExecutionData,
): INodeExecutionData[] {
	if (problem.reason === 'stopped') return [];
	const onError = onErrorOf(context.getNode());
	const itemIndex = context.getItemIndex();
	if (onError === 'errorOutput') return [errorItem(problem, itemIndex)];
	if (onError === 'continue' || problem.reason === 'cancelled') return [continueWith()];
	run.halt('stopped');
	throw stopError(context.getNode(), problem, itemIndex);
}

function lookupItem(context: IExecutePaginationFunctions, json: IDataObject): INodeExecutionData {
	const withInput = context.getNodeParameter('options.includeInputFields', false) === true;
	return {
		json: withInput ? { ...context.getInputData().json, ...json } : json,
		pairedItem: { item: context.getItemIndex() },
	};
}

function paceOf(context: IExecutePaginationFunctions): Pace {
	return {
		maxConcurrency: Math.max(
			1,
			numberOption(context, 'maxConcurrency', DEFAULT_PACE.maxConcurrency),
		),
		maxRetries: numberOption(context, 'maxRetries', DEFAULT_PACE.maxRetries),
	};
}

/** A whole number from the options, at least 0; the default when it is no number. */
function numberOption(
	context: IExecutePaginationFunctions,
	name: string,
	byDefault: number,
): number {
	const value = Number(context.getNodeParameter(`options.${name}`, byDefault) ?? byDefault);
	return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : byDefault;
}
