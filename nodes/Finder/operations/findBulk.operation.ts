import type { IDataObject } from 'n8n-workflow';

import { incompleteRunOption, lookupOptions, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { runBulk } from '../../shared/request/bulk';
import type { BulkLookup } from '../../shared/request/lookup';
import { unexpectedAnswer } from '../../shared/request/serviceError';
import { textAt } from '../../shared/values/json';
import { jobIdIn, waitForJob } from '../bulkJob';
import { matchRows, MAX_ROWS, rowsIn, toRows } from '../bulkRows';
import { simplifyFoundEmail } from '../foundEmail';
import { countryOption, personFields, personKey, toPerson, type Person } from '../person';

const isHit = (row: IDataObject) => textAt(row, 'email') !== null;

/** Find Emails in Bulk (interface specification 4.6): up to 100 people per request. */
const bulkFinder: BulkLookup<Person> = {
	name: 'Find Emails in Bulk',
	answered: 'found',
	fields: {
		fullName: 'fullName',
		firstName: 'firstName',
		lastName: 'lastName',
		domain: 'domain',
		company: 'company',
		country: 'options.country',
	},
	prepare(fields) {
		const { person, missing } = toPerson(fields);
		return { query: person, missing };
	},
	fitting: (people) => Math.min(people.length, MAX_ROWS),
	async ask(people, service) {
		const rows = toRows(people);
		const body = service.settings.bulkFinderBody === 'people' ? { people: rows } : rows;
		const answer = await service.ask({ method: 'POST', url: '/api/v2/find_bulk', body });
		const found = rowsIn(answer);
		if (found) return matchRows(found, people.length);
		const jobId = jobIdIn(answer);
		if (jobId === undefined) throw unexpectedAnswer('rows');
		return matchRows(await waitForJob(jobId, service), people.length);
	},
	collect: async (jobId, people, service) => matchRows(await waitForJob(jobId, service), people),
	isHit,
	// A row that the answer lacks may have been charged all the same.
	charged: (rows) => rows.filter((row) => row === undefined || isHit(row)).length,
	key: personKey,
	simplify: simplifyFoundEmail,
};

/**
 * Find Emails in Bulk (interface specification 4.6): 100 people per request. Costs 1 credit per
 * address found; a miss is free.
 */
export const findBulk: Operation = {
	option: {
		name: 'Find Emails in Bulk',
		value: 'findBulk',
		action: 'Find emails in bulk',
		description:
			'Find the business emails of all input items, 100 per request. Costs 1 credit per address found.',
	},
	run: async (context) => await runBulk(context, bulkFinder),
	fields: [
		...personFields,
		simple,
		lookupOptions(countryOption, incompleteRunOption, {
			displayName: 'Job Timeout',
			name: 'jobTimeout',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 30,
			description:
				'How many minutes to wait for the service where it works on a request as a job. What is not finished then comes out as pending, for Get Bulk Job.',
		}),
	],
};
