/**
 * @file What a lookup makes of an item, as docs/output.md says it: the random runs judge each item by it, and the tables of
 * shape.test.mts hold it to items that are written out.
 */

import type { IDataObject } from 'n8n-workflow';

import type { Sample } from '../../operations.mts';
import { isBlank, isOurs, isProblem, JOB, picked, WHY } from './outcomes.mts';

/** What is said of an email. */
const ABOUT_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** What came of a lookup. */
interface Happened {
	lookup: Pick<Sample, 'object' | 'columns'>;
	/** The status, and what else it says of the item: what was learned, or why nothing was. */
	says: IDataObject;
	/** Whether it is the row of a bulk job that was left pending. */
	isOfJob?: boolean;
	/** What the lookup has cost by itself; `null` where nobody knows. */
	costs: number | null;
	/** With Include Source, the node of the lookup. */
	source?: string;
	/** The nodes that a `source` may name; any other is of the lead itself. */
	sources?: string[];
}

/**
 * The item, or the object in its field for the result.
 *
 * @param before what that was; without its input only what was looked up
 * @param lead the lead as it came, which has cost something also where its fields do not come along
 */
export function itemAfter(before: IDataObject, happened: Happened, lead = before): IDataObject {
	const { lookup, source } = happened;
	const isResult = ['found', 'verified'].includes(String(happened.says.status));
	const says: IDataObject = { ...happened.says, ...(isResult && source && { source }) };
	const ownColumns = [...(lookup.columns ?? []), ...(source ? ['source'] : [])];
	const isInObject = lookup.object !== undefined && says.status === 'found';
	const held = isInObject ? besideResult(before, ownColumns) : before;
	const gone = goneFrom(before, happened);
	// n8n leaves the cells of a Google Sheet as they are for `null`.
	const nothing = 'row_number' in before ? '' : null;
	const after: IDataObject = {};
	const columns = isProblem(says) ? [...ownColumns, ...WHY] : ownColumns;
	for (const name of columns) after[name] = null;
	for (const [name, value] of Object.entries(held)) {
		after[name] = gone.includes(name) ? nothing : (value ?? null);
	}
	for (const [name, value] of Object.entries(says)) {
		if (!isBlank(value) && !isKept(name, before, happened)) after[name] = value;
	}
	// n8n would take it for an item that failed.
	delete after.error;
	return { ...after, credits: creditsAfter(lead, happened) };
}

/** What an item that is passed on, or of which nothing was found, keeps of its own. */
function isKept(name: string, before: IDataObject, happened: Happened): boolean {
	const { says } = happened;
	// Nor does what is not looked up lose why an earlier lookup had no result.
	if (name === 'status' || (name === 'reason' && says.status === 'skipped')) {
		return keepsStatus(before, happened);
	}
	if (name === 'email') return keepsEmail(before, says);
	return name === 'checkedAt' && says.status === 'not_found' && !isBlank(before.email);
}

/** The status of an earlier lookup says more than that there was nothing to look up, or nothing else to find. */
function keepsStatus(before: IDataObject, { lookup, says: { status } }: Happened): boolean {
	if (status === 'skipped') return isOurs(before);
	const keepsEmail = status === 'not_found' && !lookup.object && !isBlank(before.email);
	const isAnswered = ['found', 'verified'].includes(String(before.status));
	return isAnswered && (status === 'known' || keepsEmail);
}

/** A known email of another field does not replace another email, or several. */
function keepsEmail({ email: own }: IDataObject, { status, email, emailStatus }: IDataObject) {
	if (status !== 'known' || isBlank(own)) return false;
	const emails = typeof own === 'string' ? own.split('@').length - 1 : Infinity;
	return emails > 1 || (emails === 1 && emailStatus === undefined && !isSame(own, email));
}

function isSame(one: unknown, other: unknown): boolean {
	const [first, second] = [one, other].map((email) =>
		String(email ?? '')
			.trim()
			.toLowerCase(),
	);
	return first === second;
}

/** What has an object of its own, and was found, takes the place of all that is there, but of a lead. */
function besideResult(before: IDataObject, columns: string[]): IDataObject {
	return 'email' in before ? picked(before, [...columns, 'response'], false) : {};
}

/** What an item loses: what was said of another email, and why an earlier lookup had no result. */
function goneFrom(before: IDataObject, happened: Happened): string[] {
	const { lookup, says, isOfJob, sources = [] } = happened;
	const { status } = says;
	const isAnswered = status === 'found' || status === 'not_found';
	const hasEmail = 'email' in before;
	const isNew = hasEmail ? !isSame(before.email, says.email) : status === 'found';
	const isOther = !isBlank(says.email) && isNew && !keepsEmail(before, says);
	const isNobodys = status === 'not_found' && hasEmail && isBlank(before.email);
	const aboutEmail = isOther || isNobodys ? ABOUT_EMAIL : [];
	const isOurSource = sources.includes(String(before.source));
	const source = aboutEmail.length > 0 && isOurSource ? ['source'] : [];
	const isOurResponse = isOurs(before) && typeof before.response === 'object';
	const response = aboutEmail.length > 0 && isOurResponse ? ['response'] : [];
	const wasUnwanted = before.status === 'skipped' && before.reason === 'condition';
	const wasAtCatchAll = before.status === 'verified' && before.reason === 'catch_all_domain';
	const reason = (wasUnwanted || wasAtCatchAll) && !keepsStatus(before, happened) ? ['reason'] : [];
	const isOver = isProblem(before) && !keepsStatus(before, happened);
	// Until somebody has found the email, the job is to be collected, unless the service has given it up.
	const isGivenUp = says.reason === 'job_failed' || says.reason === 'not_found';
	// It is ours, whatever status the user has beside it.
	const isCollected = (isAnswered || isGivenUp) && isOfJob === true;
	const isOurWait = isCollected && before.reason === 'job_not_finished';
	const isFound = status === 'found' && isProblem(before);
	const isJobOver = isCollected || (isFound && !lookup.object);
	return [
		...reason,
		...aboutEmail,
		...source,
		...response,
		...(isOver || isOurWait ? WHY : []),
		...(isJobOver ? JOB : []),
	];
}

/** What the lookups of a lead have cost by now: it adds up. */
function creditsAfter(lead: IDataObject, { says, costs, isOfJob }: Happened): number | null {
	if (!isOurs(lead)) return costs;
	const before = isBlank(lead.credits) ? null : Number(lead.credits);
	// The row of a job takes the place of what nobody knew; of a row of which another item tells the cost, it adds nothing.
	const hasJob = lead.status === 'pending' || !isBlank(lead.jobId);
	const isPassedOn = ['known', 'skipped'].includes(String(lead.status));
	const isWaiting = isPassedOn || (isProblem(lead) && lead.status !== 'failed');
	if (isOfJob && hasJob && (before !== null || isWaiting)) return before ?? costs;
	const isUnknown = before === null && 'credits' in lead && says.status !== 'pending';
	return isUnknown || costs === null ? null : (before ?? 0) + costs;
}
