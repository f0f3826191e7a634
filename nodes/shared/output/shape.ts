import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Paid } from '../execution/answers';
import type { Names } from '../failures/names';
import { ANSWERED, PASSED_ON, WITHOUT_RESULT } from '../failures/reasons';
import { isSameEmail } from '../values/email';
import { isEmpty } from '../values/json';
import { numberOf } from '../values/text';
import { isOwnError } from './onError';

/** What a lookup says of an item. */
export interface Shown extends Paid {
	/** The status, and the node's own fields that have a value. */
	fields: IDataObject;
	/** The node's own fields, which every item has: `null` where there is nothing. */
	columns: string[];
	/** Whether it is one more match for the same item. */
	isFurther?: true;
}

/** What is known of an email. */
const OF_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** The texts of a query that say whom it is about. */
const SUBJECTS = ['fullName', 'firstName', 'lastName', 'keyword'];

/** These come before all other fields but the subject, so that a table shows them. */
const firstOf = ({ status, message }: Names) => [status, 'email', 'emailStatus', message];

interface Placement {
	includesInput: boolean;
	/** Whether the input is the item of an agent, which is nobody's lead. */
	isTool: boolean;
	/** The query, whose texts stand in for the input where that is not included. */
	asked?: IDataObject;
	/** The fields that say whom the item is about: they come first. */
	subject: string[];
	names: Names;
}

/** The output item for a result, linked to its input. The input stays as it is. */
export function itemWith(
	{ json, binary }: INodeExecutionData,
	item: number,
	{ includesInput, isTool, asked = {}, subject, names }: Placement,
	result: Shown,
): INodeExecutionData {
	const input = isTool ? {} : json;
	const isJoined = (includesInput || PASSED_ON.has(result.fields[names.status])) && !isTool;
	const fields = isJoined ? { ...input } : textsOf(asked);
	// From an error output it comes with a message of that failure.
	if (isOwnError(fields.error)) delete fields.message;
	// n8n takes an item with an `error` for one that failed.
	delete fields.error;
	const credits = creditsAfter(input, result, names);
	return {
		json: withResult(fields, isJoined ? subject : SUBJECTS, { ...result, credits }, names),
		pairedItem: { item },
		...(isJoined && binary && { binary }),
	};
}

/** What the lead has cost so far: what earlier lookups say, and this one; `null` where one of them does not know. */
function creditsAfter(
	before: IDataObject,
	{ credits, isFurther, isOfJob }: Shown,
	names: Names,
): number | null {
	if (isFurther || isEmpty(before[names.status])) return credits;
	// The row of a job says what its wait did not know.
	const unknown = names.credits in before && !isOfJob ? null : 0;
	const earlier = numberOf(before[names.credits]) ?? unknown;
	return earlier === null || credits === null ? null : earlier + credits;
}

/**
 * Puts a result into the fields of an item. It goes field by field, as every lead passes here: objects that are spread and
 * built from entries take more than ten times as long.
 */
function withResult(
	target: IDataObject,
	subject: string[],
	result: Shown,
	names: Names,
): IDataObject {
	const { fields, columns, credits } = result;
	const { emptied, kept } = changesOf(target, result, names);
	// Google Sheets adds a `row_number`, and leaves a cell as it is for `null`.
	const nothing = 'row_number' in target ? '' : null;
	const merged: IDataObject = {};
	for (const name of subject)
		if (Object.hasOwn(target, name)) put(merged, name, target[name] ?? null);
	for (const name of firstOf(names)) if (columns.includes(name)) merged[name] = null;
	for (const name of Object.keys(target)) {
		put(merged, name, emptied.includes(name) ? nothing : (target[name] ?? null));
	}
	for (const name of columns) if (!Object.hasOwn(merged, name)) merged[name] = null;
	for (const name of Object.keys(fields)) {
		if (!kept.includes(name) && (fields[name] ?? null) !== null) merged[name] = fields[name];
	}
	merged[names.credits] = credits;
	return merged;
}

/**
 * The fields of the target that a result empties, and those of its own that stay. A result writes all of its fields.
 * Without one, the lead keeps its email and what is known of it, and the others say why. A lead that is not looked up passes
 * as it is, with a status if it has none, and so does one whose email is looked up again in vain.
 */
function changesOf(target: IDataObject, { fields, columns, isOfJob }: Shown, names: Names) {
	const status = fields[names.status];
	const before = target[names.status];
	const isOfEmail = columns.includes('email');
	const hasEmail = JSON.stringify(target.email ?? '').includes('@');
	const isAnswered = ANSWERED.has(status);
	const isPassedOn = PASSED_ON.has(status) || (status === 'not_found' && isOfEmail && hasEmail);
	// What an earlier lookup said says more. An email that somebody has filled in says more than its failure.
	const saysMore = status === 'skipped' ? !isEmpty(before) : ANSWERED.has(before);
	const keepsStatus = isPassedOn && saysMore;
	const emptied = keepsStatus ? [] : [names.reason, names.message];
	if (isAnswered) emptied.push(...columns, names.response);
	// What an earlier lookup said of an email goes with it, also where somebody has deleted it.
	const isGone = status !== 'skipped' && 'email' in target && !hasEmail && !isEmpty(before);
	if (isOfEmail && (isAnswered || isGone)) emptied.push(...OF_EMAIL);
	// A job is paid for: it is to be collected, whatever others say meanwhile, until a Finder has the result.
	const isCollected = isOfJob === true && !WITHOUT_RESULT.has(status);
	if (status === 'found' || isCollected) emptied.push(names.jobId, names.jobRow);
	const kept = keepsStatus ? [names.status, names.reason] : [];
	if (isPassedOn && hasEmail) {
		kept.push('checkedAt');
		// The Verifier says of which email it knows the status.
		if (!('emailStatus' in fields) || isSameEmail(target.email, fields.email)) kept.push('email');
	}
	return { emptied, kept };
}

/** Gives all items the fields of those that say why they have no result, so no table or file has holes. */
export function alignFields(items: INodeExecutionData[], names: Names): void {
	const told = [names.reason, names.message, names.jobId, names.jobRow, names.response].filter(
		(name) => items.some(({ json }) => name in json),
	);
	if (told.length === 0) return;
	for (const item of items) {
		// An item for the error output has no status, and no place for further fields.
		if (!(names.status in item.json)) continue;
		const own = Object.keys(item.json);
		const subject = own.slice(0, own.indexOf(names.status));
		const first = firstOf(names).filter((name) => name in item.json || told.includes(name));
		item.json = { ...nothingIn([...subject, ...first]), ...item.json };
		for (const name of told) item.json[name] ??= null;
	}
}

/**
 * Gives all items of a read the same fields, so that no table or file has holes, the results' own before those that say
 * why there is none. Items for the error output stay.
 */
export function alignColumns(items: INodeExecutionData[]): void {
	const told = items.filter(({ json }) => !isOwnError(json.error));
	const results = told.filter(({ json }) => !('lookupStatus' in json));
	const names = new Set([...results, ...told].flatMap(({ json }) => Object.keys(json)));
	for (const item of told) item.json = { ...nothingIn(names), ...item.json };
}

function nothingIn(names: Iterable<string>): IDataObject {
	return Object.fromEntries([...names].map((name) => [name, null]));
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
