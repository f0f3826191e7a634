import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { saysWhyFree } from '../failures/failure';
import { PASSED_ON, PROBLEM_FIELDS, STATUSES, WITHOUT_RESULT } from '../failures/reasons';
import { asBeforeFile } from '../host/file';
import { isEmpty, isObject, numberAt, objectFrom } from '../values/json';
import { count } from '../values/text';
import { isOwnError } from './onError';
import { changesOf, JOB_FIELDS, type Shown } from './rule';

/** These come before all other fields, so that a table shows them first. */
const FIRST = ['status', 'email', 'emailStatus', 'message'];

interface Placement {
	includesInput: boolean;
	/** Whether the input is the item of an agent, which is nobody's lead. */
	isTool: boolean;
	/** The name of the field for the result; without it, the result joins the item itself. */
	resultField?: string;
	/** The query, whose texts stand in for the input where that is not included. */
	asked?: IDataObject;
	/** The nodes that `source` may name: any other is the user's own. */
	sources?: Set<unknown>;
	/** Counts the user's own fields that the result replaces. */
	replaced?: Replaced;
}

/** The output item for a result, linked to its input. The input stays as it is. */
export function itemWith(
	{ json, binary }: INodeExecutionData,
	item: number,
	{ includesInput, isTool, resultField, asked = {}, sources, replaced }: Placement,
	result: Shown,
): INodeExecutionData {
	const input = isTool ? {} : asBeforeFile(json, resultField);
	const isKept = PASSED_ON.has(result.fields.status) && resultField === undefined;
	const isJoined = (includesInput || isKept) && !isTool;
	const fields = isJoined ? { ...input } : textsOf(asked);
	const held = resultField === undefined ? fields : { ...objectFrom(input[resultField]) };
	// From an error output it comes with a message of that failure, not of its own.
	if (isOwnError(fields.error)) fields.message = null;
	// n8n takes an item with an `error` for one that failed.
	delete fields.error;
	const merged = withResult(held, result, sources);
	// What a lead has cost so far is said without its fields, too.
	merged.credits = creditsAfter(resultField === undefined ? input : held, result);
	if (isJoined && resultField === undefined) replaced?.count(json, merged);
	return {
		json: resultField === undefined ? merged : { ...fields, [resultField]: merged },
		pairedItem: { item },
		...(isJoined && binary && { binary }),
	};
}

/**
 * Puts a result into its target: the item, or the object that the item holds for it. It goes field by field, as every
 * lead passes here: objects that are spread and built from entries take more than ten times as long.
 */
function withResult(target: IDataObject, result: Shown, sources?: Set<unknown>): IDataObject {
	const { fields, columns, replaces } = result;
	const { emptied, kept } = changesOf(target, result, sources);
	// An object with an email holds a lead, which is not the company's to replace.
	if (replaces)
		emptied.push(...('email' in target ? [...columns, 'response'] : Object.keys(target)));
	// Google Sheets adds a `row_number`, and leaves a cell as it is for `null`.
	const nothing = 'row_number' in target ? '' : null;
	const isWritten = (name: string) => (fields[name] ?? null) !== null && !kept.includes(name);
	const written = Object.keys(fields).filter(isWritten);
	const merged: IDataObject = {};
	for (const name of FIRST) if (columns.includes(name)) merged[name] = null;
	for (const name of Object.keys(target)) {
		if (!emptied.includes(name)) put(merged, name, target[name] ?? null);
		// What is emptied is still there: so it goes from the row, too, that the item is written to.
		else if (!replaces || written.includes(name)) merged[name] = nothing;
	}
	for (const name of columns) if (!Object.hasOwn(merged, name)) merged[name] = null;
	for (const name of written) merged[name] = fields[name];
	return merged;
}

