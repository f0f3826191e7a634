import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import {
	bulkHint,
	customOperations,
	nodeDefaults,
	operationSubtitle,
} from '../shared/editor/operation';
import { MAX_ROWS } from './bulk';
import { estimate } from './operations/estimate.operation';
import { find } from './operations/find.operation';
import { findBulk } from './operations/findBulk.operation';
import { getBulkJob } from './operations/getBulkJob.operation';

const operations = [find, findBulk, getBulkJob, estimate];

/** Finds the email addresses of people, one per request or in bulk. */
export class ContactDataFinder implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('email', operations),
		displayName: 'Contact Data Finder',
		name: 'contactDataFinder',
		icon: { light: 'file:../../icons/finder.svg', dark: 'file:../../icons/finder.dark.svg' },
		subtitle: operationSubtitle(operations),
		description:
			'Find the business emails of people, one by one or in bulk. Costs 1 credit per email found.',
		defaults: { name: 'Contact Data Finder' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Finds business emails by name and company. For lists of leads use findBulk, also for thousands of items: it keeps the rate limit, retries and never pays twice, so put no Loop, Wait or Merge around it. One item comes out per item, with its own fields and a status: found, not_found, known, invalid_input, not_processed, pending or failed. Set Max Credits under Options to limit what it may spend, and Existing Email so that known emails cost nothing.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-contact-data.contactDataVerifier',
					relationHint: 'Verifies the emails found whose emailStatus is unknown',
				},
				{
					nodeType: 'n8n-nodes-contact-data.contactDataList',
					relationHint: 'Gives saved leads to find emails for',
				},
			],
		},
		hints: [bulkHint(find, findBulk, `${MAX_ROWS} people`, 'includeCompanyData')],
	};

	customOperations = customOperations('email', operations);
}
