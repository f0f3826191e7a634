import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Paid } from '../execution/answers';
import { saysWhyFree } from '../failures/failure';
import { PASSED_ON, PROBLEM_FIELDS, STATUSES, WITHOUT_RESULT } from '../failures/reasons';
import { asBeforeFile } from '../host/file';
import { isSameEmail } from '../values/email';
import { isEmpty, isObject, objectFrom } from '../values/json';
import { numberOf } from '../values/text';
import { isOwnError } from './onError';

/** What a lookup says of an item. */
export interface Shown extends Paid {
	/** The status, and the node's own fields that have a value. */
	fields: IDataObject;
	/** The node's own fields, which every item has: `null` where there is nothing. */
	columns: string[];
}

/** The names of the fields that say which bulk job has the result. */
const JOB_FIELDS = ['jobId', 'jobRow'];

/** What is known of an email. */
const OF_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** These come before all other fields, so that a table shows them first. */
const FIRST = ['status', 'email', 'emailStatus', 'message'];

const ANSWERED = new Set<unknown>(['found', 'verified']);

interface Placement {
	includesInput: boolean;
	/** Whether the input is the item of an agent, which is nobody's lead. */
	isTool: boolean;
	/** The name of the field for the result; without it, the result joins the item itself. */
	resultField?: string;
	/** The query, whose texts stand in for the input where that is not included. */
	asked?: IDataObject;
	/** Takes the names of the user's own fields that the result replaces. */
	replaced: Set<string>;
}

/** The output item for a result, linked to its input. The input stays as it is. */
export function itemWith(
	{ json, binary }: INodeExecutionData,
	item: number,
	{ includesInput, isTool, resultField, asked = {}, replaced }: Placement,
	result: Shown,
): INodeExecutionData {
	const input = isTool ? {} : asBeforeFile(json, resultField);
	const isKept = PASSED_ON.has(result.fields.status) && resultField === undefined;
	const isJoined = (includesInput || isKept) && !isTool;
	const fields = isJoined ? { ...input } : textsOf(asked);
	// From an error output it comes with a message of that failure, not of its own.
	if (isOwnError(fields.error)) fields.message = null;
	// n8n takes an item with an `error` for one that failed.
	delete fields.error;
	const before = resultField === undefined ? input : objectFrom(input[resultField]);
	const sum: Shown = { ...result, credits: creditsAfter(before, result) };
	return {
		json:
			resultField === undefined
				? withResult(fields, sum, replaced)
				: { ...fields, [resultField]: withResult(before, sum) },
		pairedItem: { item },
		...(isJoined && binary && { binary }),
	};
}

/** What the lead has cost so far: what earlier lookups say, and this one; `null` where one of them does not know. */
function creditsAfter(before: IDataObject, { credits, isOfJob }: Shown): number | null {
	if (!STATUSES.has(before.status)) return credits;
	// The row of a job says what its wait did not know.
	const earlier = numberOf(before.credits) ?? ('credits' in before && !isOfJob ? null : 0);
	return earlier === null || credits === null ? null : earlier + credits;
}

/**
 * Puts a result into its target: the item, or the object that the item holds for it. It goes field by field, as every
 * lead passes here: objects that are spread and built from entries take more than ten times as long.
 */
function withResult(target: IDataObject, result: Shown, replaced?: Set<string>): IDataObject {
	const { fields, columns, credits } = result;
	const { emptied, kept } = changesOf(target, result);
	// Google Sheets adds a `row_number`, and leaves a cell as it is for `null`.
	const nothing = 'row_number' in target ? '' : null;
	const merged: IDataObject = {};
	for (const name of FIRST) if (columns.includes(name)) merged[name] = null;
	for (const name of Object.keys(target)) {
		put(merged, name, emptied.includes(name) ? nothing : (target[name] ?? null));
	}
	for (const name of columns) if (!Object.hasOwn(merged, name)) merged[name] = null;
	for (const name of Object.keys(fields)) {
		if (kept.includes(name) || (fields[name] ?? null) === null) continue;
		if (replaced && isOwn(name, target)) replaced.add(name);
		merged[name] = fields[name];
	}
	if (replaced && isOwn('credits', target)) replaced.add('credits');
	merged.credits = credits;
	return merged;
}

