import { getAccount } from './operations/account.mts';
import { findBulk, getBulkJobByPath, getBulkJobByQuery } from './operations/bulkFinder.mts';
import {
	getCompanyLeads,
	searchCompany,
	searchCompanyAtExamplePath,
} from './operations/company.mts';
import { find } from './operations/finder.mts';
import { exportLeads, getList, getListLeads, getLists } from './operations/lists.mts';
import { verify, verifyBulk, verifyBulkAtFinderPath } from './operations/verifier.mts';
import { isRecord } from './values.mts';
import type { Operation } from './wireLog.mts';
import type { Answer, Call } from './world.mts';

export interface Endpoint {
	operation: Operation;
	answer: (call: Call) => Answer;
}

const jobByQuery: Endpoint = { operation: 'getBulkJob', answer: getBulkJobByQuery };

/** Who answers, by the `operationId` of the OpenAPI document. */
const endpoints: Record<string, Endpoint> = {
	getAccount: { operation: 'getAccount', answer: getAccount },
	getLists: { operation: 'getLists', answer: getLists },
	getList: { operation: 'getList', answer: getList },
	getListLeads: { operation: 'getListLeads', answer: getListLeads },
	exportLeads: { operation: 'exportLeads', answer: exportLeads },
	find: { operation: 'find', answer: find },
	findBulk: { operation: 'findBulk', answer: findBulk },
	getBulkJob: { operation: 'getBulkJob', answer: getBulkJobByPath },
	readBulk: { operation: 'verifyBulk', answer: verifyBulkAtFinderPath },
	verify: { operation: 'verify', answer: verify },
	verifyBulk: { operation: 'verifyBulk', answer: verifyBulk },
	getCompanyLeads: { operation: 'getCompanyLeads', answer: getCompanyLeads },
	searchCompany: { operation: 'searchCompany', answer: searchCompany },
	searchCompanyAtExamplePath: { operation: 'searchCompany', answer: searchCompanyAtExamplePath },
};

/** One path reads jobs and verifies addresses: its query string tells which. */
export function endpointOf(operationId: string, query: unknown): Endpoint | undefined {
	const readsJob = operationId === 'readBulk' && isRecord(query) && 'id' in query;
	return readsJob ? jobByQuery : endpoints[operationId];
}
