import { bulkBody, FIND_BULK_PATH, MAX_ROWS } from '../../shared/api/bulkFinder';
import { readBulk } from '../../shared/api/bulkJob';
import { type Person, simplifyFoundEmail } from '../../shared/api/finder';
import { lookupOperation } from '../../shared/operation';
import { personLookup, personOptions } from '../person';

/** Find Emails in Bulk (interface specification 4.6). Costs 1 credit per email found; a miss is free. */
export const findBulk = lookupOperation<Person>({
	option: {
		name: 'Find Emails in Bulk',
		value: 'findBulk',
		action: 'Find emails faster in bulk',
		description:
			'Find the business emails of all input items, 100 per request. Costs 1 credit per email found.',
		routing: { request: { method: 'POST', url: FIND_BULK_PATH } },
	},
	options: personOptions,
	...personLookup,
	perRequest: MAX_ROWS,
	request: (people, settings) => ({ body: bulkBody(people, settings) }),
	read: readBulk,
	simplify: simplifyFoundEmail,
});
