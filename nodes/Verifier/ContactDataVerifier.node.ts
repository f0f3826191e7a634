import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations, estimateOperation } from '../shared/operation';
import { verify } from './operations/verify.operation';
import { verifyBulk } from './operations/verifyBulk.operation';
import { emailFields } from './verification';
import { bulkHint, nodeDefaults, subtitleOf } from '../shared/editor/description';

const estimate = estimateOperation({ ...verifyBulk, fields: emailFields });
const operations = [verify, verifyBulk, estimate];

export class ContactDataVerifier implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('Contact Data Verifier', 'email', operations),
		name: 'contactDataVerifier',
		icon: { light: 'file:../../icons/verifier.svg', dark: 'file:../../icons/verifier.dark.svg' },
		subtitle: subtitleOf(operations),
		description:
			'Check whether emails accept mail, one by one or in bulk. Costs 1 credit per email.',
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Verifies emails: emailStatus is valid, catch-all, invalid or unknown. For lists use verifyBulk, also for thousands of items, without Loop or Wait. Behind a Finder it verifies only emails whose emailStatus is unknown, and the others cost nothing. Set Max Credits under Options to limit what it may spend.',
		},
		hints: [bulkHint(verify, verifyBulk)],
	};

	customOperations = customOperations('email', operations);
}
