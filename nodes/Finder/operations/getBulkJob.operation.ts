import type { IDataObject } from 'n8n-workflow';
import { FIND_BULK_PATH, nameIn, resultIn } from '../../shared/api/bulkFinder';
import { jobReader } from '../../shared/api/bulkJob';
import { simplifyFoundEmail } from '../../shared/api/finder';
import { costOf } from '../../shared/credits/ledger';
import { simple } from '../../shared/editor/fields';
import { Failure, failureOf, ofJob, problemOf } from '../../shared/failures/failure';
import { OF_LOOKUP } from '../../shared/failures/names';
import { typedText } from '../../shared/input/fieldValues';
import { readOperation } from '../../shared/operation';
import { statusFields } from '../../shared/output/onError';

/** Get Bulk Job (interface specification 4.6, its variant): all rows of a job, as the service has them. Free. */
export const getBulkJob = readOperation({
	option: {
		name: 'Get Bulk Job',
		value: 'getBulkJob',
		action: 'Get bulk job',
		description:
			'Get all rows of a job by its ID. Leads that wait for a job need no such step: the next Find Emails in Bulk collects them. Costs no credits.',
		routing: { request: { method: 'GET', url: FIND_BULK_PATH } },
	},
	cost: 'free',
	// That a job is not finished is no failure.
	goesOn: true,
	fields: [
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 9001',
			description: "The ID of the job: the field 'lookupJobId' of a pending item",
		},
	],
	options: [simple],
	columns: Object.keys(rowOf({}, '')),
	async read({ client, parameter, get }) {
		const jobId = typedText(parameter('jobId'), 'Job ID');
		if (jobId === '') {
			throw new Failure('missing_job', {
				message: 'Not sent: no job is named',
				description: 'Enter the ID of a job, or check that the expression of Job ID finds one.',
			});
		}
		const read = jobReader(jobId, get);
		const job = await client.memoized(jobId, read).catch((thrown: unknown) => {
			const failure = failureOf(thrown);
			throw failure.problem.jobId === undefined ? failure.saying(` (job ${jobId})`) : failure;
		});
		if (!job.isDone && job.settlesAfter === undefined) throw ofJob(jobId);
		const checkedAt = new Date().toISOString();
		return { results: job.rows, simplify: (row) => rowOf(row, checkedAt) };
	},
});

/** What a row says. An email that was found has cost 1 credit (interface specification 8). */
function rowOf(row: IDataObject, checkedAt: string): IDataObject {
	const result = resultIn(row);
	// Where there is no email, nothing is said of one.
	const [found = {}] = result instanceof Error ? [] : result;
	const said = { ...nameIn(row), ...simplifyFoundEmail(found), checkedAt };
	if (result instanceof Error) {
		return { ...said, lookupCredits: null, ...statusFields(problemOf(result), OF_LOOKUP) };
	}
	const lookupStatus = result.length > 0 ? 'found' : 'not_found';
	return { lookupStatus, ...said, lookupCredits: costOf([result]).certain };
}
