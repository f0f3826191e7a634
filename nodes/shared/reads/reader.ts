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
import { arrangedItem } from '../output/fields';
import { isTool, OnError, statusFields } from '../output/onError';
import { invalidValue, problemOf, type Problem } from '../output/problem';
import { DEFAULT_PACE } from '../pace/retry';
import { numberOf } from '../values/text';
import type { Collected } from './pages';

/** How many items are read at the same time. */
const ITEMS_AT_ONCE = DEFAULT_PACE.maxConcurrency;

/** An operation that reads what the service holds. */
export interface Read extends Declaration {
	/** The fields of the input that a result fills but does not replace. */
	keeps?: string[];
	/** Further fields of an item without results. */
	besides?: IDataObject;
	read(request: ReadRequest): Promise<Reading>;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	simplify(result: IDataObject): IDataObject;
	/** Whether the one result is a miss, which is simplified in any case. */
	isMiss?: boolean;
	/** Whether the results are not for this item alone, so that its fields do not come along. */
	isWithoutInput?: boolean;
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
	const { inputs, node, signal } = context;
	const onError = new OnError(node);
	const breather = new Breather();
	const run = new ReadRun(context, operation, onError, breather);
	const items: INodeExecutionData[][] = [];
	let failure: Error | undefined;
	let next = 0;
	const work = async () => {
		for (;;) {
			// Before an item is taken, so that no later one overtakes it.
			if (breather.isDue) await breather.breathe();
			if (next >= inputs.length || failure !== undefined) return;
			const item = next++;
			const { output, problem } = await run.read(item);
			items[item] = output;
			if (!problem || !onError.stops || signal?.aborted || failure) continue;
			failure = onError.exception(problem, item);
			run.end();
		}
	};
	try {
		await Promise.all(Array.from({ length: ITEMS_AT_ONCE }, work));
	} finally {
		run.end();
	}
	if (failure) throw failure;
	return items.flat();
}

/** One run of a read. */
class ReadRun {
	private readonly parameters: Parameters;

	private readonly fields: RequestField[];

	private accounts: Accounts<AccountClient> | undefined;

	constructor(
		private readonly context: NodeContext,
		private readonly operation: Read,
		private readonly onError: OnError,
		private readonly breather: Breather,
	) {
		this.parameters = new Parameters(context, operation.fields);
		this.fields = requestFields(operation);
	}

	/** The output for one item of the input, and the problem for which the workflow may have to stop. */
	async read(item: number): Promise<{ output: INodeExecutionData[]; problem?: Problem }> {
		const { context, operation, parameters } = this;
		const { keeps, besides } = operation;
		const input = context.inputs[item];
		const output: INodeExecutionData[] = [];
		let includesInput = false;
		const arrange = (fields: IDataObject, isMiss = false) =>
			// Leads of a company are no answer to what the input's status is about.
			arrangedItem(input, item, fields, { includesInput, keeps, isMiss, isAnswer: !!keeps });
		const fail = (thrown: unknown): Problem | undefined => {
			const problem = problemOf(thrown);
			const withStatus = (fields: IDataObject) => arrange({ ...fields, ...besides });
			// A job that is still pending is no failure.
			const isPending = problem.status === 'pending';
			output.push(
				isPending
					? withStatus(statusFields(problem))
					: this.onError.output(problem, item, input, withStatus),
			);
			return isPending ? undefined : problem;
		};
		try {
			const isWanted = parameters.get('includeInputFields', item, false) === true;
			includesInput = isWanted && !isTool(context.node);
			const isSimple = parameters.get('simple', item, true) === true;
			const reading = await operation.read(await this.request(item));
			if (reading.isWithoutInput) includesInput = false;
			const { isMiss = false } = reading;
			for (const result of reading.results) {
				if (this.breather.isDue) await this.breather.breathe();
				output.push(arrange(isSimple || isMiss ? reading.simplify(result) : result, isMiss));
			}
			return { output, problem: reading.incomplete && fail(reading.incomplete) };
		} catch (error) {
			return { output, problem: fail(error) };
		}
	}

	/** Nothing more is sent. */
	end(): void {
		this.accounts?.end();
	}

	private async request(item: number): Promise<ReadRequest> {
		const { context, operation, parameters } = this;
		const fields = Object.fromEntries(
			this.fields.map((field) => [field.property, fieldValue(parameters, field, item)]),
		);
		const limit = this.limitOf(item);
		const client = await this.clientOf(item);
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

	private async clientOf(item: number): Promise<AccountClient> {
		const { context, parameters } = this;
		const open = (client: AccountClient) => client;
		const saved = parameters.get('requestOptions', 0, {});
		this.accounts ??= new Accounts(context, { requestOptions: requestOptionsOf(saved) }, open);
		return await this.accounts.of(item);
	}

	/** The most results that the user wants; `undefined` for all. Throws `InvalidInput`. */
	private limitOf(item: number): number | undefined {
		if (this.parameters.get('returnAll', item, true) === true) return undefined;
		const limit = numberOf(this.parameters.get('limit', item, 50)) ?? 0;
		if (Number.isInteger(limit) && limit >= 1) return limit;
		throw invalidValue('Limit', 'Limit must be a whole number of 1 or more');
	}
}
