import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { CreditKind } from '../credits/account';
import type { Results } from '../execution/answers';
import type { Declaration } from '../host/routing';
import { type Connection, digest, type InterfaceSettings } from '../http/connection';
import type { FieldValues } from '../output/fieldValues';
import type { MissingField } from '../output/problem';

/** A field for a value that an item may have already, so that it needs no lookup. */
export interface Known {
	parameter: string;
	label: string;
	/** What the text of the field says, if that spares the lookup. An unknown status does for a while. */
	read(text: string): { fields: IDataObject; isUnknown?: boolean } | undefined;
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
	/** The question in the package's words. Items without their input show its texts. */
	query: Query;
	missing?: MissingField[];
	/** The answer, where it is certain without the service. */
	answer?: IDataObject;
	/** Whether the item has nothing to look up, so that it is skipped. */
	isEmpty?: boolean;
}

/** The service, as a lookup reaches it. */
export interface LookupService {
	settings: InterfaceSettings;
	/** Texts as they come back in an answer, with the API key masked. */
	asReceived(texts: string[]): string[];
	/** Sends the request of the operation, which may cost credits. A 404 is a miss for a single lookup. */
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

/** How a lookup, or its estimate, makes the question of an item. */
export interface Preparation<Query extends IDataObject> extends Declaration {
	/** The kind of credits that it costs (interface specification 2.2, 8). Operations of one kind share their answers. */
	kind: CreditKind;
	known?: Known;
	/** The part of the query by which identical questions are found; all of it by default. */
	identity?(query: Query): IDataObject;
	/** Makes the question of the fields of an item. Throws `InvalidInput` for a value that cannot be meant. */
	prepare(values: FieldValues): Question<Query>;
}

/** The key of a question: a digest of the account, the interface settings, the kind and the query. */
export function keyOf<Query extends IDataObject>(
	{ kind, identity }: Pick<Preparation<Query>, 'kind' | 'identity'>,
	{ id }: Connection,
	query: Query,
): string {
	return digest([id, kind, identity?.(query) ?? query]);
}

/** An operation that looks something up for each item, for credits. A single lookup is a bulk lookup of one item. */
export interface Lookup<Query extends IDataObject> extends Preparation<Query> {
	answered: 'found' | 'verified';
	/** The node's own fields, which every item has. */
	columns: string[];
	extra?: { option: string; column: string };
	/** The field for the whole result; without it, the result joins the item unless the user names a field. */
	resultField?: string;
	/** The most questions of one request (interface specification 8). */
	perRequest: number;
	/** How many of these questions, from the first, fit into one request; all of them by default. */
	fitting?(queries: Query[], settings: InterfaceSettings): number;
	/** Sends the questions in one request. Throws `JobProblem` if a job has not finished. */
	ask(queries: Query[], service: LookupService): Promise<Answers>;
	/** Collects the answers to so many questions from the job of an earlier run. */
	collect?(jobId: string, questions: number, service: LookupService): Promise<Answers>;
	/** The fields that a result gives, in the package's words. */
	simplify(result: IDataObject, query: Query): IDataObject;
}
