import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { InterfaceSettings } from './interfaceSettings';

/** A question to the service, made of the fields of one item. */
export interface Question<Query> {
	/** The question in the package's words; its texts go into items without an answer too. */
	query: Query;
	/** Names the fields that the item lacks: it is not sent. */
	missing?: string;
	/** What the service would answer, where that is certain: it is not asked. */
	answer?: IDataObject;
}

/** What is particular to a metered lookup, for one item and for many. */
export interface Lookup<Query extends IDataObject> {
	/** The status of an item that got its answer. */
	answered: 'found' | 'verified';
	/** The question, from the fields as they were filled in. */
	prepare(fields: IDataObject): Question<Query>;
	/** What two questions have in common if one answer serves both, whichever operation asks. */
	key(query: Query): string;
	/** A result in the package's words; without a result, the same fields with what was asked. */
	simplify(result: IDataObject, query: Query): IDataObject;
}

/** A lookup that sends one request per question. */
export interface SingleLookup<Query extends IDataObject> extends Lookup<Query> {
	/** The path of the request, where the credential may change it. */
	path?(settings: InterfaceSettings): string;
	/** The question as query parameters. */
	toQueryString(query: Query, settings: InterfaceSettings): IDataObject;
	/** The results in an answer, best first; none if the service has nothing. Throws if malformed. */
	results(answer: object): IDataObject[];
	/** What an answer did cost, in credits; at most 1. */
	charged(answer: object): number;
}

/** How a bulk lookup reaches the service. */
export interface BulkService {
	settings: InterfaceSettings;
	/** Sends the request that asks. It is not repeated where it may have been charged. */
	ask(request: BulkRequest): Promise<object>;
	/** Sends a free request that collects results already paid for. */
	collect(request: BulkRequest): Promise<object>;
	/** Sleeps, and wakes at once when the execution is stopped. */
	sleep(milliseconds: number): Promise<void>;
	/** How many requests may be under way at once. */
	requestsAtOnce: number;
	/** How long to wait for a job, in milliseconds. */
	jobTimeout: number;
}

export type BulkRequest = Pick<IHttpRequestOptions, 'method' | 'url' | 'qs' | 'arrayFormat'> & {
	body?: IDataObject | IDataObject[];
};

/** A lookup that sends many questions per request. */
export interface BulkLookup<Query extends IDataObject> extends Lookup<Query> {
	/** Its name in the log and in the summary. */
	name: string;
	/** The parameter of the node for each field of a question. */
	fields: Record<string, string>;
	/** How many of these questions, from the first, fit into one request. */
	fitting(queries: Query[], settings: InterfaceSettings): number;
	/**
	 * Sends the questions in one request. The results are in the order of the questions, with
	 * `undefined` where the answer lacks one. Throws `JobPending` if a job has not finished.
	 */
	ask(queries: Query[], service: BulkService): Promise<Array<IDataObject | undefined>>;
	/** Collects the results of a job that an earlier run of the node was left with. */
	collect?(
		jobId: string,
		questions: number,
		service: BulkService,
	): Promise<Array<IDataObject | undefined>>;
	/** Whether a result holds what was asked for; else it is a miss. */
	isHit(result: IDataObject): boolean;
	/** What a request did cost, in credits. */
	charged(results: Array<IDataObject | undefined>): number;
}
