import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { customOperations, nodeDefaults, operationProperties } from '../shared/operation';
import { verify } from './operations/verify.operation';
import { verifyBulk } from './operations/verifyBulk.operation';

const operations = [verify, verifyBulk];

export class ContactDataVerifier implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data Verifier',
		name: 'contactDataVerifier',
		icon: { light: 'file:../../icons/verifier.svg', dark: 'file:../../icons/verifier.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Check whether email addresses accept mail',
		defaults: { name: 'Contact Data Verifier' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		hints: [
			{
				message:
					'Verify Emails in Bulk does this with one request for 50 addresses, at the same price and several times as fast',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
				displayCondition: '={{ $parameter.operation === "verify" && $input.all().length > 20 }}',
			},
		],
		properties: operationProperties('email', operations),
	};

	customOperations = customOperations('email', operations);
}
