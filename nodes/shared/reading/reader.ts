import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Breather } from '../n8n/breather';
import type { NodeContext } from '../n8n/nodeContext';
import { Parameters } from '../n8n/parameters';
import {
	fieldValue,
	pathOf,
	requestFields,
	type Declaration,
	type RequestField,
} from '../n8n/routing';
import { errorItem, onErrorOf, stopError } from '../outcomes/onError';
import { invalidValue, problemOf } from '../outcomes/problem';
import { DEFAULT_PACE } from '../pacing/pace';
import type { Run } from '../sending/run';
import { Runs } from '../sending/runs';
import type { InterfaceSettings } from '../service/interfaceSettings';
import { requestOptionsOf } from '../service/requestOptions';
import type { Collected } from './pages';

/** How many items are read at the same time. */
const ITEMS_AT_ONCE = DEFAULT_PACE.maxConcurrency;

/** An operation that reads what the service holds: all that is particular to it. */
export interface Read extends Declaration {
	read(request: ReadRequest): Promise<Reading>;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	simplify(result: IDataObject): IDataObject;
}

/** What an operation has to go by for one item. */
export interface ReadRequest {
	/** The fields of the operation, under the names that `routing` gives them. */
	fields: Record<string, unknown>;
	/** The most results; all of them without one. */
	limit: number | undefined;
	settings: InterfaceSettings;
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
		while (next < inputs.length && failure === undefined) {
			const item = next++;
			const { read, problem } = await reader.read(item);
			items[item] = problem ? [...read, errorItem(problem, item)] : read;
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

	/** The items for one item of the input, and why there are not all of them, if so. */
	async read(item: number) {
		const read: INodeExecutionData[] = [];
		try {
			const isSimple = this.parameters.get('simple', item, true) === true;
			const { results, incomplete, simplify } = await this.operation.read(await this.request(item));
			for (const result of results) {
				if (this.breather.isDue) await this.breather.breathe();
				read.push({ json: isSimple ? simplify(result) : result, pairedItem: { item } });
			}
			return { read, problem: incomplete && problemOf(incomplete) };
		} catch (error) {
			return { read, problem: problemOf(error) };
		}
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
			settings: run.connection.settings,
			get: async (qs, url = path()) => await run.send({ method: 'GET', url, qs }),
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
		const limit = Number(this.parameters.get('limit', item, 50));
		if (Number.isInteger(limit) && limit >= 1) return limit;
		throw invalidValue('Limit', 'Limit must be a whole number of 1 or more');
	}
}
