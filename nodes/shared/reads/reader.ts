import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { executionOf } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { missing, type Missing } from '../input/missing';
import { Parameters } from '../input/parameters';
import { type Declaration, pathOf } from '../input/declaration';
import { FieldValues } from '../input/fieldValues';
import { isWanted } from '../input/item';
import { countIn, lookupOptionsOf } from '../input/options';
import { OnError, stopError } from '../output/onError';
import { Replaced } from '../output/replaced';
import type { Placement } from '../output/shape';
import { DEFAULT_PACE, type Pace } from '../pace/retry';
import { toListId } from './lists';
import type { Collected } from './pages';
import { problemOf, type InvalidInput, type Problem } from '../failures/failure';
import { PASSED_ON, REFUSED, UNMET } from '../failures/reasons';
import { count } from '../values/text';
import { adviceOn, reasonsOf } from '../failures/words';

export interface Read extends Declaration {
	/** Puts a result into the item that it was read for; without this, the result is the item. */
	place?(
		place: Placement & { input: INodeExecutionData; item: number },
		fields: IDataObject,
	): INodeExecutionData;
	/** Of its requests; without one, as the options say. */
	pace?: Pace;
	/** Whether its results are bought. Then nothing stops the workflow that has bought something, as in a lookup. */
	isBought?: true;
	read(request: ReadRequest): Promise<Reading>;
}

/** The results for one item, and how one of them is put in the package's words. */
export interface Reading extends Collected {
	/** Whether the results are not about the item, so that its fields are left out. */
	isOfNoItem?: true;
	simplify(result: IDataObject): IDataObject;
}

/** What an operation knows of one item. */
export interface ReadRequest {
	values: FieldValues;
	/** The most results; all of them without one. */
	limit: number | undefined;
	context: NodeContext;
	/** The client of the item's account, which all its items in this run share. */
	client: AccountClient;
	isSimple: boolean;
	missing(...lacking: Missing[]): InvalidInput;
	/** The value of a parameter that the operation puts into its requests itself. */
	parameter(name: string): unknown;
	/** Sends the request with these query parameters, to the operation's path unless another is given. */
	get(query: IDataObject, path?: string): Promise<object>;
}

/** Reads the results of every item, several items at once. The output is in order and linked. */
export async function runRead(
	context: NodeContext,
	operation: Read,
): Promise<INodeExecutionData[]> {
	const { inputs, signal, isTool } = context;
	const parameters = new Parameters(context, operation);
	const options = lookupOptionsOf(parameters, context);
	const { requestOptions, resultField, refusal } = options;
	const { pace = options.pace, isBought } = operation;
	const accounts = new Accounts(context, { requestOptions, pace }, (client) => ({ client }));
	const onError = new OnError(context.node, !isTool);
	const breather = new Breather();
	/** What stops the workflow, the first one. */
	const failures: Error[] = [];
	const problems: Problem[] = [];
	const replaced = new Replaced();
	const sources = new Set<unknown>(context.namesBefore());
	const common = { isTool, resultField, sources, replaced };
	let unmet = 0;
	let hasAnswer = false;
	let hasPassedOn = false;

	const requestFor = async (item: number): Promise<ReadRequest> => {
		const values = new FieldValues(parameters, item);
		const failure = refusal ?? values.failure;
		if (failure !== undefined) throw failure;
		const isAll = parameters.get('returnAll', item, true) === true;
		const limit = isAll ? undefined : countIn('Limit', parameters.get('limit', item, 50));
		const { client } = await accounts.of(item);
		return {
			values,
			limit,
			context,
			client,
			isSimple: parameters.get('simple', item, true) === true,
			missing: (...lacking) => missing(parameters, item, lacking),
			parameter: (name) => parameters.get(name, item, ''),
			get: async (qs, path = pathOf(operation, (name) => toListId(values.raw(name)))) =>
				await client.get(path, qs),
		};
	};

	const readItem = async (item: number, output: INodeExecutionData[]): Promise<void> => {
		let input = inputs[item];
		let includesInput = false;
		const place = (json: IDataObject) =>
			operation.place?.({ input, item, includesInput, ...common }, json) ?? {
				json,
				pairedItem: { item },
			};
		const fail = (thrown: unknown) => {
			const problem = problemOf(thrown);
			problems.push(problem);
			output.push(onError.output(problem, item, input, place));
			// That a job is not done yet is an answer.
			hasAnswer ||= problem.reason === 'job_not_finished';
			if (!onError.stops || signal?.aborted) return;
			failures.push(stopError(context.node, problem, item));
			if (!isBought) accounts.end();
		};
		try {
			includesInput = parameters.get('includeInputFields', item, false) === true && !isTool;
			if (refusal === undefined && !isWanted(parameters, item)) {
				unmet++;
				output.push(place({ status: 'skipped', reason: UNMET }));
				return;
			}
			const request = await requestFor(item);
			const reading = await operation.read(request);
			if (reading.isOfNoItem) input = { json: {} };
			for (const result of reading.results) {
				if (breather.isDue) await breather.breathe();
				if (PASSED_ON.has(result.status)) hasPassedOn = true;
				else hasAnswer = true;
				output.push(place(request.isSimple ? reading.simplify(result) : result));
			}
			if (reading.incomplete) fail(reading.incomplete);
		} catch (error) {
			fail(error);
		}
	};

	const outputs: INodeExecutionData[][] = inputs.map(() => []);
	let next = 0;
	const work = async () => {
		for (;;) {
			// Before an item is taken, so that no later one overtakes it.
			if (breather.isDue) await breather.breathe();
			if (next >= inputs.length || (failures.length > 0 && !isBought)) return;
			const item = next++;
			await readItem(item, outputs[item]);
		}
	};
	try {
		await Promise.all(Array.from({ length: DEFAULT_PACE.maxConcurrency }, work));
	} finally {
		accounts.end();
	}
	// A key that is refused cannot hide behind items that are passed on.
	const isRefused = problems.some(({ reason }) => REFUSED.has(reason));
	const mayGoOn = hasAnswer || (hasPassedOn && !isRefused) || executionOf(context).hasBought;
	if (failures.length > 0 && !(isBought && mayGoOn)) throw failures[0];
	const isPartial = problems.length > 0;
	const without = `${count(problems.length, 'item')} without a whole result: ${reasonsOf(problems)}`;
	const skipped = unmet > 0 && `${unmet} did not meet the condition`;
	const more = [skipped, parameters.readFrom, ...replaced.said, ...adviceOn(problems)];
	const said = [isPartial && without, ...more].filter(Boolean);
	if (said.length > 0) context.hint(`${said.join('. ')}.`, isPartial ? 'warning' : 'info');
	return outputs.flat();
}
