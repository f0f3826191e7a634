import type { IDataObject } from 'n8n-workflow';
import type { Paid } from '../execution/answers';
import { saysWhyFree } from '../failures/failure';
import { JOB_OVER, PROBLEM_FIELDS, STATUSES, WITHOUT_RESULT } from '../failures/reasons';
import { holdsEmail, holdsWords, isMixed, isSameEmail } from '../values/email';
import { isEmpty, isObject } from '../values/json';

/** What a lookup says of an item. */
export interface Shown extends Paid {
	/** The status, and the node's own fields that have a value. */
	fields: IDataObject;
	/** The node's own fields, which every item has: `null` where there is nothing. */
	columns: string[];
	/** What was looked up. */
	finds?: string;
	/** Whether it is a company that takes the place of all that the target holds. */
	replaces?: boolean;
	/** Whether it is a further match: the first one says what the lookups have cost. */
	isFurther?: boolean;
}

/** The names of the fields that say which bulk job has the result. */
export const JOB_FIELDS = ['jobId', 'jobRow'];

/** The groups of fields, one for each column of {@link TABLE}. Any other field is `written`. */
const GROUPS = [
	['status', ...PROBLEM_FIELDS],
	['email'],
	['emailStatus', 'mailboxType', 'checkedAt', 'personData', 'response', 'source'],
	JOB_FIELDS,
];

/**
 * What becomes of a group. `written`: the target gets what the result says, and keeps the rest. `replaced`: before that,
 * what earlier lookups have written is emptied. `kept`: nothing changes.
 */
type Fate = 'written' | 'replaced' | 'kept';

type Rule<T> = (target: IDataObject, result: Shown) => T;

const when = (isSo: Rule<boolean>, then: Fate, otherwise: Fate = 'written'): Rule<Fate> => {
	return (target, result) => (isSo(target, result) ? then : otherwise);
};

const hasStatus = ({ status }: IDataObject) => STATUSES.has(status);
const hasAnswer = ({ status }: IDataObject) => status === 'found' || status === 'verified';
/** What is found of an email. */
const OF_EMAIL = new Set<unknown>(['email', 'emailStatus']);
/** An email of an earlier lookup is better than none, but says nothing where something else was not found. */
const hasBetter: Rule<boolean> = (target, { finds }) =>
	hasAnswer(target) && !isEmpty(target.email) && OF_EMAIL.has(finds);

const isNew: Rule<boolean> = ({ email: own }, { fields: { email } }) =>
	!isEmpty(email) && (isEmpty(own) || !isSameEmail(own, email));
/** A target without the field may have the email in one of another name, so that what is said there is of it. */
const isOther: Rule<boolean> = (target, result) => 'email' in target && isNew(target, result);
/** The target has the same email, and words of the user beside it. */
const hasWords: Rule<boolean> = ({ email: own }, { fields: { email } }) =>
	typeof own === 'string' && holdsWords(own) && isSameEmail(own, email);
/** Nothing was looked up: a known email replaces neither several, nor another one, as it comes from another field. */
const hasOwn: Rule<boolean> = (target, result) => {
	const { email: own } = target;
	if (isEmpty(own)) return false;
	if (typeof own !== 'string' || own.split('@').length > 2 || isMixed(own)) return true;
	if (hasWords(target, result)) return true;
	return result.finds !== 'emailStatus' && holdsEmail(own) && isOther(target, result);
};
const losesOwn: Rule<boolean> = (target, result) =>
	isOther(target, result) && !hasOwn(target, result);
/** A miss is no check of an email that stays, and leaves nothing to be said of none. */
const afterMiss: Rule<Fate> = (target) => {
	if (!('email' in target)) return 'written';
	return isEmpty(target.email) ? 'replaced' : 'kept';
};

/** The job has answered, or is over without an answer. */
const endsJob: Rule<boolean> = (_, { isOfJob, fields: { reason } }) =>
	isOfJob === true && (reason === undefined || JOB_OVER.has(reason));
/** What a job was to find is found, by whichever provider. A company is not what a job looks for. */
const endsWait: Rule<boolean> = (target, result) =>
	endsJob(target, result) || (result.finds === 'email' && WITHOUT_RESULT.has(target.status));

/** What becomes of each group, by the status of the result. */
// prettier-ignore
const TABLE = new Map<unknown, Array<Fate | Rule<Fate>>>([
	// of the result  status and why                        email                    about the email             job
	['found',         ['replaced',                          when(hasWords, 'kept'),  when(isNew, 'replaced'),    when(endsWait, 'replaced')]],
	['verified',      ['replaced',                          when(hasWords, 'kept'),  when(isOther, 'replaced'),  'kept']],
	['known',         [when(hasAnswer, 'kept', 'replaced'), when(hasOwn, 'kept'),    when(losesOwn, 'replaced'), 'kept']],
	['skipped',       [when(hasStatus, 'kept', 'replaced'), 'kept',                  'kept',                     'kept']],
	['not_found',     [when(hasBetter, 'kept', 'replaced'), 'kept',                  afterMiss,                  when(endsJob, 'replaced')]],
	['invalid_input', ['replaced',                          'kept',                  'kept',                     'kept']],
	['not_processed', ['replaced',                          'kept',                  'kept',                     'written']],
	['pending',       ['replaced',                          'kept',                  'kept',                     'written']],
	['failed',        ['replaced',                          'kept',                  'kept',                     when(endsJob, 'replaced')]],
]);

/** Whether an earlier lookup has written a field of the target: any other is the user's own. */
function isOurs(
	name: string,
	target: IDataObject,
	{ isOfJob }: Shown,
	sources?: Set<unknown>,
): boolean {
	const { status, response, source } = target;
	if (name === 'source') return sources?.has(source) === true;
	if (name === 'response') return isObject(response) && STATUSES.has(status);
	// A job that has answered is ours, whatever status the user has beside it.
	if (JOB_FIELDS.includes(name)) return STATUSES.has(status) || isOfJob === true;
	if (!PROBLEM_FIELDS.includes(name)) return true;
	const isOfOurJob = isOfJob === true && target.reason === 'job_not_finished';
	return isOfOurJob || WITHOUT_RESULT.has(status) || (name === 'reason' && saysWhyFree(target));
}

/** The fields of the target that a result empties, and those of its own that it does not write. */
export function changesOf(target: IDataObject, result: Shown, sources?: Set<unknown>) {
	const emptied: string[] = [];
	const kept: string[] = [];
	const row = TABLE.get(result.fields.status) ?? [];
	for (let column = 0; column < row.length; column++) {
		const cell = row[column];
		const fate = typeof cell === 'string' ? cell : cell(target, result);
		if (fate === 'written') continue;
		for (const name of GROUPS[column]) {
			if (fate === 'kept') kept.push(name);
			else if (name in target && isOurs(name, target, result, sources)) emptied.push(name);
		}
	}
	return { emptied, kept };
}
