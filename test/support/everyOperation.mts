import type { INodeParameters } from 'n8n-workflow';

import type { Service } from '../service/service.mts';
import type { OurNode } from './engine.mts';

/** One way to run an operation. */
export interface Sample {
	node: OurNode;
	operation: string;
	parameters: INodeParameters;
}

/** A list by its id, as the resource locator stores it. */
export function listWithId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

/** Every operation with parameters that the emulated service has an answer for. */
export function everyOperation({ fixtures }: Pick<Service, 'fixtures'>): Sample[] {
	const [company] = fixtures.companies;
	const person = fixtures.people.find(({ email }) => email !== null);
	if (!person?.email) throw new Error('The fixtures hold somebody with an address');
	const who = { fullName: person.full, domain: person.company.domain };
	const samples: Array<[OurNode, string, INodeParameters]> = [
		['contactDataAccount', 'get', {}],
		['contactDataList', 'getAll', { returnAll: true }],
		['contactDataList', 'get', { listId: listWithId('102') }],
		['contactDataList', 'getLeads', { listId: listWithId('102'), returnAll: true }],
		['contactDataList', 'exportLeads', { listId: listWithId('102') }],
		['contactDataFinder', 'find', { ...who, options: { includeCompanyData: true } }],
		['contactDataFinder', 'findBulk', who],
		['contactDataFinder', 'estimate', who],
		['contactDataVerifier', 'verify', { email: person.email, options: { enrich: true } }],
		['contactDataVerifier', 'verifyBulk', { email: person.email }],
		['contactDataVerifier', 'estimate', { email: person.email }],
		['contactDataCompany', 'search', { keyword: company.domain }],
		['contactDataCompany', 'getLeads', { companyWebsite: company.domain, limit: 3 }],
	];
	return samples.map(([node, operation, parameters]) => ({
		node,
		operation,
		parameters: { resource: resourceOf[node], operation, ...parameters },
	}));
}

const resourceOf: Record<OurNode, string> = {
	contactDataAccount: 'account',
	contactDataList: 'list',
	contactDataFinder: 'email',
	contactDataVerifier: 'email',
	contactDataCompany: 'company',
};
