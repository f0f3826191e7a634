import { getAccount } from './operations/account.mts';
import { findBulk, getBulkJob } from './operations/bulkFinder.mts';
import { getCompanyLeads, searchCompany } from './operations/company.mts';
import { find } from './operations/finder.mts';
import { exportLeads, getList, getListLeads, getLists } from './operations/lists.mts';
import { verify, verifyBulk } from './operations/verifier.mts';
import { isRecord } from './values.mts';

/** Who answers. */
export const operations = {
	getAccount,
	getLists,
	getList,
	getListLeads,
	exportLeads,
	find,
	findBulk,
	getBulkJob,
	verify,
	verifyBulk,
	getCompanyLeads,
	searchCompany,
};

/** What the operations are called, whichever path and variant they are asked by. */
export type Operation = keyof typeof operations;

/** The operation of an `operationId` of the OpenAPI document. */
export function operationOf(operationId: unknown, query: unknown): Operation | null {
	if (operationId === 'searchCompanyAtExamplePath') return 'searchCompany';
	// One path reads jobs and verifies addresses: its query string tells which.
	if (operationId === 'readBulk') {
		return isRecord(query) && 'id' in query ? 'getBulkJob' : 'verifyBulk';
	}
	const isNamed = (name: string): name is Operation => name === operationId;
	return Object.keys(operations).find(isNamed) ?? null;
}
