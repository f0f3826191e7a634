import { isDeepStrictEqual } from 'node:util';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { answerIn, findBulk, type Lookup } from '../../support/leads/lookups.mts';
import { node, ours } from '../../support/realN8n/savedNodes.mts';
import { KEY } from '../../support/servers/service.mts';
import type { HostBench } from './hostBench.mts';

/** The name of the node whose output is looked at. */
export const MEASURED = 'Measured';

/** The most leads that a page may have. */
const PAGE = 500;

/** Parameters of a node by their names, each filled with an expression. */
type Expressions = Record<string, string>;

export const person = {
	firstName: '={{ $json.first }}',
	lastName: '={{ $json.last }}',
	domain: '={{ $json.domain }}',
} satisfies Expressions;

/** The same person in a sheet, in all fields that are recognized there. */
export const personInSheet = {
	firstName: '={{ $json["First Name"] }}',
	lastName: '={{ $json.Surname }}',
	domain: '={{ $json["Company Website"] }}',
	company: '={{ $json.Company }}',
} satisfies Expressions;

/** The same person, told by expressions that compute something. */
export const computedPerson = {
	firstName: '={{ $json.first.trim() }}',
	lastName: '={{ $json.last.trim() }}',
	domain: '={{ $json.domain.trim().toLowerCase() }}',
} satisfies Expressions;

export const address = { email: '={{ $json.email }}' } satisfies Expressions;

/** The numbers of the leads that items ask for; null for a malformed one. */
type Asked = ReadonlyArray<number | null>;

/** One of our lookups. Edit Fields and HTTP Request put out their own fields only, too. */
export function lookup(
	{ host, credential }: HostBench,
	{ node: type, operation }: Lookup,
	parameters: INodeParameters,
): INode {
	return ours({ packageName: host.packageName, credential }, MEASURED, type, {
		resource: 'email',
		operation,
		existingEmail: '',
		existingStatus: '',
		manualLimit: 0,
		includeInputFields: false,
		...parameters,
	});
}

/** How many items of ours have the answer to their question; a malformed one has none. */
export function ourAnswers({ answer }: Lookup, asked: Asked) {
	return (items: IDataObject[]): number =>
		items.filter((json, item) => {
			const number = asked[item] ?? null;
			if (number === null) return json.lookupStatus === 'invalid_input';
			return isDeepStrictEqual(answerIn(json), answer(number));
		}).length;
}

/**
 * n8n's HTTP Request, which asks for one person per item.
 *
 * @param hasCredential whether the key is in a credential, or among its headers
 */
export function httpRequest(
	{ service, headerCredential }: HostBench,
	options: INodeParameters = {},
	hasCredential = true,
): INode {
	const pairs = Object.entries(person).map(([name, value]) => ({ name, value }));
	const key = { name: 'X-Access-Key', value: KEY };
	const request = node(MEASURED, 'n8n-nodes-base.httpRequest', 4.5, {
		url: `${service.baseUrl}/api/v2/find`,
		...(!hasCredential && { sendHeaders: true, headerParameters: { parameters: [key] } }),
		sendQuery: true,
		queryParameters: { parameters: pairs },
		// A person without an address is answered with 404.
		options: { response: { response: { neverError: true } }, ...options },
	});
	return hasCredential ? signedIn(request, headerCredential) : request;
}

/** How many items hold what the service answers to their question. */
export function serviceAnswers(asked: Asked) {
	return (items: IDataObject[]): number =>
		items.filter(({ email, error }, item) => {
			const number = asked[item] ?? null;
			if (number === null) return email === undefined;
			const subject = findBulk.subject(number);
			return subject === null ? error === 'not_found' : email === subject;
		}).length;
}

/** n8n's HTTP Request, which reads the leads of a list page by page, and Split Out, which makes them items. */
export function pagedLeads({ service, headerCredential }: HostBench, list: number): INode[] {
	// The first page starts above any lead.
	const start = { type: 'qs', name: 'start', value: '={{ $response.body?.next_start ?? 1e12 }}' };
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [start] },
		paginationCompleteWhen: 'other',
		completeExpression: `={{ $response.body.data.length < ${PAGE} }}`,
	};
	const pages = node('Pages', 'n8n-nodes-base.httpRequest', 4.5, {
		url: `${service.baseUrl}/api/v2/list/${list}/leads`,
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'size', value: PAGE }] },
		options: { pagination: { pagination } },
	});
	const split = { fieldToSplitOut: 'data', options: {} };
	return [signedIn(pages, headerCredential), node(MEASURED, 'n8n-nodes-base.splitOut', 1, split)];
}

function signedIn(request: INode, { id, name, type }: HostBench['headerCredential']): INode {
	const how = { authentication: 'genericCredentialType', genericAuthType: type };
	return {
		...request,
		parameters: { ...request.parameters, ...how },
		credentials: { [type]: { id, name } },
	};
}

/** n8n's Edit Fields, which puts the same into fields of the item. */
export function editFields(expressions: Expressions): INode {
	const assignments = Object.entries(expressions).map(([name, value]) => ({
		...{ id: name, name, value },
		type: 'string',
	}));
	const parameters = { assignments: { assignments }, options: {} };
	return node(MEASURED, 'n8n-nodes-base.set', 3.5, parameters);
}
