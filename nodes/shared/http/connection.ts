import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { parsedUrl, toText } from '../values/text';
import { ServiceError } from './errors';

/** Characters that no header can hold, e.g. a pasted zero-width space: n8n's HTTP client drops them. */
const NOT_SENT = /[^\t\x20-\x7e\x80-\xff]/g;

/** What a credential says about the service and the account. */
export interface Connection {
	credential: ICredentialDataDecryptedObject;
	/** Without a slash at its end. */
	baseUrl: string;
	apiKey: string;
	/** Identifies the account in memory, without the key in clear. */
	account: string;
	/** Identifies the account and the interface settings: with the same id, answers are the same. */
	id: string;
	settings: InterfaceSettings;
}

/** Reads a credential; throws a {@link ServiceError} if its Base URL or its key cannot be used. */
export function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const baseUrl = checkedBaseUrl(credential.baseUrl);
	const apiKey = toText(credential.apiKey).replace(NOT_SENT, '').trim();
	if (apiKey === '') {
		throw new ServiceError('unauthorized', {
			message: 'The API Key of the credential is empty',
			description: 'Enter the API key from your account settings.',
		});
	}
	const settings = interfaceSettings(credential);
	const account = digest([new URL(baseUrl).href, apiKey]);
	return { credential, baseUrl, apiKey, account, id: digest([account, settings]), settings };
}

/** A text that identifies the parts, from which they cannot be read: 132 bits, so that no two collide. */
export function digest(parts: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 22);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function refusedBaseUrl(message: string, description: string): ServiceError {
	return new ServiceError('refused_base_url', { message, description });
}

/**
 * The Base URL of the service, without a slash at its end (interface specification 1: HTTPS only).
 * Throws a {@link ServiceError} for a text that is no URL, and for any that the key must not be sent to:
 * plain `http`, unless it leads to this machine, or another scheme.
 */
export function checkedBaseUrl(value: unknown): string {
	const text = toText(value);
	const url = parsedUrl(text);
	if (url === undefined || url.host === '' || /[?#]/.test(text)) {
		throw refusedBaseUrl(
			'The Base URL of the credential is not a valid URL',
			"Enter the URL of your provider's API, e.g. https://api.example.com",
		);
	}
	const local = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
	if (url.protocol !== 'https:' && !local) {
		throw refusedBaseUrl(
			'The Base URL of the credential does not start with https://',
			"Use https, so the API key can't be intercepted. Plain http is accepted on localhost only (localhost, 127.0.0.1, [::1]).",
		);
	}
	return text.replace(/(?<!\/)\/+$/, '');
}

/** Throws a {@link ServiceError} for a path that leads to another host, e.g. a whole URL. */
export function assertGoesTo(baseUrl: string, path: string): void {
	if (goesTo(baseUrl, path, baseUrl)) return;
	throw refusedBaseUrl(
		`The path ${path} points to a different host than the Base URL of the credential`,
		'Enter a path only, e.g. /company/search, under Customize API Requests in the credential.',
	);
}

/** Whether a request goes to the service of the credential and nowhere else. */
export function goesTo(baseUrl: string, url: string | undefined, requestBaseUrl?: string): boolean {
	const target = parsedUrl(url, requestBaseUrl);
	return target !== undefined && target.origin === parsedUrl(baseUrl)?.origin;
}

/**
 * The request-side variants of the interface specification: one setting each, as the credential
 * stores it, with the main form as its default.
 */
export const INTERFACE_DEFAULTS = {
	/** 4.6: `array` (a bare list of rows) or `people` (an object that holds them). */
	bulkFinderBody: 'array',
	/** 4.8: `repeat` (`email=a&email=b`) or `comma` (`email=a,b`). */
	bulkVerifierQuery: 'repeat',
	/** 4.8: the path of the bulk verifier. */
	bulkVerifierPath: '/v3/verify_bulk',
	/** 4.10: the path of the company search. */
	companySearchPath: '/company/search',
	/** 4.5: the finder's parameter for a company name, `company` or `companyName`. */
	companyNameParameter: 'company',
	/** 4.3: the most leads per page. */
	listPageSize: 500,
};

export type InterfaceSettings = typeof INTERFACE_DEFAULTS;

/** The settings of a credential: the defaults, unless its switch "Customize API Requests" is on. */
export function interfaceSettings(credential: IDataObject): InterfaceSettings {
	if (credential.customizeInterface !== true) return INTERFACE_DEFAULTS;
	const { listPageSize, ...texts } = INTERFACE_DEFAULTS;
	const own = Object.entries(texts).map(([name, byDefault]): [string, string] => [
		name,
		toText(credential[name]) || byDefault,
	]);
	const pageSize = Math.floor(Number(toText(credential.listPageSize))) || listPageSize;
	return { ...texts, ...Object.fromEntries(own), listPageSize: Math.max(1, pageSize) };
}
