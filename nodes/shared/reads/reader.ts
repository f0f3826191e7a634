import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { AccountClient } from '../client/client';
import { type Failure, problemOf, reasonsOf } from '../failures/failure';
import { UNKNOWN_COMPANY, UNMET } from '../failures/reasons';
import type { NodeContext } from '../host/context';
import { pathOf } from '../input/declaration';
import { FieldValues } from '../input/fieldValues';
import { missing, type Missing } from '../input/missing';
import { isWanted } from '../input/item';
import { limitIn } from '../input/options';
import { alignColumns } from '../output/shape';
import { DEFAULT_PACE } from '../pace/retry';
import { objectFrom } from '../values/json';
import { Run, type Runnable } from '../run/run';
import { toListId } from './listLocator';
import type { Collected } from './pages';

/** Why a read passes an item on. */
type Skipped = typeof UNMET | typeof UNKNOWN_COMPANY;

export interface Read extends Runnable {
	/** Reads what there is for one item, unless that is known to be nothing. */
	read(request: ReadRequest): Promise<Reading | typeof UNKNOWN_COMPANY>;
	/** Says what came of a run of so many items with so many results, so many of them with none. */
	outcome?(items: number, results: number, without: number): string;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	/** Without this, a result is put out as it is. */
	simplify?(result: IDataObject): IDataObject;
}

/** What an operation knows of one item. */
export interface ReadRequest {
	values: FieldValues;
	/** The most results; all of them without one. */
	limit: number | undefined;
	context: NodeContext;
	/** The fields of the item. */
	input: IDataObject;
	/** The client of the item's account. */
	client: AccountClient;
	missing(...lacking: Missing[]): Failure;
	/** Notes a field of the item that was read, too, for the summary. */
	noteRead(field: string): void;
	/** The value of a parameter that the operation puts into its requests itself. */
	parameter(name: string): unknown;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** Reads the results of every item, several items at once. The output is in order and linked. */
export async function runRead(context: NodeContext, read: Read): Promise<INodeExecutionData[]> {
	const run: ReadRun = new Run(context, read, (client) => ({ client }));
	const counts = { asked: 0, results: 0, empty: 0, [UNMET]: 0, [UNKNOWN_COMPANY]: 0 };
	try {
		const handle = async (item: number) => await readItem(run, read, item, counts);
		await run.forEachItem(handle, DEFAULT_PACE.maxConcurrency);
	} finally {
		run.accounts.end();
	}
	const { asked, results, empty, [UNMET]: unmet, [UNKNOWN_COMPANY]: unknown } = counts;
	const said = [
		asked > 0 ? (read.outcome?.(asked, results, empty) ?? '') : '',
		reasonsOf(run.problems.map(({ problem }) => problem)),
		unmet > 0 ? `${unmet} not wanted by Look Up Only If` : '',
		unknown > 0 ? `${unknown} not found by Search Company` : '',
	];
	const items = run.deliver(said.filter((part) => part !== '').join(', '));
	const isMixed = run.problems.length + unmet + unknown > 0;
	if (isMixed && !context.isTool) alignColumns(items);
	return items;
}

type ReadRun = Run<{ client: AccountClient }>;

/** Reads the results for one item and puts them out, with a problem if some could not be read. */
async function readItem(
	run: ReadRun,
	read: Read,
	item: number,
	counts: Record<Skipped | 'asked' | 'results' | 'empty', number>,
): Promise<void> {
	const { breather, context, options, parameters } = run;
	const { json: input, binary } = context.inputs[item];
	let includesInput = false;
	/** What an item without a result says that it was asked for. */
	let asked: IDataObject = {};
	// A result is somebody else than the item that asked, whose fields stand apart.
	const place = (json: IDataObject): INodeExecutionData => ({
		json: includesInput ? { ...json, input } : json,
		pairedItem: { item },
		...(includesInput && binary && { binary }),
	});
	const fail = (error: unknown) =>
		run.fail(problemOf(error), item, (fields) => place({ ...asked, ...fields }));
	const skip = (reason: Skipped) => {
		counts[reason]++;
		run.put(item, place({ ...asked, lookupStatus: 'skipped', lookupReason: reason }));
	};
	try {
		includesInput = !context.isTool && parameters.get('includeInputFields', item, false) === true;
		const values = new FieldValues(parameters, item);
		asked = values.subject(read.lead);
		if (options.refusal === undefined && !isWanted(parameters, item)) return skip(UNMET);
		const request = await requestFor(run, read, item, values);
		const isSimple = parameters.get('simple', item, true) === true;
		const reading = await read.read(request);
		if (reading === UNKNOWN_COMPANY) return skip(reading);
		run.hasResult ||= reading.results.length > 0;
		counts.asked++;
		counts.results += reading.results.length;
		if (reading.results.length === 0) counts.empty++;
		for (const result of reading.results) {
			if (breather.isDue) await breather.breathe();
			run.put(item, place((isSimple && reading.simplify?.(result)) || result));
		}
		if (reading.incomplete) fail(reading.incomplete);
	} catch (error) {
		fail(error);
	}
}

async function requestFor(
	{ accounts, context, options, parameters }: ReadRun,
	read: Read,
	item: number,
	values: FieldValues,
): Promise<ReadRequest> {
	const failure = options.refusal ?? values.failure;
	if (failure !== undefined) throw failure;
	const isAll = parameters.get('returnAll', item, true) === true;
	const limit = isAll ? undefined : limitIn(parameters.get('limit', item, 50));
	const { client } = await accounts.of(item);
	return {
		values,
		limit,
		context,
		input: objectFrom(parameters.json(item)),
		client,
		missing: (...lacking) => missing(parameters, item, lacking),
		noteRead: (field) => void parameters.fieldsRead.add(field),
		parameter: (name) => parameters.get(name, item, ''),
		get: async (qs, path = pathOf(read, (name) => toListId(values.raw(name)))) =>
			await client.get(path, qs),
	};
}