/** Gives all items the fields of those without a result, of this node or an earlier one, so no table or file has holes. */
export function alignFields(items: INodeExecutionData[], resultField?: string): void {
	const targetOf = ({ json }: INodeExecutionData) =>
		resultField === undefined ? json : json[resultField];
	const isTold = (name: string) => (item: INodeExecutionData) => {
		const target = targetOf(item);
		if (!isObject(target) || !(name in target)) return false;
		return isEmpty(target[name]) || WITHOUT_RESULT.has(target.status) || saysWhyFree(target);
	};
	const told = [...PROBLEM_FIELDS, ...JOB_FIELDS].filter((name) => items.some(isTold(name)));
	if (told.length === 0) return;
	for (const item of items) {
		const target = targetOf(item);
		// An item for the error output has no status, and no place for further fields.
		if (!isObject(target) || !('status' in target)) continue;
		const aligned: IDataObject = {};
		const names = FIRST.filter((name) => name in target || told.includes(name));
		for (const name of [...names, ...Object.keys(target), ...told]) {
			if (!Object.hasOwn(aligned, name)) put(aligned, name, target[name] ?? null);
		}
		if (resultField === undefined) item.json = aligned;
		else item.json[resultField] = aligned;
	}
}

/**
 * Gives all items of a read the same fields, so that no table or file has holes, the results' own before those that say
 * why there is none. Items for the error output stay.
 */
export function alignColumns(items: INodeExecutionData[]): void {
	const told = items.filter(({ json }) => !isOwnError(json.error));
	const [without, results] = [true, false].map((hasStatus) =>
		told.filter(({ json }) => STATUSES.has(json.status) === hasStatus),
	);
	const names = new Set([...results, ...without].flatMap(({ json }) => Object.keys(json)));
	const nothing = Object.fromEntries([...names].map((name) => [name, null]));
	for (const item of told) item.json = { ...nothing, ...item.json };
}

const ORDINARY = { enumerable: true, configurable: true, writable: true };

/** Sets a field, by whatever name: `__proto__` cannot be assigned. */
function put(fields: IDataObject, name: string, value: IDataObject[string]): void {
	if (name !== '__proto__') fields[name] = value;
	else Object.defineProperty(fields, name, { value, ...ORDINARY });
}

/** What the lookups of the target have cost by now: `null` where nobody knows. */
function creditsAfter(target: IDataObject, result: Shown): number | null {
	const { credits, isOfJob, isFurther, fields } = result;
	if (isFurther || !STATUSES.has(target.status)) return credits;
	const before = numberAt(target, 'credits');
	// A job tells what a row cost to the item with `null` that waits for it: not to another one that waited for the same
	// row. What has failed meanwhile may have cost something else.
	const hasJob = target.status === 'pending' || !isEmpty(target.jobId);
	const isWaiting = !/^(found|not_found|verified|failed)$/.test(`${target.status}`);
	if (isOfJob && hasJob && (before !== null || isWaiting)) return before ?? credits;
	// A sheet has an empty text for `null`.
	const isUnknown =
		(target.credits === null || target.credits === '') && fields.status !== 'pending';
	return isUnknown || credits === null ? null : (before ?? 0) + credits;
}

function textsOf(query: IDataObject): IDataObject {
	const entries = Object.entries(query);
	return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value));
}

/** Names of fields that are the user's own in an item without a status of this package. */
const OWN_NAMES = ['status', 'credits', 'response', 'mailboxType', 'personData', 'source'];

/** Fields of the user's own that results have replaced, as fields of a result have the same names. */
export class Replaced {
	private items = 0;

	private readonly fields = new Set<string>();

	/** @param before an item, and what it has become */
	count(before: IDataObject, after: IDataObject): void {
		const input = asBeforeFile(before);
		if (WITHOUT_RESULT.has(input.status) || saysWhyFree(input)) return;
		const names = STATUSES.has(input.status) ? [] : OWN_NAMES;
		const isOwn = (name: string) => name !== 'message' || !isOwnError(input.error);
		const fields = [...names, ...PROBLEM_FIELDS.filter(isOwn)].filter(
			(name) => !isEmpty(input[name]) && input[name] !== after[name],
		);
		if (fields.length > 0) this.items++;
		for (const field of fields) this.fields.add(field);
	}

	/** What the summary says of them, if there are any. */
	get said(): string[] {
		if (this.items === 0) return [];
		const whose = this.items === 1 ? 'its' : 'their';
		return [
			`${count(this.items, 'item')} had fields of ${whose} own that are replaced (${[...this.fields].join(', ')}): to keep them, add the option Put Result in Field`,
		];
	}
}
