import type { IDataObject } from 'n8n-workflow';
import { MAX_ROWS } from '../api/bulkFinder';
import type { Answer } from '../execution/answers';
import type { JobRow } from '../execution/execution';
import { FirstFailure, invalidValue, type Problem, problemOf } from '../failures/failure';
import { knownStatus } from '../values/email';
import { JOB_OVER } from '../failures/reasons';
import { momentOf } from '../values/moment';
import { objectFrom } from '../values/json';
import { numberOf, toText } from '../values/text';
import type { Declaration } from './declaration';
import { FieldValues, typedText } from './fieldValues';
import { missing, type Missing } from './missing';
import type { LookupOptions } from './options';
import type { LeadParameters } from './leadParameters';

/** A field for a value that an item may have already, so that it needs no lookup. */
export interface Existing {
	parameter: string;
	/** What such an item has, in words: `an email`. */
	what: string;
	/** What the text of the field says, if that spares the lookup. An unknown status does for a while. */
	read(text: string): { fields: IDataObject; isUnknown?: boolean } | undefined;
}

/** An item that is passed on without a lookup, for free. */
interface PassedOn {
	status: 'known' | 'skipped';
	fields: IDataObject;
	/** Whether Look Up Only If leaves it out. */
	isUnmet?: true;
}

/** A question to the service, made of the fields of one item. */
export interface Question<Query> {
	/** The question in the package's words. Items without their input show its texts. */
	query: Query;
	missing?: Missing[];
	/** The result, where it is certain without the service. */
	result?: IDataObject;
	/** Whether the item has nothing to look up, so that it is skipped. */
	isEmpty?: boolean;
}

/** How a lookup, or its estimate, makes the question of an item. */
export interface Preparation<Query extends IDataObject> extends Declaration {
	/** The field that an answer fills: lookups that find the same share their answers, no other does. */
	finds: string;
	/** The kind of credits that it costs (interface specification 2.2, 8). */
	kind: string;
	/** Whether a job of the bulk finder may have the results. */
	hasJobs?: true;
	existing?: Existing;
	/** The part of the query by which identical questions are found; all of it by default. */
	identity?(query: Query): unknown;
	/** Makes the question of the fields of an item. Throws `Failure` for a value that cannot be right. */
	prepare(values: FieldValues): Question<Query>;
}

/** What becomes of an item. */
export type Outcome = Answer | PassedOn | Problem;

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** In days: a mail server that did not answer may do so then. */
const REFRESH_UNKNOWN_AFTER = 1;

/** The day on which 1970 begins, as spreadsheets count. */
const UNIX_DAY = 25_569;

/** Between these a number can be the time of a check. */
const EARLIEST_CHECK = Date.UTC(2000);
const LATEST_CHECK = Date.UTC(2100);

/**
 * The item as it is passed on, where its existing value is new enough. A value without a date is: using it costs
 * nothing, looking it up does.
 * @param refreshAfter days after which what the item has is looked up again
 * @returns for a value that is to be looked up again, when it was checked, if that is known
 */
export function knownItem(
	{ parameter, read }: Existing,
	parameters: Pick<LeadParameters, 'get' | 'labelOf' | 'recorded'>,
	item: number,
	refreshAfter: number,
	now = Date.now(),
): PassedOn | { checked: number | undefined } | undefined {
	const text = typedText(parameters.get(parameter, item, ''), parameters.labelOf(parameter));
	const value = text === '' ? undefined : read(text);
	if (!value) return undefined;
	const keepIf = parameters.get('keepEmailIf', item, '');
	const status = keepIf && knownStatus(parameters.recorded('emailStatus', item));
	const isInvalid = keepIf === 'notInvalid' && status === 'invalid';
	if (isInvalid || (keepIf === 'valid' && status !== 'valid')) return { checked: undefined };
	const passedOn: PassedOn = { status: 'known', fields: value.fields };
	let most = refreshAfter;
	if (value.isUnknown) {
		// What a finder says of an email is no verification.
		const isVerified = ['', 'verified'].includes(toText(parameters.recorded('lookupStatus', item)));
		if (!isVerified) return { checked: undefined };
		most = Math.min(REFRESH_UNKNOWN_AFTER, refreshAfter);
	}
	if (most === Number.POSITIVE_INFINITY) return passedOn;
	const checked = timeOfCheck(parameters.recorded('checkedAt', item));
	if (checked === undefined) return value.isUnknown || most === 0 ? { checked } : passedOn;
	// A daily schedule checks again what it checked yesterday, a little more or less than a day ago.
	const age = (Math.max(0, now - checked) + HOUR) / DAY;
	return age < most ? passedOn : { checked };
}

/** The days after which what an item has is looked up again: 0 for all. Throws `Failure`. */
function refreshAfter(parameters: LeadParameters, item: number): number {
	const name = 'refreshAfterDays';
	// Without the option nothing is too old; an expression that gives nothing is refused.
	const value = parameters.get(name, item, Number.POSITIVE_INFINITY);
	if (value === Number.POSITIVE_INFINITY) return value;
	const label = parameters.labelOf(name);
	const days = numberOf(value);
	if (days === undefined || days < 0) {
		throw invalidValue(label, `${label} must be a number of 0 or more`);
	}
	return days;
}

