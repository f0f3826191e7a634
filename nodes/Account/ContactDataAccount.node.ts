import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import {
	customOperations,
	nodeDefaults,
	operationProperties,
	operationSubtitle,
} from '../shared/description/operation';
import { get } from './operations/get.operation';

const operations = [get];

/** Tells what the account has: its plan, its credits and its saved lists. */
export class ContactDataAccount implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data Account',
		name: 'contactDataAccount',
		icon: { light: 'file:../../icons/account.svg', dark: 'file:../../icons/account.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description: 'Get the plan, the credits and the saved lists of the account. Costs no credits.',
		defaults: { name: 'Contact Data Account' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: operationProperties('account', operations),
	};

	customOperations = customOperations('account', operations);
}
