import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { expectedEmail, expectedVerification } from '../service/addresses.mts';
import { rowsOf } from '../service/operations/bulkFinder.mts';
import { submittedAddresses } from '../service/operations/verifier.mts';
import type { Service } from '../service/service.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { runNode, type NodeResult, type NodeTest } from './engine.mts';
import { credentialFor } from './service.mts';

/** Someone whom the finder may know, told apart by a number. */
export interface Lead extends IDataObject {
	first: string;
	last: string;
	domain: string;
}

/** The lead with a number from 0 to 99,999. No name is the beginning of another. */
export function leadOf(number: number): Lead {
	const first = `Ann${String(number).padStart(5, '0')}`;
	return { first, last: 'Test', domain: `c${number % 40}.bulk.example` };
}

/** The address of the lead with a number, as a user would have it. */
export function addressOf(number: number): string {
	const { first, last, domain } = leadOf(number);
	return `${first}.${last}@${domain}`.toLowerCase();
}

/** Whole numbers from `first` on. */
export function numbers(length: number, first = 0): number[] {
	return Array.from({ length }, (_, index) => first + index);
}

/** A bulk operation, seen from the outside: what goes in and what must come out for a number. */
export interface Bulk {
	node: 'contactDataFinder' | 'contactDataVerifier';
	operation: 'findBulk' | 'verifyBulk';
	/** The most questions of one request; interface specification 8. */
	perRequest: number;
	credits: 'email' | 'verifier';
	parameters: INodeParameters;
	item: (number: number) => IDataObject;
	/** The same question in another spelling. */
	twin: (number: number) => IDataObject;
	/** The part of the output item that only the right answer has. */
	answer: (number: number) => IDataObject;
	/** What the ledger calls it when it is paid for; null for a miss. */
	subject: (number: number) => string | null;
	/** How many questions a request asks. */
	asked: (request: WireRequest, service: Service) => number;
}

export const findBulk: Bulk = {
	node: 'contactDataFinder',
	operation: 'findBulk',
	perRequest: 100,
	credits: 'email',
	parameters: {
		includeInputFields: false,
		operation: 'findBulk',
		firstName: '={{ $json.first }}',
		lastName: '={{ $json.last }}',
		domain: '={{ $json.domain }}',
	},
	item: leadOf,
	twin: (number) => {
		const lead = leadOf(number);
		return { ...lead, domain: `https://www.${lead.domain.toUpperCase()}/about` };
	},
	answer: (number) => {
		const found = expectedFor(number);
		return {
			status: found ? 'found' : 'not_found',
			email: found?.email ?? null,
			emailStatus: found?.status ?? null,
		};
	},
	subject: (number) => expectedFor(number)?.email ?? null,
	asked: ({ body }) => rowsOf(body).length,
};

export const verifyBulk: Bulk = {
	node: 'contactDataVerifier',
	operation: 'verifyBulk',
	perRequest: 50,
	credits: 'verifier',
	parameters: { operation: 'verifyBulk', email: '={{ $json.email }}', includeInputFields: false },
	item: (number) => ({ email: addressOf(number) }),
	twin: (number) => ({ email: ` ${addressOf(number).toUpperCase()} ` }),
	answer: (number) => ({
		status: 'verified',
		email: addressOf(number),
		emailStatus: expectedVerification(addressOf(number)).email_status,
	}),
	subject: addressOf,
	asked: ({ query }, { variants }) => submittedAddresses(query, variants).length,
};

export const bulks = [findBulk, verifyBulk];

function expectedFor(number: number) {
	const { first, last, domain } = leadOf(number);
	return expectedEmail(first, last, domain);
}

/** What the ledger must hold when all of these are paid for once. */
export function subjectsOf(bulk: Bulk, wanted: number[]): string[] {
	return wanted.map(bulk.subject).filter((subject) => subject !== null);
}

/** The fields of an output item that tell whose answer it holds. */
export function answerIn({ status, email, emailStatus }: IDataObject): IDataObject {
	return { status, email, emailStatus };
}

/** For a fault: whether a request asks, among others, for the lead with a number. */
export function asksFor(number: number): (request: WireRequest) => boolean {
	const { first } = leadOf(number);
	const wanted = first.toLowerCase();
	return ({ body, rawQuery }) =>
		(JSON.stringify(body) ?? '').toLowerCase().includes(wanted) || rawQuery.includes(wanted);
}

/** How a test runs a bulk operation; `options` are those of the node. */
export interface BulkTest extends Partial<Omit<NodeTest, 'node' | 'items'>> {
	options?: INodeParameters;
}

/** Runs a bulk operation over these items. */
export async function runBulk(
	bulk: Bulk,
	service: Service,
	items: IDataObject[],
	{ options = {}, parameters, ...test }: BulkTest = {},
): Promise<NodeResult> {
	return await runNode({
		node: bulk.node,
		credential: credentialFor(service),
		...test,
		parameters: { ...bulk.parameters, options, ...parameters },
		items,
	});
}

/** The requests of an operation, in the order in which they arrived. */
export function requestsOf({ requests }: Service, operation: WireRequest['operation']) {
	return requests.filter((request) => request.operation === operation);
}
