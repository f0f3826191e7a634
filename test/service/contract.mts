import type { IncomingHttpHeaders } from 'node:http';

import { rowsOf } from './operations/bulkFinder.mts';
import { submittedAddresses } from './operations/verifier.mts';
import { isRecord, number } from './values.mts';
import type { Variants } from './variants.mts';
import type { Operation, WireRequest } from './wireLog.mts';

const mostAddresses = 50;

/** A key as short as this occurs by chance, in a path for instance. */
const shortKeyLength = 8;

/** What is wrong with the headers and the whereabouts of the access key; specification 4 and 5. */
export function transportProblems(request: WireRequest, keys: readonly string[]): string[] {
	const { headers, method } = request;
	const problems: string[] = [];
	if (!headers.accept?.includes('application/json')) {
		problems.push('headers/accept does not ask for application/json');
	}
	if (method === 'GET' && hasBody(headers)) problems.push(`a ${method} request has a body`);
	return [...problems, ...keyProblems(request, keys)];
}

function hasBody(headers: IncomingHttpHeaders): boolean {
	return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function keyProblems(request: WireRequest, keys: readonly string[]): string[] {
	const { 'x-access-key': sent, ...others } = request.headers;
	const secrets = [...keys, String(sent ?? '')].filter((key) => key.length >= shortKeyLength);
	const places = {
		path: decoded(request.path),
		'query string': decoded(request.rawQuery),
		body: JSON.stringify(request.body) ?? '',
		...Object.fromEntries(
			Object.entries(others).map(([name, value]) => [`headers/${name}`, String(value)]),
		),
	};
	return Object.entries(places)
		.filter(([, content]) => secrets.some((secret) => content.includes(secret)))
		.map(([place]) => `the access key shows up outside its header: ${place}`);
}

function decoded(uriPart: string): string {
	try {
		return decodeURIComponent(uriPart);
	} catch {
		return uriPart;
	}
}

/** What the document allows for the sake of another variant than the active one. */
export function variantProblems(
	operation: Operation,
	query: unknown,
	body: unknown,
	variants: Variants,
): string[] {
	switch (operation) {
		case 'find':
			return companyParameterProblems(query, variants);
		case 'findBulk':
			return bulkBodyProblems(body, variants);
		case 'verifyBulk':
			return addressProblems(query, variants);
		case 'getListLeads':
			return (number(query, 'size') ?? 0) > variants.leadsMaxSize
				? [`query/size is over ${variants.leadsMaxSize}`]
				: [];
		default:
			return [];
	}
}

function companyParameterProblems(query: unknown, { finderCompanyParameter }: Variants): string[] {
	const other = finderCompanyParameter === 'company' ? 'companyName' : 'company';
	return isRecord(query) && other in query
		? [`query/${other} is called ${finderCompanyParameter} here`]
		: [];
}

function bulkBodyProblems(body: unknown, { bulkBody }: Variants): string[] {
	const ids = rowsOf(body).flatMap(({ tId }) => (tId === undefined ? [] : [String(tId)]));
	return [
		...(Array.isArray(body) === (bulkBody === 'array')
			? []
			: [`body is not in the form ${bulkBody}`]),
		...(new Set(ids).size === ids.length ? [] : ['body has the same tId in several rows']),
	];
}

function addressProblems(query: unknown, variants: Variants): string[] {
	const parameters = submittedAddresses(query, { ...variants, verifyBulkQuery: 'repeat' });
	const addresses = submittedAddresses(query, variants);
	const repeats = variants.verifyBulkQuery === 'repeat';
	return [
		...(repeats && parameters.some((email) => email.includes(','))
			? ['query/email has a comma list, but is repeated here']
			: []),
		...(!repeats && parameters.length > 1
			? ['query/email is repeated, but is a comma list here']
			: []),
		...(addresses.length > mostAddresses
			? [`query/email has over ${mostAddresses} addresses`]
			: []),
		...(addresses.some((email) => email.trim() === '') ? ['query/email has an empty address'] : []),
	];
}
