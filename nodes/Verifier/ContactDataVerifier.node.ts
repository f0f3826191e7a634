import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import {
	bulkHint,
	customOperations,
	nodeDefaults,
	operationSubtitle,
} from '../shared/editor/operation';
import { estimate } from './operations/estimate.operation';
import { verify } from './operations/verify.operation';
import { MAX_ADDRESSES, verifyBulk } from './operations/verifyBulk.operation';

const operations = [verify, verifyBulk, estimate];

/** Verifies email addresses, one per request or in bulk. */
export class ContactDataVerifier implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('email', operations),
		displayName: 'Contact Data Verifier',
		name: 'contactDataVerifier',
		icon: { light: 'file:../../icons/verifier.svg', dark: 'file:../../icons/verifier.dark.svg' },
		subtitle: operationSubtitle(operations),
		description:
			'Check whether emails accept mail, one by one or in bulk. Costs 1 credit per email.',
		defaults: { name: 'Contact Data Verifier' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Verifies emails: emailStatus is valid, catch-all, invalid or unknown. For lists use verifyBulk, also for thousands of items, without Loop or Wait. What a Finder just found has a status already: map Existing Status to it, so that only unknown emails are paid for. Set Max Credits under Options to limit what it may spend.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-contact-data.contactDataFinder',
					relationHint: 'Finds the emails to verify',
				},
			],
		},
		hints: [bulkHint(verify, verifyBulk, `${MAX_ADDRESSES} emails`, 'enrich')],
	};

	customOperations = customOperations('email', operations);
}
