import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import {
	fieldValue,
	pathOf,
	requestFields,
	type Declaration,
	type RequestField,
} from '../host/routing';
import { requestOptionsOf } from '../http/transport';
import { arrangedItem, LEAD_FIELDS } from '../output/fields';
import { isTool, OnError, statusFields } from '../output/onError';
import { invalidValue, problemOf } from '../output/problem';
import { DEFAULT_PACE } from '../pace/retry';
import { numberOf } from '../values/text';
import type { Collected } from './pages';

/** How many items are read at the same time. */
const ITEMS_AT_ONCE = DEFAULT_PACE.maxConcurrency;

/** An operation that reads what the service holds. */
export interface Read extends Declaration {
	/** Whether it collects the answers of lookups: items come out as theirs do, for 0 credits. */
	collects?: boolean;
	read(request: ReadRequest): Promise<Reading>;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	simplify(result: IDataObject): IDataObject;
	/** Whether the one result is a miss, which is simplified in any case. */
	isMiss?: boolean;
}

/** What an operation knows of one item. */
export interface ReadRequest {
	/** The fields of the operation, under the names that `routing` gives them. */
	fields: Record<string, unknown>;
	/** The most results; all of them without one. */
	limit: number | undefined;
	context: NodeContext;
	/** The client of the item's account, which all its items in this run share. */
	client: AccountClient;
	/** The value of a parameter that the operation puts into its requests itself. */
	parameter(name: string): unknown;
	/** Whether a parameter has an expression or a value, whatever it comes to for this item. */
	isFilledIn(name: string): boolean;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** Reads the results of every item, several items at once. The output is in order and linked. */
export async function runRead(
	context: NodeContext,
	operation: Read,
): Promise<INodeExecutionData[]> {
	return await new ReadRun(context, operation).run();
}

class ReadRun {
	private readonly parameters: Parameters;

	private readonly fields: RequestField[];

	private readonly onError: OnError;

	private readonly breather = new Breather();

	private accounts: Accounts<AccountClient> | undefined;

	/** The exception that stops the workflow. */
	private failure: Error | undefined;

	constructor(
		private readonly context: NodeContext,
		private readonly operation: Read,
	) {
		this.parameters = new Parameters(context, operation.fields);
		this.fields = requestFields(operation);
		this.onError = new OnError(context.node);
	}

	async run(): Promise<INodeExecutionData[]> {
		const items: INodeExecutionData[][] = [];
		let next = 0;
		const work = async () => {
			for (;;) {
				// Before an item is taken, so that no later one overtakes it.
				if (this.breather.isDue) await this.breather.breathe();
				if (next >= this.context.inputs.length || this.failure) return;
				const item = next++;
				items[item] = [];
				await this.read(item, items[item]);
			}
		};
		try {
			await Promise.all(Array.from({ length: ITEMS_AT_ONCE }, work));
		} finally {
			this.accounts?.end();
		}
		if (this.failure) throw this.failure;
		return items.flat();
	}

	/** Adds the output for one item of the input. */
	private async read(item: number, output: INodeExecutionData[]): Promise<void> {
		const { context, operation, onError, parameters } = this;
		const { collects = false } = operation;
		const keeps = collects ? LEAD_FIELDS : [];
		const input = context.inputs[item];
		let includesInput = false;
		const arrange = (fields: IDataObject, isMiss = false) =>
			// Leads of a company are no answer to what the input's status is about.
			arrangedItem(input, item, fields, { includesInput, keeps, isMiss, isAnswer: collects });
		const fail = (thrown: unknown) => {
			const problem = problemOf(thrown);
			const withStatus = (fields: IDataObject) =>
				arrange({ ...fields, ...(collects && { credits: 0 }) });
			// A job that is still pending is no failure.
			if (problem.status === 'pending') {
				output.push(withStatus(statusFields(problem)));
				return;
			}
			output.push(onError.output(problem, item, input, withStatus));
			if (!onError.stops || context.signal?.aborted || this.failure) return;
			this.failure = onError.exception(problem, item);
			this.accounts?.end();
		};
		try {
			const isWanted = parameters.get('includeInputFields', item, false) === true;
			includesInput = isWanted && !isTool(context.node);
			const isSimple = parameters.get('simple', item, true) === true;
			const reading = await operation.read(await this.request(item));
			const { results, isMiss = false, incomplete } = reading;
			for (const result of results) {
				if (this.breather.isDue) await this.breather.breathe();
				output.push(arrange(isSimple || isMiss ? reading.simplify(result) : result, isMiss));
			}
			if (incomplete) fail(incomplete);
		} catch (error) {
			fail(error);
		}
	}

	private async request(item: number): Promise<ReadRequest> {
		const { context, operation, parameters } = this;
		const fields = Object.fromEntries(
			this.fields.map((field) => [field.property, fieldValue(parameters, field, item)]),
		);
		const limit = this.limitOf(item);
		const requestOptions = requestOptionsOf(parameters.get('requestOptions', 0, {}));
		this.accounts ??= new Accounts(context, { requestOptions }, (client) => client);
		const client = await this.accounts.of(item);
		return {
			fields,
			limit,
			context,
			client,
			parameter: (name) => parameters.get(name, item, ''),
			isFilledIn: (name) => parameters.isFilledIn(name),
			get: async (qs, path = pathOf(operation, fields)) => await client.get(path, qs),
		};
	}

	/** The most results that the user wants; `undefined` for all. Throws `InvalidInput`. */
	private limitOf(item: number): number | undefined {
		if (this.parameters.get('returnAll', item, true) === true) return undefined;
		return countIn('Limit', this.parameters.get('limit', item, 50));
	}
}

/** The value of a field that counts from 1; throws `InvalidInput`. */
export function countIn(label: string, value: unknown): number {
	const count = numberOf(value) ?? 0;
	if (Number.isInteger(count) && count >= 1) return count;
	throw invalidValue(label, `${label} must be a whole number of 1 or more`);
}
