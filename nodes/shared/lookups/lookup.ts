import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { CreditKind } from '../credits/account';
import type { Results } from '../execution/answers';
import type { Declaration } from '../host/routing';
import { type Connection, digest, type InterfaceSettings } from '../http/connection';

/** What an item may bring along that makes its lookup needless. */
export interface Known {
	/** The parameter that holds it. */
	parameter: string;
	/** What the value says; nothing where it says nothing, so that the item is looked up. */
	read(value: unknown): KnownValue | undefined;
}

export interface KnownValue {
	/** What the item comes out with. */
	fields: IDataObject;
	/** Whether it says that nobody knows: it may be known soon. */
	isUnknown?: boolean;
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
	/** The question in the package's words; its texts go into items without an answer too. */
	query: Query;
	/** The labels of the fields that the item lacks: it is not sent. */
	missing?: string[];
	/** What the service would answer, where that is certain: it is not asked. */
	answer?: IDataObject;
	/** Whether the item has nothing at all to look up, so that it may be skipped. */
	isEmpty?: boolean;
}

/** A part of a request; method and path come from the declaration of the operation. */
export type RequestPart = Partial<
	Pick<IHttpRequestOptions, 'method' | 'url' | 'qs' | 'arrayFormat'> & {
		body: IDataObject | IDataObject[];
	}
>;

/** The service, as a lookup reaches it. */
export interface LookupService {
	settings: InterfaceSettings;
	/** A text as it comes back in an answer: the key is masked wherever it occurs. */
	asReceived(text: string): string;
	/** Sends the request of the operation, which may cost credits. */
	ask(part: RequestPart): Promise<object>;
	/** The same; nothing where the service does not have it (404). */
	askOne(part: RequestPart): Promise<object | undefined>;
	/** Sends a free request that collects results already paid for. */
	collect(part: RequestPart): Promise<object>;
	/** Sleeps, and wakes at once when the execution is stopped. */
	sleep(milliseconds: number): Promise<void>;
	/** How long to wait for a job, in milliseconds. */
	jobTimeout: number;
}

/** The answers to some questions, in their order; `undefined` where the service left one out. */
export interface Answers {
	results: Array<Results | undefined>;
	/** The bulk job that they come from, if any. */
	jobId?: string;
}

/** What is looked up: operations of one kind share their answers. */
export type LookupKind = 'find' | 'verify' | 'search';

/** The kind of credits that each lookup costs (interface specification 2.2, 8). */
export const CREDITS_OF: Record<LookupKind, CreditKind> = {
	find: 'email',
	verify: 'verifier',
	search: 'search',
};

/** What a lookup asks for each item. */
export interface Asking<Query extends IDataObject> {
	kind: LookupKind;
	/** What an item may bring along that makes its lookup needless. */
	known?: Known;
	/** What tells the question from others; all of it, unless given. */
	identity?(query: Query): IDataObject;
	/** The question, from the fields as filled in, under the names that `routing` gives them. */
	prepare(fields: Record<string, unknown>): Question<Query>;
}

/** Tells a question from others: by the account, the interface settings, its kind and itself. */
export function keyOf<Query extends IDataObject>(
	{ kind, identity }: Asking<Query>,
	{ id }: Connection,
	query: Query,
): string {
	return digest([id, kind, identity?.(query) ?? query]);
}

/**
 * An operation that looks something up for each item, for credits: all that is particular to it. One
 * that asks one question per request is no different from one that asks a hundred.
 */
export interface Lookup<Query extends IDataObject> extends Declaration, Asking<Query> {
	/** The status of an item that got its answer. */
	answered: 'found' | 'verified';
	/** The fields of the input that a result fills, but does not replace. */
	keeps?: string[];
	/** The most questions of one request (interface specification 8). */
	perRequest: number;
	/** How many of these questions, from the first, fit into one request; all of them without it. */
	fitting?(queries: Query[], settings: InterfaceSettings): number;
	/** Sends the questions in one request. Throws `JobPending` if a job has not finished. */
	ask(queries: Query[], service: LookupService): Promise<Answers>;
	/** Collects the answers to so many questions from a job that an earlier run was left with. */
	collect?(jobId: string, questions: number, service: LookupService): Promise<Answers>;
	/** A result in the package's words; without a result, the same fields with what was asked. */
	simplify(result: IDataObject, query: Query): IDataObject;
}
