import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../shared/operation';
import { check } from './operations/check.operation';
import { get } from './operations/get.operation';
import { nodeDefaults, subtitleOf } from '../shared/editor/description';

const operations = [get, check];

export class ContactDataAccount implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('Contact Data Account', 'account', operations),
		name: 'contactDataAccount',
		icon: { light: 'file:../../icons/account.svg', dark: 'file:../../icons/account.dark.svg' },
		subtitle: subtitleOf(operations),
		description:
			"Get the plan, the credits and the saved lists, or check whether your provider's API works. Costs no credits.",
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Free. Use it to read how many credits remain, e.g. before a large lookup. To estimate what a lookup costs, use the operation estimate of Contact Data Finder or Verifier.',
		},
	};

	customOperations = customOperations('account', operations);
}
