import { lookupOptions, simple } from '../../shared/description/fields';
import { lookupOperation, notForTools } from '../../shared/description/operation';
import { DEFAULT_JOB_TIMEOUT } from '../../shared/lookups/lookupOptions';
import { collectPeople, jobIn, withRows } from '../bulkJob';
import { BULK_PATH, matchRows, MAX_ROWS, toRows } from '../bulkRows';
import { findCost, simplifyFoundEmail } from '../foundEmail';
import { countryOption, personFields, toPersonQuestion, type Person } from '../person';

/**
 * Find Emails in Bulk (interface specification 4.6): 100 people per request. Costs 1 credit per email
 * found; a miss is free.
 */
export const findBulk = lookupOperation<Person>({
	option: {
		name: 'Find Emails in Bulk',
		value: 'findBulk',
		action: 'Find emails in bulk',
		description:
			'Find the business emails of all input items, 100 per request. Costs 1 credit per email found.',
		routing: { request: { method: 'POST', url: BULK_PATH } },
		displayOptions: notForTools,
	},
	fields: [
		...personFields,
		simple,
		lookupOptions(countryOption, {
			displayName: 'Job Timeout (Minutes)',
			name: 'jobTimeout',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_JOB_TIMEOUT,
			description:
				"How long to wait if the service processes a bulk request in the background. Items still unfinished get the status 'pending'; collect them later with Get Bulk Job.",
		}),
	],
	answered: 'found',
	kind: 'find',
	perRequest: MAX_ROWS,
	prepare: toPersonQuestion,
	async ask(people, service) {
		const rows = toRows(people);
		const body = service.settings.bulkFinderBody === 'people' ? { people: rows } : rows;
		const answer = await service.ask({ body });
		const job = withRows(jobIn(answer, people.length));
		if (job.jobId === undefined || job.isDone) return matchRows(job, people.length);
		return await collectPeople(job.jobId, people.length, service);
	},
	collect: collectPeople,
	cost: findCost,
	simplify: simplifyFoundEmail,
});
