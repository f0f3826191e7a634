import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** Who a lead is: a result fills these fields of the input where they are empty, and never replaces them. */
export const LEAD_FIELDS = ['firstName', 'lastName', 'fullName', 'company', 'domain', 'country'];

/** The statuses of our items. */
const STATUSES = new Set<unknown>([
	'found',
	'verified',
	'known',
	'skipped',
	'not_found',
	'invalid_input',
	'not_processed',
	'pending',
	'failed',
]);

/** What an earlier lookup said besides its status, which a later one replaces. */
const TOLD_WITH_STATUS = ['reason', 'message', 'httpCode', 'jobId', 'jobRow', 'credits'];

/** How a result and the item that it is for go together. */
export interface Arrangement {
	includesInput: boolean;
	/** Under which name all of the result goes; beside each other without it. */
	resultField?: string;
	/** Fields of the input that a result does not replace. */
	keeps?: string[];
	/** Whether nothing was found: what the item keeps was not checked now. */
	isMiss?: boolean;
	/** Whether the result says how the item is now, also where it has no status of its own. */
	isAnswer?: boolean;
}

/** The output item for a result: alone or with the fields of its input, linked to it. */
export function arrangedItem(
	{ json: input, binary }: INodeExecutionData,
	item: number,
	result: IDataObject,
	{ includesInput, resultField, keeps = [], isMiss = false, isAnswer = false }: Arrangement,
): INodeExecutionData {
	const pairedItem = { item };
	const json = resultField === undefined ? result : { [resultField]: result };
	if (!includesInput) return { json, pairedItem };
	// n8n takes an item with an `error` for one that failed.
	const fields = { ...input };
	delete fields.error;
	const kept = isMiss ? [...keeps, 'checkedAt'] : keeps;
	const merged =
		resultField === undefined ? merge(fields, result, kept, isAnswer) : { ...fields, ...json };
	return { json: merged, pairedItem, ...(binary && { binary }) };
}

/** The fields of the input, then those of the result, which erase nothing. */
function merge(
	input: IDataObject,
	result: IDataObject,
	keeps: string[],
	isAnswer: boolean,
): IDataObject {
	const merged = { ...input };
	const isPassedOn = result.status === 'skipped' && !isEmpty(input.status);
	const hasNewStatus = (isAnswer || !isEmpty(result.status)) && !isPassedOn;
	if (hasNewStatus && STATUSES.has(input.status)) {
		for (const name of ['status', ...TOLD_WITH_STATUS]) delete merged[name];
	}
	const added = Object.entries(result).filter(([name, value]) => {
		if (name === 'status' && isPassedOn) return false;
		// Even an unknown cost is the cost of this run: what an earlier node spent is not.
		if (name === 'credits' || !Object.hasOwn(merged, name)) return true;
		return !isEmpty(value) && (!keeps.includes(name) || isEmpty(merged[name]));
	});
	return { ...merged, ...Object.fromEntries(added) };
}

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	return typeof value === 'string' && value.trim() === '';
}
