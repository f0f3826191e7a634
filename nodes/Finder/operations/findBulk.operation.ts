import { lookupOperation } from '../../shared/operation';
import { DEFAULT_JOB_TIMEOUT } from '../../shared/input/options';
import { collectPeople, jobIn, matchRows, MAX_ROWS, toRows } from '../bulk';
import { type Person, personLookup, personOptions, simplifyFoundEmail } from '../person';
import { PATHS } from '../../shared/http/paths';

/** Find Emails in Bulk (interface specification 4.6). Costs 1 credit per email found; a miss is free. */
export const findBulk = lookupOperation<Person>({
	option: {
		name: 'Find Emails in Bulk',
		value: 'findBulk',
		action: 'Find emails in bulk',
		description:
			'Find the business emails of all input items, 100 per request. Costs 1 credit per email found.',
		routing: { request: { method: 'POST', url: PATHS.findBulk } },
	},
	builder:
		'The choice for lists of leads. Name, company and email are recognized by the common names of their fields; set leadFields to manual only for uncommon names. Every item comes out once, in order, with its own fields; see its status. No Loop, Wait, Merge or IF node is needed around it.',
	options: [
		...personOptions,
		{
			displayName: 'Job Timeout (Minutes)',
			name: 'jobTimeout',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_JOB_TIMEOUT,
			description:
				"How long to wait if the service processes a bulk request in the background. Items still unfinished get the status 'pending'; collect them later with Get Bulk Job.",
		},
	],
	...personLookup,
	perRequest: MAX_ROWS,
	async ask(people, service) {
		const rows = toRows(people);
		const body = service.settings.bulkFinderBody === 'people' ? { people: rows } : rows;
		const job = jobIn(await service.ask({ body }), people.length);
		// A job that is done at once may keep its rows for the request that collects it.
		const hasRows = job.isDone && job.rows.length > 0;
		if (job.jobId === undefined || hasRows) return matchRows(job, people.length);
		return { acceptedJob: job.jobId };
	},
	collect: collectPeople,
	simplify: simplifyFoundEmail,
});
