/**
 * @file What a lookup makes of an item, as docs/output.md says it: the random runs judge each item by it, and the tables of
 * shape.test.mts hold it to items that are written out.
 */

import type { IDataObject } from 'n8n-workflow';

import type { Sample } from '../../operations.mts';
import { isBlank } from './outcomes.mts';

/** What is said of an email. */
const OF_EMAIL = ['emailStatus', 'mailboxType', 'checkedAt', 'personData'];

/** What came of a lookup. */
interface Happened {
	/** Its first column is the status: `lookupStatus`, or `companyStatus`. */
	lookup: Pick<Sample, 'columns'>;
	/** The status, and what else it says of the item: what was learned, or why nothing was. */
	says: IDataObject;
	/** Whether it is the row of a bulk job that was left pending. */
	isOfJob?: boolean;
	/** What the lookup has cost by itself; `null` where nobody knows. */
	costs: number | null;
}

/**
 * The item after a lookup.
 *
 * @param before what that was; without its input only what was looked up
 * @param lead the lead as it came, which has cost something also where its fields do not come along
 */
export function itemAfter(before: IDataObject, happened: Happened, lead = before): IDataObject {
	const rules = new Rules(before, happened);
	const { gone, kept, columns } = rules;
	// n8n leaves the cells of a Google Sheet as they are for `null`.
	const nothing = 'row_number' in before ? '' : null;
	const after: IDataObject = {};
	for (const name of columns) after[name] = null;
	for (const [name, value] of Object.entries(before)) {
		after[name] = gone.includes(name) ? nothing : (value ?? null);
	}
	for (const [name, value] of Object.entries(happened.says)) {
		if (!isBlank(value) && !kept.includes(name)) after[name] = value;
	}
	// n8n would take it for an item that failed.
	delete after.error;
	return { ...after, [rules.name('Credits')]: rules.creditsAfter(lead) };
}

const RESULTS = ['found', 'verified'];
const PROBLEMS = ['invalid_input', 'not_processed', 'pending', 'failed'];

class Rules {
	private readonly own: string[];
	private readonly status: string;
	private readonly isOfEmail: boolean;
	private readonly isResult: boolean;

	constructor(
		private readonly before: IDataObject,
		private readonly happened: Happened,
	) {
		this.own = happened.lookup.columns ?? [];
		this.isOfEmail = this.own.includes('email');
		this.status = String(happened.says[this.name('Status')]);
		this.isResult = RESULTS.includes(this.status);
	}

	/** The name of a field that says something of the lookup. */
	name(what: string): string {
		return this.own[0].replace('Status', what);
	}

	get columns(): string[] {
		return PROBLEMS.includes(this.status) ? [...this.own, ...this.why] : this.own;
	}

	/** All that a result does not say goes, why an earlier lookup had none, and the job that had it. */
	get gone(): string[] {
		const { before, happened, isOfEmail, isResult, own, status } = this;
		const isGone =
			status !== 'skipped' && !isBlank(this.statusBefore) && 'email' in before && !this.hasEmail;
		const isCollected = happened.isOfJob === true && !PROBLEMS.includes(status);
		return [
			...(isResult ? [...own, this.name('Response')] : []),
			...(isOfEmail && (isResult || isGone) ? OF_EMAIL : []),
			...(this.keepsStatus ? [] : this.why),
			// Until somebody has found the email, the job is to be collected.
			...(isCollected || status === 'found' ? [this.name('JobId'), this.name('JobRow')] : []),
		];
	}

	/** A lead that is not looked up passes as it is, and so does one for whose email there is no other. */
	get kept(): string[] {
		const { before, happened } = this;
		const { email, emailStatus } = happened.says;
		const isOther = emailStatus !== undefined && !isSame(before.email, email);
		return [
			...(this.keepsStatus ? [this.name('Status'), this.name('Reason')] : []),
			...(this.passes && this.hasEmail ? ['checkedAt'] : []),
			...(this.passes && this.hasEmail && !isOther ? ['email'] : []),
		];
	}

	/** What the lookups of a lead have cost by now: it adds up. The row of a job takes the place of what nobody knew. */
	creditsAfter(lead: IDataObject): number | null {
		const { costs, isOfJob } = this.happened;
		const name = this.name('Credits');
		if (isBlank(lead[this.name('Status')])) return costs;
		const isUnknown = name in lead && isBlank(lead[name]) && isOfJob !== true;
		return isUnknown || costs === null ? null : Number(lead[name] ?? 0) + costs;
	}

	private get why(): string[] {
		return [this.name('Reason'), this.name('Message')];
	}

	private get statusBefore() {
		return this.before[this.name('Status')];
	}

	private get hasEmail(): boolean {
		return JSON.stringify(this.before.email ?? '').includes('@');
	}

	private get passes(): boolean {
		if (this.status === 'not_found') return this.isOfEmail && this.hasEmail;
		return this.status === 'known' || this.status === 'skipped';
	}

	private get keepsStatus(): boolean {
		if (!this.passes) return false;
		if (this.status === 'skipped') return !isBlank(this.statusBefore);
		return RESULTS.includes(String(this.statusBefore));
	}
}

function isSame(one: unknown, other: unknown): boolean {
	const [first, second] = [one, other].map((email) => String(email).trim().toLowerCase());
	return first.split('; ')[0] === second;
}
