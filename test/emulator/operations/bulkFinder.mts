import { notFound, ServiceError } from '../errors.mts';
import type { Found } from '../fixtures.mts';
import type { MeteredOperation } from '../ledger.mts';
import { isRecord, number, textsOf } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call } from '../world.mts';
import { foundFor, noAddress, quality } from './finder.mts';

/** A row of the answer; interface specification 2.8. */
export type BulkRow = Record<string, unknown>;

/** Interface specification 2.9. */
export interface BulkJob {
	/** Each bulk operation numbers jobs of its own. */
	operation: MeteredOperation;
	id: number;
	/** The access key that sent it; others cannot see it. */
	account: string;
	rows: BulkRow[];
	/** How often it has been asked for. */
	polls: number;
	/** What it will be charged for at its end. */
	due: string[];
}

const FIRST_ID = 9_001;

/** Addresses for up to 100 people; interface specification 4.6. */
export function findBulk(call: Call): Answer {
	const answers = rowsOf(call.body).map((row) => {
		const { name, ...texts } = textsOf(row);
		return { row, found: foundFor(call, { ...texts, fullName: name }) };
	});
	const addresses = answers.flatMap(({ found }) => (found ? [found.email] : []));
	const rows = answers.map(({ row, found }) => answerRow(row, found, call.world.variants));
	return answerBulk(call, 'findBulk', addresses, rows);
}

/**
 * The rows of a bulk request, or a job that has them. A request that would find more than the account has credits for is
 * refused as a whole. A job is charged for once, when it is accepted or when it is done, so that it can be collected any
 * number of times; one that is going to fail costs nothing.
 * @param subjects what is charged for
 */
export function answerBulk(
	call: Call,
	operation: MeteredOperation,
	subjects: string[],
	rows: BulkRow[],
): Answer {
	const { variants, jobs } = call.world;
	requireCredits(call, operation, Math.max(1, subjects.length));
	const isJob = variants.bulkAnswer === 'job';
	const isPaid = !isJob || variants.jobOutcome === 'completed';
	const isLater = isJob && call.world.options.chargesJobsAtEnd === true;
	if (isPaid && !isLater) charge(call, operation, subjects);
	if (!isJob) return ok(rows);
	const id = FIRST_ID + jobs.filter((one) => one.operation === operation).length;
	const due = isPaid && isLater ? subjects : [];
	const job = { operation, id, account: call.account.key, rows, polls: 0, due };
	jobs.push(job);
	// A bare list would not tell the number of the job.
	const bare = variants.jobResultShape === 'bare';
	const body = bare ? jobBody(job, 'processing') : unfinishedBody(job, variants);
	return { status: 202, body, isUnfinished: true };
}

/** The rows of either form of body. */
export function rowsOf(body: unknown): BulkRow[] {
	const rows = isRecord(body) ? body.people : body;
	return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

/** What was asked is echoed; a row without an address has no quality, unless it would be the echo alone. */
function answerRow(row: BulkRow, found: Found | null, variants: Variants): BulkRow {
	const { country: _notEchoed, tId, ...echo } = row;
	const { person } = found ?? {};
	return {
		...(tId !== undefined && { tId: echoedId(tId, variants) }),
		...echo,
		...(person && {
			firstName: person.first,
			lastName: person.last,
			name: person.full,
			domain: person.company.domain,
			company: person.company.name,
			[variants.bulkCompanyIdSpelling]: person.company.id,
		}),
		...(found
			? { email: found.email, quality: quality(found, variants, variants.bulkStatusMessage) }
			: noAddress(variants.finderMiss)),
		...(!found && variants.finderMiss === 'missing' && { quality: { status: 'unknown' } }),
	};
}

/** Interface specification 4.6: a number in one listing, text in another. */
function echoedId(tId: unknown, { bulkIdType }: Variants): unknown {
	if (bulkIdType === 'text') return String(tId);
	const asNumber = Number(tId);
	return bulkIdType === 'number' && Number.isInteger(asNumber) ? asNumber : tId;
}

function jobBody({ id, rows }: BulkJob, status: string): Record<string, unknown> {
	return { id, status, total: rows.length };
}

/** A job with rows; a bare list says no more than these. */
function shownBody(job: BulkJob, status: string, rows: BulkRow[], { jobResultShape }: Variants) {
	return jobResultShape === 'bare' ? rows : { ...jobBody(job, status), [jobResultShape]: rows };
}

/** What a job says while it is at work. */
function unfinishedBody(job: BulkJob, variants: Variants): unknown {
	if (variants.jobProgress === 'hidden') return jobBody(job, 'processing');
	const half = variants.jobProgress === 'empty' ? 0 : Math.floor(job.rows.length / 2);
	return shownBody(job, 'processing', job.rows.slice(0, half), variants);
}

export const getBulkJob = (call: Call) => collect(call, 'findBulk');

/** Collects a job by its number, in the path or the query string: section 4.6 leaves the form of a poll open. */
export function collect(call: Call, operation: MeteredOperation): Answer {
	const { variants, jobs } = call.world;
	const inPath = number(call.params, 'jobId');
	if ((inPath === undefined) !== (variants.jobPollForm === 'query')) throw wrongForm(variants);
	const id = inPath ?? number(call.query, 'id');
	const own = jobs.filter((one) => one.operation === operation);
	const job = own.find((one) => one.id === id && one.account === call.account.key);
	if (!job) throw notFound('The job');
	job.polls += 1;
	if (job.polls <= variants.jobPolls) {
		return { ...ok(unfinishedBody(job, variants)), isUnfinished: true };
	}
	charge(call, operation, job.due.splice(0));
	if (variants.jobOutcome === 'failed') return ok(jobBody(job, 'failed'));
	return ok(shownBody(job, call.world.options.jobWord ?? 'completed', job.rows, variants));
}

function wrongForm({ jobPollRefusal }: Variants): ServiceError {
	return jobPollRefusal === 404
		? notFound('The job')
		: new ServiceError(405, 'method_not_allowed', 'Jobs are not collected this way.');
}
