import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { CreditKind } from '../credits/account';
import type { Results } from '../execution/answers';
import type { Declaration } from '../host/routing';
import { type Connection, digest, type InterfaceSettings } from '../http/connection';

/** An existing value with which an item needs no lookup. */
export interface Known {
	parameter: string;
	/**
	 * Reads the value; `undefined` where the item is looked up all the same. The status unknown (`isUnknown`) may change
	 * soon.
	 */
	read(value: unknown): { fields: IDataObject; isUnknown?: boolean } | undefined;
}

/** An item that is passed on without a lookup, for free. */
export interface PassedOn {
	status: 'known' | 'skipped';
	fields: IDataObject;
	/** Whether Checked At holds something that is no date. */
	isUndated?: boolean;
}

/** A question to the service, made of the fields of one item. */
export interface Question<Query> {
	/** The question in the package's words. Items without a result show its texts too. */
	query: Query;
	/** The labels of the fields that are missing, so that the item is not sent. */
	missing?: string[];
	/** The answer, where it is certain without the service. */
	answer?: IDataObject;
	/** Whether the item has nothing to look up, so that it may be skipped. */
	isEmpty?: boolean;
}

/** The service, as a lookup reaches it. */
export interface LookupService {
	settings: InterfaceSettings;
	/** A text as it comes back in an answer, with the API key masked. */
	asReceived(text: string): string;
	/**
	 * Sends the request of the operation, which may cost credits. Method and path come from its declaration. A 404 is a
	 * miss for a single lookup.
	 */
	ask(request: Partial<IHttpRequestOptions>): Promise<object>;
	/** Sends a free request that collects results already paid for. */
	collect(request: Partial<IHttpRequestOptions>): Promise<object>;
	/** Sleeps, and wakes at once when the execution is stopped. */
	sleep(milliseconds: number): Promise<void>;
	jobTimeout: number;
}

/** The answers to some questions, in their order; `undefined` where the service left one out. */
export interface Answers {
	results: Array<Results | undefined>;
	jobId?: string;
}

/** How a lookup makes the question of an item. */
export interface Preparation<Query extends IDataObject> {
	/** The kind of credits that it costs (interface specification 2.2, 8). Operations of one kind share their answers. */
	kind: CreditKind;
	/** The existing value with which an item needs no lookup. */
	known?: Known;
	/** The part of the query by which identical questions are found; all of it by default. */
	identity?(query: Query): IDataObject;
	/** Makes the question of the fields as filled in, under the names that `routing` gives them. */
	prepare(fields: Record<string, unknown>): Question<Query>;
}

/** The key of a question: a digest of the account, the interface settings, the kind and the query. */
export function keyOf<Query extends IDataObject>(
	{ kind, identity }: Preparation<Query>,
	{ id }: Connection,
	query: Query,
): string {
	return digest([id, kind, identity?.(query) ?? query]);
}

/** An operation that looks something up for each item, for credits. A single lookup is a bulk lookup of one item. */
export interface Lookup<Query extends IDataObject> extends Declaration, Preparation<Query> {
	answered: 'found' | 'verified';
	/** The fields of the input that a result fills but does not replace. */
	keeps?: string[];
	/** The most questions of one request (interface specification 8). */
	perRequest: number;
	/** How many of these questions, from the first, fit into one request; all of them by default. */
	fitting?(queries: Query[], settings: InterfaceSettings): number;
	/** Sends the questions in one request. Throws `JobPending` if a job has not finished. */
	ask(queries: Query[], service: LookupService): Promise<Answers>;
	/** Collects the answers to so many questions from the job of an earlier run. */
	collect?(jobId: string, questions: number, service: LookupService): Promise<Answers>;
	/** A result in the package's words; for a miss, the same fields with those of the query. */
	simplify(result: IDataObject, query: Query): IDataObject;
}
