import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations, estimateOperation } from '../shared/operation';
import { find } from './operations/find.operation';
import { findBulk } from './operations/findBulk.operation';
import { getBulkJob } from './operations/getBulkJob.operation';
import { personFields } from './person';
import { bulkHint, nodeDefaults, subtitleOf } from '../shared/editor/description';

const estimate = estimateOperation({ ...findBulk, fields: personFields });
const operations = [find, findBulk, getBulkJob, estimate];

export class ContactDataFinder implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('Contact Data Finder', 'email', operations),
		name: 'contactDataFinder',
		icon: { light: 'file:../../icons/finder.svg', dark: 'file:../../icons/finder.dark.svg' },
		subtitle: subtitleOf(operations),
		description:
			'Find the business emails of people, one by one or in bulk. Costs 1 credit per email found.',
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Finds business emails by name and company. For lists of leads use findBulk, also for thousands of items: it keeps the rate limit, retries and never pays twice, so put no Loop, Wait or Merge around it. One item comes out per item, with its own fields and a status: found, not_found, known, invalid_input, not_processed, pending or failed. Items that have an email cost nothing. Set Max Credits under Options to limit what it may spend.',
		},
		hints: [bulkHint(find, findBulk)],
	};

	customOperations = customOperations('email', operations);
}
