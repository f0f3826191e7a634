import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Runs } from '../client/accounts';
import type { Run } from '../client/client';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import {
	type Declaration,
	fieldValue,
	pathOf,
	type RequestField,
	requestFields,
} from '../host/routing';
import { requestOptionsOf } from '../http/transport';
import { arrangedItem } from '../output/fields';
import { errorItem, isTool, onErrorOf, statusFields, stopError } from '../output/onError';
import { invalidValue, type Problem, problemOf } from '../output/problem';
import { DEFAULT_PACE } from '../pace/retry';
import { numberOf } from '../values/text';
import type { Collected } from './pages';

/** How many items are read at the same time. */
const ITEMS_AT_ONCE = DEFAULT_PACE.maxConcurrency;

/** An operation that reads what the service holds: all that is particular to it. */
export interface Read extends Declaration {
	/** The fields of the input that a result fills, but does not replace. */
	keeps?: string[];
	/** What an item without results says besides. */
	besides?: IDataObject;
	read(request: ReadRequest): Promise<Reading>;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	simplify(result: IDataObject): IDataObject;
	/** Whether the one result says that there is none: it is put in the package's words in any case. */
	isMiss?: boolean;
	/** Whether the results are not for this item alone, so that its fields do not come along. */
	isWithoutInput?: boolean;
}

/** What an operation has to go by for one item. */
export interface ReadRequest {
	/** The fields of the operation, under the names that `routing` gives them. */
	fields: Record<string, unknown>;
	/** The most results; all of them without one. */
	limit: number | undefined;
	context: NodeContext;
	/** What the items of one account share in this run of the node. */
	run: Run;
	/** The value of a parameter that the operation puts into its requests itself. */
	parameter(name: string): unknown;
	/** Whether a parameter has an expression or a value, whatever it comes to for this item. */
	isFilledIn(name: string): boolean;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** Reads the results of every item, several items at once, in order and linked. */
export async function runRead(
	context: NodeContext,
	operation: Read,
): Promise<INodeExecutionData[]> {
	const { inputs, node, signal } = context;
	const stops = onErrorOf(node) === 'stop';
	const reader = new ItemReader(context, operation);
	const items: INodeExecutionData[][] = [];
	let failure: Error | undefined;
	let next = 0;
	const work = async () => {
		for (;;) {
			// Before an item is taken, so that no later one overtakes it.
			await reader.breathe();
			if (next >= inputs.length || failure !== undefined) return;
			const item = next++;
			const { read, problem } = await reader.read(item);
			items[item] = read;
			if (!problem || !stops || signal?.aborted || failure) continue;
			failure = stopError(node, problem, item);
			// The workflow stops: nothing more is sent for the other items.
			reader.end();
		}
	};
	try {
		await Promise.all(Array.from({ length: ITEMS_AT_ONCE }, work));
	} finally {
		reader.end();
	}
	if (failure) throw failure;
	return items.flat();
}

/** Reads the results of one item after the other. */
class ItemReader {
	private readonly parameters: Parameters;

	private readonly fields: RequestField[];

	private readonly breather = new Breather();

	private runs: Runs | undefined;

	constructor(
		private readonly context: NodeContext,
		private readonly operation: Read,
	) {
		this.parameters = new Parameters(context, operation.fields);
		this.fields = requestFields(operation);
	}

	/** The items for one item of the input, and why the workflow may have to stop for it. */
	async read(item: number): Promise<{ read: INodeExecutionData[]; problem?: Problem }> {
		const { context, operation, parameters } = this;
		const input = context.inputs[item];
		const read: INodeExecutionData[] = [];
		let includesInput = false;
		const add = (fields: IDataObject, isMiss = false) => {
			const { keeps } = operation;
			// Leads of a company are no answer to what the input's status is about.
			const isAnswer = keeps !== undefined;
			read.push(arrangedItem(input, item, fields, { includesInput, keeps, isMiss, isAnswer }));
		};
		const failed = (thrown: unknown): Problem | undefined => {
			const problem = problemOf(thrown);
			// A job that has not finished is no failure.
			const isPending = problem.status === 'pending';
			if (!isPending && onErrorOf(context.node) === 'errorOutput')
				read.push(errorItem(problem, item, input));
			else add({ ...statusFields(problem), ...operation.besides });
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
				add(isSimple || isMiss ? reading.simplify(result) : result, isMiss);
			}
			return { read, problem: reading.incomplete && failed(reading.incomplete) };
		} catch (error) {
			return { read, problem: failed(error) };
		}
	}

	/** Lets the rest of n8n go on, where it is time. */
	async breathe(): Promise<void> {
		if (this.breather.isDue) await this.breather.breathe();
	}

	/** Nothing more is sent. */
	end(): void {
		this.runs?.end();
	}

	private async request(item: number): Promise<ReadRequest> {
		const fields = this.fieldsOf(item);
		const limit = this.limitOf(item);
		const run = await this.runOf(item);
		const path = () => pathOf(this.operation, fields);
		return {
			fields,
			limit,
			context: this.context,
			run,
			parameter: (name) => this.parameters.get(name, item, ''),
			isFilledIn: (name) => this.parameters.isFilledIn(name),
			get: async (qs, url = path()) => await run.get(url, qs),
		};
	}

	private async runOf(item: number): Promise<Run> {
		this.runs ??= new Runs(this.context, { requestOptions: requestOptionsOf(this.parameters) });
		return await this.runs.of(item);
	}

	private fieldsOf(item: number): Record<string, unknown> {
		const valueOf = (field: RequestField) => fieldValue(this.parameters, field, item);
		return Object.fromEntries(this.fields.map((field) => [field.property, valueOf(field)]));
	}

	/** The most results that the user wants; all of them without one. */
	private limitOf(item: number): number | undefined {
		if (this.parameters.get('returnAll', item, true) === true) return undefined;
		const limit = numberOf(this.parameters.get('limit', item, 50)) ?? 0;
		if (Number.isInteger(limit) && limit >= 1) return limit;
		throw invalidValue('Limit', 'Limit must be a whole number of 1 or more');
	}
}
