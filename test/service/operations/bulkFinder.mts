import type { BulkJob } from '../bulkJobs.mts';
import { notFound, ServiceError } from '../errors.mts';
import { spoilRows } from '../faults.mts';
import type { Found } from '../fixtures.mts';
import { isRecord, number, text } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call } from '../world.mts';
import { noAddress, quality } from './finder.mts';

/** A row of the answer; interface specification 2.8. */
export type BulkRow = Record<string, unknown>;

/**
 * Addresses for up to 100 people; interface specification 4.6.
 *
 * A request that would find more addresses than the account has credits for is refused as a whole.
 * A job is charged for when it is accepted, so that it can be collected any number of times; one
 * that is going to fail costs nothing.
 */
export function findBulk(call: Call): Answer {
	const { world, account } = call;
	const { variants } = world;
	const asked = rowsOf(call.body);
	const answers = asked.map((row) => ({ row, found: findRow(call, row) }));
	const addresses = answers.flatMap(({ found }) => (found ? [found.email] : []));
	requireCredits(call, 'findBulk', Math.max(1, addresses.length));
	const rows = answers.map(({ row, found }) => answerRow(row, found, variants));
	const job = variants.bulkAnswer === 'job';
	if (!job || variants.jobOutcome === 'completed') charge(call, 'findBulk', addresses);
	if (!job) return ok(spoil(rows, call));
	const accepted = world.jobs.accept(account.key, rows, asked.length);
	const bare = variants.jobResultShape === 'bare';
	// A bare list would not tell the number of the job.
	const body = bare ? jobBody(accepted, 'processing') : unfinishedBody(accepted, variants);
	return { status: 202, body };
}

/** The rows of either form of body. */
export function rowsOf(body: unknown): BulkRow[] {
	const rows = isRecord(body) ? body.people : body;
	return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

function findRow({ world }: Call, row: BulkRow): Found | null {
	return world.fixtures.find({
		firstName: text(row, 'firstName'),
		lastName: text(row, 'lastName'),
		fullName: text(row, 'name'),
		company: text(row, 'company'),
		domain: text(row, 'domain'),
	});
}

/** What was asked is echoed; a row without an address has no quality. */
function answerRow(row: BulkRow, found: Found | null, variants: Variants): BulkRow {
	const { country: _notEchoed, tId, ...echo } = row;
	const { person } = found ?? {};
	return {
		...(tId === undefined ? {} : { tId: echoedId(tId, variants) }),
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
	};
}

/** Interface specification 4.6: a number in one listing, text in another. */
function echoedId(tId: unknown, { bulkIdType }: Variants): unknown {
	if (bulkIdType === 'text') return String(tId);
	const asNumber = Number(tId);
	return bulkIdType === 'number' && Number.isInteger(asNumber) ? asNumber : tId;
}

function spoil(rows: BulkRow[], { faults }: Call): BulkRow[] {
	return spoilRows(rows, faults, () => ({
		tId: 'nobody-asked-for-this',
		name: 'Nobody At All',
		email: 'nobody@unasked.example',
		quality: { status: 'valid' },
	}));
}

/** What a job says while it is at work; a bare list of rows says no more than that. */
function unfinishedBody(job: BulkJob, { jobProgress, jobResultShape }: Variants): unknown {
	const said = jobBody(job, 'processing');
	if (jobProgress === 'hidden') return said;
	const rows = jobProgress === 'empty' ? [] : job.rows.slice(0, Math.floor(job.rows.length / 2));
	return jobResultShape === 'bare' ? rows : { ...said, [jobResultShape]: rows };
}

/** Interface specification 2.9. */
function jobBody({ id, total }: BulkJob, status: string): Record<string, unknown> {
	return { id, status, total };
}

/** Collects a job by the number in the path; the form of a poll is left open in section 4.6. */
export function getBulkJobByPath(call: Call): Answer {
	return poll(call, 'path', number(call.params, 'jobId') ?? 0);
}

/** Collects a job by the number in the query string. */
export function getBulkJobByQuery(call: Call): Answer {
	return poll(call, 'query', number(call.query, 'id') ?? 0);
}

function poll(call: Call, form: Variants['jobPollForm'], id: number): Answer {
	const { world, account } = call;
	const { variants } = world;
	if (variants.jobPollForm !== form) throw wrongForm(variants);
	const job = world.jobs.get(account.key, id);
	if (!job) throw notFound('The job');
	job.polls += 1;
	if (job.polls <= variants.jobPolls) return ok(unfinishedBody(job, variants));
	if (variants.jobOutcome === 'failed') return ok(jobBody(job, 'failed'));
	const rows = spoil(job.rows, call);
	return ok(
		variants.jobResultShape === 'bare'
			? rows
			: { ...jobBody(job, 'completed'), [variants.jobResultShape]: rows },
	);
}

function wrongForm({ jobPollRefusal }: Variants): ServiceError {
	return jobPollRefusal === 404
		? notFound('The job')
		: new ServiceError(405, 'method_not_allowed', 'Jobs are not collected this way.');
}
