import { saysWhyFree } from '../failures/failure';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Paid } from '../execution/answers';
import { JOB_OVER, PASSED_ON, PROBLEM_FIELDS, STATUSES, WITHOUT_RESULT } from '../failures/reasons';
import { asBeforeFile } from '../host/file';
import { holdsEmail, holdsWords, isMixed, isSameEmail } from '../values/email';
import { isEmpty, isObject, numberAt, objectFrom } from '../values/json';
import { isOwnError } from './onError';
import type { Replaced } from './replaced';

/** The names of the fields that say which bulk job has the result. */
const JOB_FIELDS = ['jobId', 'jobRow'];

/** Fields that describe an email: they are emptied when it changes. */
const ABOUT_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** These come before all other fields, so that a table shows them first. */
const FIRST = ['status', 'email', 'emailStatus', 'message'];

/** What a lookup says of an item. */
export interface Shown extends Paid {
	/** The status, and the node's own fields that have a value. */
	fields: IDataObject;
	/** The node's own fields, which every item has: `null` where there is nothing. */
	columns: string[];
	/** Whether it replaces all that the target holds. */
	replaces?: boolean;
	/** Whether it is a further match: the first one says what the lookups have cost. */
	isFurther?: boolean;
}

export interface Placement {
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
	const { fields, columns } = result;
	const gone = goneFrom(target, result);
	if (gone.includes('emailStatus') && sources?.has(target.source)) gone.push('source');
	// Google Sheets adds a `row_number`, and leaves a cell as it is for `null`.
	const nothing = 'row_number' in target ? '' : null;
	const added = Object.keys(fields).filter((name) => isAdded(name, target, result));
	const merged: IDataObject = {};
	for (const name of FIRST) if (columns.includes(name)) merged[name] = null;
	for (const name of Object.keys(target)) {
		if (!gone.includes(name)) put(merged, name, target[name] ?? null);
		// What is gone is still there, as empty: so it goes from the row, too, that the item is written to.
		else if (!result.replaces || added.includes(name)) merged[name] = nothing;
	}
	for (const name of columns) if (!Object.hasOwn(merged, name)) merged[name] = null;
	for (const name of added) merged[name] = fields[name];
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

/** Gives all items of a read the same fields, so that no table or file has holes. Those for the error output stay. */
export function alignColumns(items: INodeExecutionData[]): void {
	const told = items.filter(({ json }) => !isOwnError(json.error));
	const names = new Set<string>();
	for (const { json } of told) for (const name of Object.keys(json)) names.add(name);
	const inOrder = [...FIRST.filter((name) => names.has(name)), ...names];
	const nothing = Object.fromEntries(inOrder.map((name) => [name, null]));
	for (const item of told) item.json = { ...nothing, ...item.json };
}

/** The fields of the target that a result takes away. */
function goneFrom(target: IDataObject, result: Shown): string[] {
	const { fields, columns, replaces, isOfJob } = result;
	// An object with an email holds a lead, which a result that replaces has nothing to do with.
	if (replaces && !('email' in target)) return Object.keys(target);
	const gone = replaces ? [...columns, 'response'] : [];
	const isWithoutEmail =
		fields.status === 'not_found' && 'email' in target && isEmpty(target.email);
	if (isWithoutEmail || isNewEmail(target, fields)) {
		gone.push(...ABOUT_EMAIL);
		// Any other `response` is the user's own.
		if (isObject(target.response) && STATUSES.has(target.status)) gone.push('response');
	}
	if (saysWhyFree(target) && !keepsStatus(target, result)) gone.push('reason');
	const isReplaced = WITHOUT_RESULT.has(target.status) && !keepsStatus(target, result);
	if (isReplaced) gone.push(...PROBLEM_FIELDS);
	// The job of a Finder is paid for: it stays until it is collected or over, or another request has found the email.
	const isFound = columns.includes('email') && fields.status === 'found';
	const isMissed = columns.includes('email') && fields.status === 'not_found';
	const isOver = isOfJob === true && (isFound || isMissed || JOB_OVER.has(fields.reason));
	const hasNoJob = isOver ? STATUSES.has(target.status) : isReplaced && isFound;
	return hasNoJob ? [...gone, ...JOB_FIELDS] : gone;
}

/** Whether a field of a result reaches the target. */
function isAdded(name: string, target: IDataObject, result: Shown): boolean {
	const { fields } = result;
	if (fields[name] === null || fields[name] === undefined) return false;
	const isWhy = name === 'status' || (name === 'reason' && saysWhyFree(fields));
	if (isWhy) return !keepsStatus(target, result);
	if (name === 'email') return !keepsEmail(target, fields);
	// A miss is no check of the email that the item keeps.
	return name !== 'checkedAt' || fields.status !== 'not_found' || isEmpty(target.email);
}

const ORDINARY = { enumerable: true, configurable: true, writable: true };

/** Sets a field, by whatever name: `__proto__` cannot be assigned. */
function put(fields: IDataObject, name: string, value: IDataObject[string]): void {
	if (name !== '__proto__') fields[name] = value;
	else Object.defineProperty(fields, name, { value, ...ORDINARY });
}

/** Whether an item that is passed on, or keeps its email as no other is found, keeps the status that it came with. */
function keepsStatus(target: IDataObject, { fields: { status }, columns }: Shown): boolean {
	const { status: before } = target;
	if (status === 'skipped') return STATUSES.has(before);
	const isMissed = status === 'not_found' && columns.includes('email') && !isEmpty(target.email);
	return (status === 'known' || isMissed) && (before === 'found' || before === 'verified');
}

/**
 * Whether a lead keeps its own email: with words of the user beside the same one; and, where nothing was looked up, beside a
 * known one of another field, or several of them.
 */
function keepsEmail({ email: own }: IDataObject, fields: IDataObject): boolean {
	if (typeof own === 'string' && holdsWords(own) && isSameEmail(own, fields.email)) return true;
	if (fields.status !== 'known' || isEmpty(own)) return false;
	if (typeof own !== 'string' || own.split('@').length > 2 || isMixed(own)) return true;
	return !('emailStatus' in fields) && holdsEmail(own) && !isSameEmail(own, fields.email);
}

/** Whether another email takes the place of the one that the target holds, or of none. */
function isNewEmail(target: IDataObject, fields: IDataObject): boolean {
	const { status, email } = fields;
	if (isEmpty(email)) return false;
	// A known email may come from a field of another name: what the item says of it stays.
	if (!('email' in target)) return status === 'found';
	return !isSameEmail(target.email, email) && !keepsEmail(target, fields);
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
