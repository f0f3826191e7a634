import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { toText, withoutTrailing } from '../values/text';
import { parsedUrl } from '../values/url';
import { ServiceError } from './errors';

/** What no header can carry, a zero-width space that was pasted along, say: n8n's HTTP client drops it. */
const NOT_SENT = /[^\t\x20-\x7e\x80-\xff]/g;

/** What a credential says about the service and the account. */
export interface Connection {
	credential: ICredentialDataDecryptedObject;
	baseUrl: string;
	apiKey: string;
	/** Tells accounts apart in memory, without holding a key. */
	account: string;
	/** Tells apart what may be answered differently: the account and the interface settings. */
	id: string;
	settings: InterfaceSettings;
}

/** Who is let in, and where. */
export type Access = Pick<Connection, 'baseUrl' | 'apiKey'>;

/** What every request needs; throws a `ServiceError` when the Base URL is refused, or there is no key. */
export function accessOf(credential: ICredentialDataDecryptedObject): Access {
	const baseUrl = checkedBaseUrl(credential.baseUrl);
	const apiKey = toText(credential.apiKey).replace(NOT_SENT, '').trim();
	if (apiKey === '') throw noKey();
	return { baseUrl, apiKey };
}

/** Reads a credential; throws a `ServiceError` as {@link accessOf} does. */
export function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const { baseUrl, apiKey } = accessOf(credential);
	const settings = interfaceSettings(credential);
	const account = digest([new URL(baseUrl).href, apiKey]);
	return { credential, baseUrl, apiKey, account, id: digest([account, settings]), settings };
}

function noKey(): ServiceError {
	return new ServiceError('unauthorized', {
		message: 'The API Key of the credential is empty',
		description: 'Enter the API key from your account settings.',
	});
}

/** A short text that stands for all of this; what it was made of cannot be read from it. */
export function digest(parts: unknown[]): string {
	// 132 bits: no two are ever the same by chance.
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 22);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function refusedBaseUrl(message: string, description: string): ServiceError {
	return new ServiceError('refused_base_url', { message, description });
}

/**
 * The base address of the service, without a trailing slash (interface specification 1: HTTPS only).
 * Throws a {@link ServiceError} for anything that the key must not be sent to: plain `http` other
 * than to this machine, another scheme, or a text that is no URL.
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
	return withoutTrailing(text, '/');
}

/** Throws a {@link ServiceError} for a path that leads away from the service: a whole URL, say. */
export function assertGoesTo(baseUrl: string, path: string): void {
	if (goesTo(baseUrl, path, baseUrl)) return;
	throw refusedBaseUrl(
		`The path ${path} points to a different host than the Base URL of the credential`,
		'Enter a path only, e.g. /company/search, under Customize API Requests in the credential.',
	);
}

/** Whether a request goes to the service of the credential and nowhere else. */
export function goesTo(
	baseUrl: string,
	requestUrl: string | undefined,
	requestBaseUrl?: string,
): boolean {
	if (requestUrl === undefined) return false;
	try {
		return new URL(requestUrl, requestBaseUrl).origin === new URL(baseUrl).origin;
	} catch {
		return false;
	}
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
	/** 4.3: the most leads that the service gives per page. */
	listPageSize: 500,
};

export type InterfaceSettings = typeof INTERFACE_DEFAULTS;

/** The settings of a credential: the defaults, unless its switch "Customize API Requests" is on. */
export function interfaceSettings(credentials: IDataObject): InterfaceSettings {
	if (credentials.customizeInterface !== true) return INTERFACE_DEFAULTS;
	const text = (name: keyof InterfaceSettings & string) => toText(credentials[name]);
	return {
		bulkFinderBody: text('bulkFinderBody') || INTERFACE_DEFAULTS.bulkFinderBody,
		bulkVerifierQuery: text('bulkVerifierQuery') || INTERFACE_DEFAULTS.bulkVerifierQuery,
		bulkVerifierPath: text('bulkVerifierPath') || INTERFACE_DEFAULTS.bulkVerifierPath,
		companySearchPath: text('companySearchPath') || INTERFACE_DEFAULTS.companySearchPath,
		companyNameParameter: text('companyNameParameter') || INTERFACE_DEFAULTS.companyNameParameter,
		listPageSize: Math.max(
			1,
			Math.floor(Number(text('listPageSize'))) || INTERFACE_DEFAULTS.listPageSize,
		),
	};
}
