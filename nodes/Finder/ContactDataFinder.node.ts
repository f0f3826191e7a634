import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { bulkHint } from '../shared/description/bulkHint';
import {
	customOperations,
	nodeDefaults,
	operationProperties,
	operationSubtitle,
} from '../shared/description/operation';
import { MAX_ROWS } from './bulkRows';
import { estimate } from './operations/estimate.operation';
import { find } from './operations/find.operation';
import { findBulk } from './operations/findBulk.operation';
import { getBulkJob } from './operations/getBulkJob.operation';

const operations = [find, findBulk, getBulkJob, estimate];

/** Finds the email addresses of people, one per request or in bulk. */
export class ContactDataFinder implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data Finder',
		name: 'contactDataFinder',
		icon: { light: 'file:../../icons/finder.svg', dark: 'file:../../icons/finder.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'Find the business emails of people, one by one or in bulk. Costs 1 credit per email found.',
		defaults: { name: 'Contact Data Finder' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		hints: [bulkHint(find, findBulk, `${MAX_ROWS} people`, 'includeCompanyData')],
		properties: operationProperties('email', operations),
	};

	customOperations = customOperations('email', operations);
}
