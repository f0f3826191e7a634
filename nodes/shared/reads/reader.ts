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
import { isEmpty, objectFrom } from '../values/json';
import { count } from '../values/text';
import { Run, type Runnable } from '../run/run';
import { toListId } from './listLocator';
import type { Collected } from './pages';

/** Why a read passes an item on. */
type Skipped = typeof UNMET | typeof UNKNOWN_COMPANY;

export interface Read extends Runnable {
	/** Reads what there is for one item, unless that is known to be nothing, or comes out with another one. */
	read(request: ReadRequest): Promise<Reading | typeof UNKNOWN_COMPANY | 'duplicate'>;
	/** Says that so many items have so many results. */
	outcome?(items: number, results: number): string;
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
	/** The fields of the item, if what is read is not chosen. */
	input: IDataObject;
	/** The client of the item's account. */
	client: AccountClient;
	missing(...lacking: Missing[]): Failure;
	/** Notes a field of the item that was read, too, for the summary. */
	noteRead(field: string): void;
	/** Reads what several items of the run ask for once. Only the first one gets it, unless all have something to tell it apart. */
	once(query: object, read: () => Promise<Reading>): Promise<Reading | 'duplicate'>;
	/** The value of a parameter that the operation puts into its requests itself. */
	parameter(name: string): unknown;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** Reads the results of every item, several items at once. The output is in order and linked. */
export async function runRead(context: NodeContext, read: Read): Promise<INodeExecutionData[]> {
	const run: ReadRun = new Run(context, read, (client) => ({ client }));
	const skipped = { [UNMET]: 0, [UNKNOWN_COMPANY]: 0 };
	const counts = { asked: 0, results: 0, empty: 0, duplicates: 0, ...skipped };
	const readings = new Map<string, Promise<Reading>>();
	try {
		const handle = async (item: number) => await readItem(run, read, item, counts, readings);
		await run.forEachItem(handle, DEFAULT_PACE.maxConcurrency);
	} finally {
		run.accounts.end();
	}
	const { asked, results, empty, duplicates, [UNMET]: unmet, [UNKNOWN_COMPANY]: unknown } = counts;
	const said = [
		asked > 0 ? (read.outcome?.(asked, results) ?? '') : '',
		empty > 0 ? `${empty} without any` : '',
		duplicates > 0 ? count(duplicates, 'duplicate') : '',
		reasonsOf(run.problems.map(({ problem }) => problem)),
		unmet > 0 ? `${unmet} not wanted by Look Up Only If` : '',
		unknown > 0 ? `${unknown} not found by Search Company` : '',
	].filter((part) => part !== '');
	const total = read.outcome ? `${count(context.inputs.length, 'item')}: ` : '';
	const items = run.deliver(said.length > 0 ? `${total}${said.join(', ')}` : '');
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
	counts: Record<Skipped | 'asked' | 'results' | 'empty' | 'duplicates', number>,
	readings: Map<string, Promise<Reading>>,
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
		const reading = await read.read({ ...request, once: onceIn(readings, request, includesInput) });
		if (reading === 'duplicate') return void counts.duplicates++;
		if (typeof reading === 'string') return skip(reading);
		run.hasResult ||= reading.results.length > 0;
		if (!reading.incomplete) counts[reading.results.length > 0 ? 'asked' : 'empty']++;
		counts.results += reading.results.length;
		for (const result of reading.results) {
			if (breather.isDue) await breather.breathe();
			run.put(item, place((isSimple && reading.simplify?.(result)) || result));
		}
		if (reading.incomplete) fail(reading.incomplete);
	} catch (error) {
		fail(error);
	}
}

/** What fails, fails for all items that ask for it. */
function onceIn(
	readings: Map<string, Promise<Reading>>,
	{ client }: Pick<ReadRequest, 'client'>,
	isToldApart: boolean,
): ReadRequest['once'] {
	return async (query, read) => {
		const key = JSON.stringify([client.connection.id, query]).toLowerCase();
		const first = readings.get(key);
		if (first && !isToldApart) return await first.then(() => 'duplicate');
		const reading = read();
		readings.set(key, reading);
		return await reading;
	};
}

async function requestFor(
	{ accounts, context, options, parameters }: ReadRun,
	read: Read,
	item: number,
	values: FieldValues,
): Promise<Omit<ReadRequest, 'once'>> {
	const failure = options.refusal ?? values.failure;
	if (failure !== undefined) throw failure;
	const isAll = parameters.get('returnAll', item, true) === true;
	const limit = isAll ? undefined : limitIn(parameters.get('limit', item, 50));
	const { client } = await accounts.of(item);
	const isChosen = [...parameters.leadIn(item).values.values()].some((value) => !isEmpty(value));
	return {
		values,
		limit,
		context,
		input: isChosen ? {} : objectFrom(parameters.json(item)),
		client,
		missing: (...lacking) => missing(parameters, item, lacking),
		noteRead: (field) => void parameters.fieldsRead.add(field),
		parameter: (name) => parameters.get(name, item, ''),
		get: async (qs, path = pathOf(read, (name) => toListId(values.raw(name)))) =>
			await client.get(path, qs),
	};
}
