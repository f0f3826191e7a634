import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { customOperations, nodeDefaults, operationSubtitle } from '../shared/editor/operation';
import { get } from './operations/get.operation';

const operations = [get];

/** Reads the plan, the credits and the saved lists of the account. */
export class ContactDataAccount implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('account', operations),
		displayName: 'Contact Data Account',
		name: 'contactDataAccount',
		icon: { light: 'file:../../icons/account.svg', dark: 'file:../../icons/account.dark.svg' },
		subtitle: operationSubtitle(operations),
		description: 'Get the plan, the credits and the saved lists of the account. Costs no credits.',
		defaults: { name: 'Contact Data Account' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Free. Use it to read how many credits remain, e.g. before a large lookup. To estimate what a lookup costs, use the operation estimate of Contact Data Finder or Verifier.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-contact-data.contactDataTrigger',
					relationHint: 'Its event lowCredits starts a workflow when credits run low',
				},
			],
		},
	};

	customOperations = customOperations('account', operations);
}