/**
 * The fields of the target that a result empties, and those of its own that stay. A result writes all of its fields anew.
 * Without one, what is known of an email stays, and the rest says why. What is not looked up passes as it is, and so does
 * an email for which there is no other one.
 */
function changesOf(target: IDataObject, { fields, columns, isOfJob }: Shown) {
	const { status } = fields;
	const isOfEmail = columns.includes('email');
	const hasEmail = JSON.stringify(target.email ?? '').includes('@');
	const isPassedOn = PASSED_ON.has(status) || (status === 'not_found' && isOfEmail && hasEmail);
	// What an earlier lookup said says more.
	const keepsStatus = isPassedOn && (status === 'skipped' ? STATUSES : ANSWERED).has(target.status);
	const emptied: string[] = [];
	if (ANSWERED.has(status)) emptied.push(...columns);
	// What an earlier lookup said of an email goes with it, also where somebody has deleted it.
	const isGone = 'email' in target && !hasEmail && (status === 'known' || status === 'not_found');
	if (isOfEmail && STATUSES.has(target.status) && (ANSWERED.has(status) || isGone)) {
		emptied.push(...OF_EMAIL);
	}
	if (!keepsStatus && lacksResult(target)) emptied.push(...PROBLEM_FIELDS);
	if (!keepsStatus && saysWhyFree(target)) emptied.push('reason');
	// A job is paid for: it is to be collected, whatever others say meanwhile, until a Finder has the result.
	const isCollected = isOfJob === true && !('reason' in fields);
	const isFound = isOfEmail && status === 'found' && lacksResult(target);
	if (isCollected || isFound) emptied.push(...JOB_FIELDS);
	const kept: string[] = [];
	if (keepsStatus) kept.push('status', 'reason');
	if (isPassedOn && hasEmail) {
		kept.push('checkedAt');
		// The Verifier says of which email it knows the status.
		if (!('emailStatus' in fields) || isSameEmail(target.email, fields.email)) kept.push('email');
	}
	return { emptied, kept };
}

/** Whether a field that a result writes holds something that no lookup has written. */
function isOwn(name: string, target: IDataObject): boolean {
	if (isEmpty(target[name])) return false;
	if (PROBLEM_FIELDS.includes(name)) return !saysWhy(target);
	return !['email', 'emailStatus', 'checkedAt'].includes(name) && !STATUSES.has(target.status);
}

/** Whether an earlier lookup had no result. Of a wait for a job its reason says it, whatever status others write. */
function lacksResult({ status, reason }: IDataObject): boolean {
	return WITHOUT_RESULT.has(status) || reason === 'job_not_finished';
}

/** Whether a lookup has said in an item why there is no result, or why it was free. */
function saysWhy(target: IDataObject): boolean {
	return lacksResult(target) || saysWhyFree(target);
}

/** Gives all items the fields of those that say why they have no result, so no table or file has holes. */
export function alignFields(items: INodeExecutionData[], resultField?: string): void {
	const targetOf = ({ json }: INodeExecutionData) =>
		resultField === undefined ? json : json[resultField];
	const isTold = (name: string) => (item: INodeExecutionData) => {
		const target = targetOf(item);
		return isObject(target) && name in target && saysWhy(target);
	};
	const told = [...PROBLEM_FIELDS, ...JOB_FIELDS].filter((name) => items.some(isTold(name)));
	if (told.length === 0) return;
	for (const item of items) {
		const target = targetOf(item);
		// An item for the error output has no status, and no place for further fields.
		if (!isObject(target) || !('status' in target)) continue;
		const names = FIRST.filter((name) => name in target || told.includes(name));
		const first = Object.fromEntries(names.map((name) => [name, null]));
		const aligned: IDataObject = { ...first, ...target };
		for (const name of told) aligned[name] ??= null;
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

function textsOf(query: IDataObject): IDataObject {
	const entries = Object.entries(query);
	return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value));
}
