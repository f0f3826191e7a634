import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Credential } from '../../hosts/rest.mts';
import {
	addressOf,
	answerIn,
	findBulk,
	leadOf,
	numbers,
	subjectsOf,
	type Bulk,
} from '../../support/bulk.mts';
import { node } from '../../support/savedNodes.mts';
import { KEY } from '../../support/service.mts';

/** The name of the node whose output is looked at. */
export const MEASURED = 'Measured';

/** The most leads that a page may have. */
const PAGE = 500;

/** A node of n8n that works on leads, and what is right for it. */
export interface Contender {
	name: string;
	/** How many leads it gets. */
	leads: number;
	node: Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>;
	/** The part of an output item that only the right answer has. */
	answer: (json: IDataObject) => IDataObject;
	/** That part for the lead with a number. */
	expected: (number: number) => IDataObject;
	/** What the ledger must hold afterwards. */
	paid: string[];
}

/** Where our own nodes are and what they sign in with. */
export interface Own {
	packageName: string;
	credential: Credential;
}

/** Parameters of a node by their names, each filled with an expression. */
export type Expressions = Record<string, string>;

export const person = {
	firstName: '={{ $json.first }}',
	lastName: '={{ $json.last }}',
	domain: '={{ $json.domain }}',
} satisfies Expressions;

/** The same person, told by expressions that compute something. */
export const computedPerson = {
	firstName: '={{ $json.first.trim() }}',
	lastName: '={{ $json.last.trim() }}',
	domain: '={{ $json.domain.trim().toLowerCase() }}',
} satisfies Expressions;

export const address = { email: '={{ $json.email }}' } satisfies Expressions;

/** Find Email. */
export function findEmail(own: Own, leads: number, maxConcurrency: number): Contender {
	return {
		name: 'Find Email',
		leads,
		node: nodeOf(own, findBulk.node, { ...person, operation: 'find', options: { maxConcurrency } }),
		answer: answerIn,
		expected: findBulk.answer,
		paid: subjectsOf(findBulk, numbers(leads)),
	};
}

/** A bulk operation, told whom or what to look up by these expressions. */
export function inBulk(
	own: Own,
	name: string,
	bulk: Bulk,
	leads: number,
	expressions: Expressions,
): Contender {
	return {
		name,
		leads,
		node: nodeOf(own, bulk.node, { operation: bulk.operation, ...expressions }),
		answer: answerIn,
		expected: bulk.answer,
		paid: subjectsOf(bulk, numbers(leads)),
	};
}

function nodeOf(own: Own, node: string, parameters: INodeParameters): Contender['node'] {
	const { id, name, type } = own.credential;
	return {
		type: `${own.packageName}.${node}`,
		typeVersion: 1,
		// Edit Fields and HTTP Request put out their own fields only, too.
		parameters: { ...parameters, includeInputFields: false },
		credentials: { [type]: { id, name } },
	};
}

/**
 * n8n's HTTP Request, which asks for one person per item.
 *
 * @param credential with the key; without one the node has the key among its headers
 */
export function httpRequest(baseUrl: string, leads: number, credential?: Credential): Contender {
	const pairs = Object.entries(person).map(([name, value]) => ({ name, value }));
	return {
		name: `HTTP Request, key in ${credential ? 'a credential' : 'a plain header'}`,
		leads,
		node: {
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.5,
			parameters: {
				method: 'GET',
				url: `${baseUrl}/api/v2/find`,
				...(credential
					? { authentication: 'genericCredentialType', genericAuthType: credential.type }
					: {
							sendHeaders: true,
							headerParameters: { parameters: [{ name: 'X-Access-Key', value: KEY }] },
						}),
				sendQuery: true,
				queryParameters: { parameters: pairs },
				// A person without an address is answered with 404.
				options: { response: { response: { neverError: true } } },
			},
			...(credential && {
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			}),
		},
		answer: ({ email, error }) => (email === undefined ? { error } : { email }),
		expected: (number) => {
			const email = findBulk.subject(number);
			return email === null ? { error: 'not_found' } : { email };
		},
		paid: subjectsOf(findBulk, numbers(leads)),
	};
}

/** n8n's HTTP Request, which reads the leads of a list page by page, and Split Out, which makes them items. */
export function pagedLeads(baseUrl: string, list: number, credential: Credential): INode[] {
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: {
			parameters: [
				// The first page starts above any lead.
				{ type: 'qs', name: 'start', value: '={{ $response.body?.next_start ?? 1e12 }}' },
			],
		},
		paginationCompleteWhen: 'other',
		completeExpression: `={{ $response.body.data.length < ${PAGE} }}`,
	};
	return [
		{
			...node('Pages', 'n8n-nodes-base.httpRequest', 4.5, {
				method: 'GET',
				url: `${baseUrl}/api/v2/list/${list}/leads`,
				authentication: 'genericCredentialType',
				genericAuthType: credential.type,
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'size', value: PAGE }] },
				options: { pagination: { pagination } },
			}),
			credentials: { [credential.type]: { id: credential.id, name: credential.name } },
		},
		node(MEASURED, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	];
}

/** n8n's Edit Fields, which puts the same into fields of the item. */
export function editFields(leads: number, expressions: Expressions): Contender {
	const assignments = Object.entries(expressions).map(([name, value]) => ({
		id: name,
		name,
		value,
		type: 'string',
	}));
	return {
		name: 'Edit Fields',
		leads,
		node: {
			type: 'n8n-nodes-base.set',
			typeVersion: 3.5,
			parameters: { assignments: { assignments }, options: {} },
		},
		answer: (json) => json,
		expected: (number) => {
			const { first, last, domain } = leadOf(number);
			const values: IDataObject = {
				firstName: first,
				lastName: last,
				domain,
				email: addressOf(number),
			};
			return Object.fromEntries(Object.keys(expressions).map((name) => [name, values[name]]));
		},
		paid: [],
	};
}
