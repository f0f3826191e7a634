import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { customOperations, nodeDefaults, operationProperties } from '../shared/operation';
import { find } from './operations/find.operation';
import { findBulk } from './operations/findBulk.operation';
import { getBulkJob } from './operations/getBulkJob.operation';

const operations = [find, findBulk, getBulkJob];

export class ContactDataFinder implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data Finder',
		name: 'contactDataFinder',
		icon: { light: 'file:../../icons/finder.svg', dark: 'file:../../icons/finder.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Find the business email of a person',
		defaults: { name: 'Contact Data Finder' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		hints: [
			{
				message:
					'Find Emails in Bulk does this with one request for 100 people, at the same price and several times as fast',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
				displayCondition: '={{ $parameter.operation === "find" && $input.all().length > 20 }}',
			},
		],
		properties: operationProperties('email', operations),
	};

	customOperations = customOperations('email', operations);
}
