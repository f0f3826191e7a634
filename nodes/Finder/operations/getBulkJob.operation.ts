import type { IDataObject } from 'n8n-workflow';
import {
	type BulkJob,
	FIND_BULK_PATH,
	jobReader,
	matchRows,
	nameIn,
	resultsIn,
	rowsById,
	STEADY,
} from '../../shared/api/bulkFinder';
import { hasEmail, simplifyFoundEmail } from '../../shared/api/finder';
import { includeInputFields, resultField, simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import { executionOf } from '../../shared/execution/execution';
import { unexpectedResponse } from '../../shared/http/errors';
import { typedText } from '../../shared/input/fieldValues';
import { itemWith } from '../../shared/output/shape';
import { countIn } from '../../shared/input/options';
import type { ReadRequest } from '../../shared/reads/reader';
import { numberAt, textAt } from '../../shared/values/json';
import { personLookup } from '../person';
import { REFUSED } from '../../shared/failures/reasons';
import { COLLECT_LATER, JobProblem, type Problem, problemOf } from '../../shared/failures/failure';

/** Get Bulk Job (interface specification 4.6, its variant). The emails were charged when the job was accepted. */
export const getBulkJob = readOperation({
	option: {
		name: 'Get Bulk Job',
		value: 'getBulkJob',
		action: 'Get bulk job',
		description:
			'Collect the results of a job that Find Emails in Bulk did not wait for. Costs no further credits.',
		routing: { request: { method: 'GET', url: FIND_BULK_PATH } },
	},
	builder:
		"Behind a Finder whose items may have the status 'pending': it reads jobId and jobRow of each item, and passes all other items on.",
	cost: 'free',
	isBought: true,
	joinsItem: true,
	fields: [
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '={{ $json.jobId }}',
			placeholder: 'e.g. {{ $json.jobId }}',
			description: "The field 'jobId' of a pending item. An item without a job is passed on.",
		},
		{
			displayName: 'Job Row',
			name: 'jobRow',
			type: 'string',
			default: '={{ $json.jobRow }}',
			placeholder: 'e.g. {{ $json.jobRow }}',
			description:
				"The field 'jobRow' of a pending item, to get the result of this item. Without it, all results of the job are returned once.",
		},
		includeInputFields,
		simple,
	],
	options: [resultField],
	place: ({ input, item, ...place }, { credits, ...fields }) =>
		itemWith(input, item, place, {
			fields,
			columns: [...personLookup.columns, ...Object.keys(fields)],
			finds: personLookup.finds,
			// Nobody knows what a job costs that cannot be read.
			credits: fields.reason === 'job_failed' ? 0 : numberAt({ credits }, 'credits'),
			isOfJob: fields.status !== 'skipped',
		}),
	async read(request) {
		const { client, item, parameter } = request;
		const jobId = typedText(parameter('jobId'), 'Job ID');
		const row = typedText(parameter('jobRow'), 'Job Row');
		if (jobId === '') return { results: [{ status: 'skipped', credits: 0 }], isPassedOn: true };
		const jobRow = row === '' ? undefined : countIn('Job Row', row);
		const job = await client
			.memoized(jobId, async () => await collect(jobId, request))
			.catch((thrown: unknown) => {
				if (jobRow === undefined) throw thrown;
				if (thrown instanceof JobProblem) throw thrown.at(jobRow);
				throw new JobProblem(jobId, unread(problemOf(thrown), jobId), jobRow);
			});
		if (!job.isDone) throw new JobProblem(jobId, undefined, jobRow);
		if (jobRow === undefined) {
			// All rows come out once, for the first item that names the job.
			const first = await client.memoized(`rows of ${jobId}`, async () => item);
			const rows = item === first ? job.rows.filter((one) => !isRepeated(one, job)) : [];
			const results = rows.map((one) => ({ ...nameIn(one), ...fieldsOf(one, job, request) }));
			return { results, isOfNoItem: true };
		}
		const own = job.byId.get(String(jobRow));
		if (!own || !resultsIn(own)) {
			const leftOut = unexpectedResponse('a result for this item').problem;
			throw new JobProblem(jobId, job.isOpenEnded ? undefined : leftOut, jobRow);
		}
		return { results: [fieldsOf(own, job, request)] };
	},
});

type CollectedJob = Awaited<ReturnType<typeof collect>>;

/** Reads a job, again after a while if it is only likely to be done, and settles what it has cost. */
async function collect(jobId: string, { context, client, get }: ReadRequest) {
	const { connection } = client;
	const { jobs } = executionOf(context);
	const started = jobs.withId(jobId, connection);
	const read = jobReader(jobId, get, started?.questions.length);
	const readAgain = async (job: BulkJob) => {
		if (!job.isLikelyDone) return job;
		await client.sleep(STEADY);
		return await read();
	};
	const reading = read().then(readAgain);
	const job = await reading.catch((thrown: unknown) => {
		if (started && thrown instanceof JobProblem) jobs.ended(started, connection);
		throw thrown;
	});
	if (started && job.isDone) {
		jobs.ended(started, connection, matchRows(job.rows, started.questions.length));
	}
	return { ...job, byId: rowsById(job.rows), checkedAt: new Date().toISOString() };
}

/** Why a job could not be read. Unless the service does not know it, it may be done: its items stay pending. */
function unread(problem: Problem, jobId: string): Problem {
	if (['not_found', 'bad_request'].includes(problem.reason)) {
		return { ...problem, message: `Bulk job ${jobId}: ${problem.message}` };
	}
	const description = REFUSED.has(problem.reason)
		? `${problem.description} ${COLLECT_LATER}`
		: COLLECT_LATER;
	return { ...problem, status: 'pending', description };
}

function isRepeated(row: IDataObject, { byId }: CollectedJob): boolean {
	const id = textAt(row, 'tId');
	return id !== null && byId.get(id) !== row;
}

/** What a row says. An email that was found has cost 1 credit (interface specification 8). */
function fieldsOf(row: IDataObject, { checkedAt }: CollectedJob, { isSimple }: ReadRequest) {
	if (!hasEmail(row)) return { status: 'not_found', credits: 0, checkedAt };
	const fields = { status: 'found', ...simplifyFoundEmail(row), credits: 1, checkedAt };
	return isSimple ? fields : { ...fields, response: row };
}