/** When something was checked. A number may also be of days, as in a spreadsheet, or of seconds; many write 0 for "never". */
function timeOfCheck(value: unknown): number | undefined {
	const moment = momentOf(value);
	if (!moment || moment !== numberOf(value)) return moment;
	const meant = [moment, moment * 1000, (moment - UNIX_DAY) * DAY];
	return meant.find((time) => time >= EARLIEST_CHECK && time < LATEST_CHECK);
}

/**
 * Whether an item is to be looked up: all are, unless Look Up Only If says false for it, or nothing. Throws `Failure`
 * for what says neither.
 */
export function isWanted(parameters: LeadParameters, item: number): boolean {
	const value = parameters.get('lookUpIf', item, true) ?? '';
	if (typeof value === 'boolean') return value;
	const label = parameters.labelOf('lookUpIf');
	const text = typedText(value, label);
	// A column of a spreadsheet or a file has the words.
	const word = text.toLowerCase();
	if (['true', 'false', ''].includes(word)) return word === 'true';
	throw invalidValue(label, `${label} must be true or false, and is "${text}" for this item`);
}

/** The question of an item, and how its result is wanted. */
export interface Prepared<Query> {
	query: Query;
	/** The fields that say whom the item is about. */
	subject: string[];
	/** What becomes of the item, if nothing is to be sent for it. */
	outcome?: Outcome;
	isSimple: boolean;
	wantsAllMatches: boolean;
	includesInput: boolean;
	/** For an item that keeps what it has already, if nothing newer is found: when that was checked, if it is known. */
	due?: { checked: number | undefined };
	/** Whether it is looked up whatever this process remembers. */
	isRefreshed?: boolean;
	job?: JobRow;
}

/**
 * Prepares the question of an item, as the declaration of the operation says. What comes first holds: an option cannot
 * be used, it is not wanted, it is known, it is skipped, it lacks something or a field cannot be right, its result is
 * certain without the service.
 */
export function prepareItem<Query extends IDataObject>(
	lookup: Preparation<Query>,
	parameters: LeadParameters,
	item: number,
	options: Pick<LookupOptions, 'refusal'>,
): Prepared<Query> {
	const failure = new FirstFailure();
	const isOn = (name: string, byDefault: boolean) =>
		failure.of(() => parameters.get(name, item, byDefault)) === true;
	const wanted = {
		isSimple: isOn('simple', true),
		wantsAllMatches: isOn('returnAllMatches', false),
		includesInput: isOn('includeInputFields', true),
		subject: parameters.subjectIn(item),
	};
	const condition = new FirstFailure();
	if (!condition.of(() => isWanted(parameters, item)) && options.refusal === undefined) {
		const unmet: PassedOn = { status: 'skipped', fields: {}, isUnmet: true };
		const outcome = condition.error === undefined ? unmet : problemOf(condition.error);
		return { ...wanted, query: {} as Query, outcome };
	}
	const values = new FieldValues(parameters, item);
	const ofLead = new FirstFailure(values.failure);
	const question = ofLead.of(() => lookup.prepare(values));
	const { query = {} as Query, result } = question ?? {};
	const days = failure.of(() => refreshAfter(parameters, item));
	const { existing } = lookup;
	const known = failure.of(
		() => existing && days !== undefined && knownItem(existing, parameters, item, days),
	);
	const outcomeOf = (): Outcome | undefined => {
		if (options.refusal !== undefined) return problemOf(options.refusal);
		if (known && 'status' in known) return known;
		if (question?.isEmpty && ofLead.error === undefined) return { status: 'skipped', fields: {} };
		const refusal =
			failure.error ??
			ofLead.error ??
			(question?.missing && missing(parameters, item, question.missing));
		if (refusal) return problemOf(refusal);
		return result && { results: [result] };
	};
	return {
		...wanted,
		query,
		outcome: outcomeOf(),
		due: known && 'checked' in known ? known : undefined,
		isRefreshed: days === 0,
		job: lookup.hasJobs && jobOf(parameters.json(item)),
	};
}

/** The job that an item waits for since an earlier lookup, which is paid for. */
function jobOf(json: unknown): JobRow | undefined {
	const { lookupStatus, lookupReason, lookupJobId, lookupJobRow } = objectFrom(json);
	// Other nodes say meanwhile why they have failed.
	const hasFailed = lookupStatus === 'failed' && JOB_OVER.has(lookupReason);
	const isOver = lookupStatus === 'found' || hasFailed;
	const [id, row] = [toText(lookupJobId), numberOf(lookupJobRow) ?? 0];
	const isRow = Number.isInteger(row) && row > 0 && row <= MAX_ROWS;
	return !isOver && id !== '' && isRow ? { id, row } : undefined;
}
