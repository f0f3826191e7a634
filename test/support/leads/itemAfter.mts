/**
 * @file What a lookup makes of an item, as docs/output.md says it: the random runs judge each item by it, and the tables of
 * shape.test.mts hold it to items that are written out.
 */

import type { IDataObject } from 'n8n-workflow';

import type { Sample } from '../../operations.mts';
import { isBlank, isOurs, isProblem, JOB, WHY } from './outcomes.mts';

/** What is said of an email. */
const OF_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** What came of a lookup. */
interface Happened {
	lookup: Pick<Sample, 'object' | 'columns'>;
	/** The status, and what else it says of the item: what was learned, or why nothing was. */
	says: IDataObject;
	/** Whether it is the row of a bulk job that was left pending. */
	isOfJob?: boolean;
	/** What the lookup has cost by itself; `null` where nobody knows. */
	costs: number | null;
}

/**
 * The item, or the object in its field for the result.
 *
 * @param before what that was; without its input only what was looked up
 * @param lead the lead as it came, which has cost something also where its fields do not come along
 */
export function itemAfter(before: IDataObject, happened: Happened, lead = before): IDataObject {
	const { lookup, says } = happened;
	const own = lookup.columns ?? [];
	const gone = goneFrom(before, happened, own);
	// n8n leaves the cells of a Google Sheet as they are for `null`.
	const nothing = 'row_number' in before ? '' : null;
	const after: IDataObject = {};
	for (const name of isProblem(says) ? [...own, ...WHY] : own) after[name] = null;
	for (const [name, value] of Object.entries(before)) {
		after[name] = gone.includes(name) ? nothing : (value ?? null);
	}
	for (const [name, value] of Object.entries(says)) {
		if (!isBlank(value) && !isKept(name, before, happened)) after[name] = value;
	}
	// n8n would take it for an item that failed.
	delete after.error;
	return { ...after, credits: creditsAfter(lead, happened) };
}

const isResult = ({ status }: IDataObject) => ['found', 'verified'].includes(String(status));

/** Nothing was looked up, or nothing else was found. */
function passesAsItIs(before: IDataObject, { lookup, says: { status } }: Happened): boolean {
	if (status === 'not_found') return lookup.object === undefined && hasEmail(before);
	return status === 'known' || status === 'skipped';
}

function keepsStatus(before: IDataObject, happened: Happened): boolean {
	if (!passesAsItIs(before, happened)) return false;
	return happened.says.status === 'skipped' ? isOurs(before) : isResult(before);
}

function isKept(name: string, before: IDataObject, happened: Happened): boolean {
	const { email, emailStatus } = happened.says;
	if (name === 'status' || name === 'reason') return keepsStatus(before, happened);
	if (!passesAsItIs(before, happened) || !hasEmail(before)) return false;
	if (name === 'email') return emailStatus === undefined || isSame(before.email, email);
	return name === 'checkedAt';
}

function hasEmail({ email }: IDataObject): boolean {
	return JSON.stringify(email ?? '').includes('@');
}

function isSame(one: unknown, other: unknown): boolean {
	const [first, second] = [one, other].map((email) => String(email).trim().toLowerCase());
	return first.split('; ')[0] === second;
}

/** What an item loses: what a result does not say, why an earlier lookup had none, and the job that had it. */
function goneFrom(before: IDataObject, happened: Happened, columns: string[]): string[] {
	const { lookup, says, isOfJob } = happened;
	const isOfEmail = lookup.object === undefined;
	const isNone = ['known', 'not_found'].includes(String(says.status));
	const isGone = isResult(says) || (isNone && 'email' in before && !hasEmail(before));
	const ofEmail = isOfEmail && isOurs(before) && isGone ? OF_EMAIL : [];
	const wasUnwanted = before.status === 'skipped' && before.reason === 'condition';
	// The wait for a job is ours, whatever status the user has beside it.
	const wasWithout = isProblem(before) || before.reason === 'job_not_finished';
	const why = wasWithout ? WHY : wasUnwanted ? ['reason'] : [];
	const isCollected = isOfJob === true && !isProblem(says);
	// Until somebody has found the email, the job is to be collected.
	const isFound = says.status === 'found' && isOfEmail && wasWithout;
	return [
		...(isResult(says) ? columns : []),
		...ofEmail,
		...(keepsStatus(before, happened) ? [] : why),
		...(isCollected || isFound ? JOB : []),
	];
}

/** What the lookups of a lead have cost by now: it adds up. The row of a job takes the place of what nobody knew. */
function creditsAfter(lead: IDataObject, { costs, isOfJob }: Happened): number | null {
	if (!isOurs(lead)) return costs;
	const isUnknown = 'credits' in lead && isBlank(lead.credits) && isOfJob !== true;
	return isUnknown || costs === null ? null : Number(lead.credits ?? 0) + costs;
}
