import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Results } from '../execution/answers';
import { type Connection, digest, type InterfaceSettings } from '../http/connection';
import type { Preparation } from '../input/item';

/** The service, as a lookup reaches it. */
export interface LookupService {
	settings: InterfaceSettings;
	/** Texts as they come back in a response, with the API key masked. */
	asReceived(texts: string[]): string[];
	/** Sends the request of the operation, which may cost credits. A 404 is a miss for a lookup that may find nothing. */
	ask(request: Partial<IHttpRequestOptions>): Promise<object>;
	/** Sends a free request that collects results already paid for. */
	collect(request: Partial<IHttpRequestOptions>): Promise<object>;
	/** Waits at least so long until a job may be polled, in milliseconds; ends at once when the execution is stopped. */
	pollTurn(wait: number): Promise<void>;
	/** In milliseconds. */
	jobTimeout: number;
}

/** The answers to some questions, in their order; `undefined` where the service left one out. */
export interface BatchResults {
	results: Array<Results | undefined>;
	jobId?: string;
}

/** What the service sends in place of results, where it looks them up in the background. */
export interface AcceptedJob {
	acceptedJob: string;
}

/** The key of a question: a digest of the account, the interface settings, the kind and the query. */
export function keyOf<Query extends IDataObject>(
	{ kind, identity }: Pick<Preparation<Query>, 'kind' | 'identity'>,
	{ id }: Connection,
	query: Query,
): string {
	return digest([id, kind, identity?.(query) ?? query]);
}

/** An operation that looks something up for each item, for credits. A single lookup has one question in a request. */
export interface Lookup<Query extends IDataObject> extends Preparation<Query> {
	/** The status of an item that has a result. */
	hitStatus: 'found' | 'verified';
	/** Whether the service may know nothing, which is free. An email that is verified always has a result. */
	canMiss?: true;
	/** The node's own fields, which every item has. */
	columns: string[];
	/** The field for the whole result; without it, the result joins the item unless the user names a field. */
	resultField?: string;
	/** The most questions of one request (interface specification 8). */
	perRequest: number;
	/** How many of these questions, from the first, fit into one request; all of them by default. */
	fitting?(queries: Query[], settings: InterfaceSettings): number;
	ask(queries: Query[], service: LookupService): Promise<BatchResults | AcceptedJob>;
	/** Waits for the results of a job with so many questions. Throws `JobProblem` if it does not finish in time. */
	collect?(jobId: string, questions: number, service: LookupService): Promise<BatchResults>;
	/** By option, one email of a domain is verified first: if it is catch-all, so are the others. */
	catchAll?: { domainOf(query: Query): string; isCatchAll(results: Results): boolean };
	/** The fields that a result gives, in the package's words, in a new object: the status and the time are put into it. */
	simplify(result: IDataObject, query: Query): IDataObject;
}
