import type { IncomingHttpHeaders } from 'node:http';

import { metered } from './ledger.mts';
import { rowsOf } from './operations/bulkFinder.mts';
import { submittedAddresses } from './operations/verifier.mts';
import { decoded, isRecord, number } from './values.mts';
import type { Variants } from './variants.mts';
import type { Operation, WireRequest } from './wireLog.mts';

/** A breach of the OpenAPI document or of the active variants. */
export interface Violation extends Pick<WireRequest, 'operation' | 'method' | 'path'> {
	/** A request breached by the client, or a response breached by the emulator itself. */
	kind: 'request' | 'response';
	/** `id` of the request in the wire log. */
	requestId: number;
	problems: string[];
}

type Checks = Array<[problem: string, isBroken: boolean]>;

function broken(checks: Checks): string[] {
	return checks.flatMap(([problem, isBroken]) => (isBroken ? [problem] : []));
}

const MOST_ADDRESSES = 50;

/** A key as short as this occurs by chance, in a path for instance. */
const SHORT_KEY_LENGTH = 8;

/** What is wrong with the headers and the whereabouts of the access key; specification 4 and 5. */
export function transportProblems(request: WireRequest, keys: readonly string[]): string[] {
	const { 'x-access-key': sent = '', ...headers } = request.headers;
	const secrets = [...keys, String(sent)].filter((key) => key.length >= SHORT_KEY_LENGTH);
	const places: Array<[place: string, content: unknown]> = [
		['path', decoded(request.path)],
		['query string', decoded(request.rawQuery)],
		['body', JSON.stringify(request.body)],
		...Object.entries(headers).map(([name, value]): [string, unknown] => [
			`headers/${name}`,
			value,
		]),
	];
	return broken([
		[
			'headers/accept does not ask for application/json',
			!headers.accept?.includes('application/json'),
		],
		['a GET request has a body', request.method === 'GET' && hasBody(headers)],
		...places.map(([place, content]): Checks[number] => [
			`the access key shows up outside its header: ${place}`,
			secrets.some((secret) => String(content).includes(secret)),
		]),
	]);
}

function hasBody(headers: IncomingHttpHeaders): boolean {
	return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Whether the service of this variant does not have the path of a request; specification 4.8 and 4.10. */
export function lacksPath({ operation, path }: WireRequest, variants: Variants): boolean {
	if (operation === 'verifyBulk') return path !== variants.verifyBulkPath;
	return operation === 'searchCompany' && path !== variants.companySearchPath;
}

/** The operations whose requests have to hold what is asked for; specification 4. */
export const ASKING = new Set<Operation | null>([...metered, 'getCompanyLeads']);

/**
 * Whether a request has nothing of what its operation requires; specification 7. No node sends one by mistake, but a
 * client may ask so whether there is an endpoint: that keeps to the contract.
 */
export function isBare({ operation, rawQuery, body }: WireRequest): boolean {
	const isEmpty = rawQuery === '' && (body ?? null) === null;
	return isEmpty && ASKING.has(operation);
}

/** What the document allows for the sake of another variant than the active one. */
export function variantProblems(
	{ operation, query, body }: WireRequest,
	variants: Variants,
): string[] {
	const { finderCompanyParameter, bulkBody, verifyBulkQuery, leadsMaxSize } = variants;
	if (operation === 'find') {
		const other = finderCompanyParameter === 'company' ? 'companyName' : 'company';
		const isUsed = isRecord(query) && other in query;
		return broken([[`query/${other} is called ${finderCompanyParameter} here`, isUsed]]);
	}
	if (operation === 'findBulk') {
		const ids = rowsOf(body).flatMap(({ tId }) => (tId === undefined ? [] : [String(tId)]));
		return broken([
			[`body is not in the form ${bulkBody}`, Array.isArray(body) !== (bulkBody === 'array')],
			['body has the same tId in several rows', new Set(ids).size < ids.length],
		]);
	}
	if (operation === 'verifyBulk') {
		const parameters = submittedAddresses(query, { verifyBulkQuery: 'repeat' });
		const addresses = submittedAddresses(query, variants);
		const isComma = verifyBulkQuery === 'comma';
		const hasCommas = parameters.some((email) => email.includes(','));
		return broken([
			['query/email has a comma list, but is repeated here', !isComma && hasCommas],
			['query/email is repeated, but is a comma list here', isComma && parameters.length > 1],
			[`query/email has over ${MOST_ADDRESSES} addresses`, addresses.length > MOST_ADDRESSES],
			['query/email has an empty address', addresses.some((email) => email.trim() === '')],
		]);
	}
	const isTooLarge = operation === 'getListLeads' && (number(query, 'size') ?? 0) > leadsMaxSize;
	return broken([[`query/size is over ${leadsMaxSize}`, isTooLarge]]);
}
