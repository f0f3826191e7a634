import { hash } from 'crypto';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { cleanText, numberOf, parsedUrl, toDomain, toText, withScheme } from '../values/text';
import { Failure } from '../failures/failure';

/** Characters that no header can hold, e.g. a pasted zero-width space: n8n's HTTP client drops them. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/g;

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

/** Reads a credential; throws a {@link Failure} if its Base URL or its key cannot be used. */
export function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const baseUrl = checkedBaseUrl(credential.baseUrl);
	const apiKey = toText(credential.apiKey).replace(UNSENDABLE, '').trim();
	if (apiKey === '') {
		throw new Failure('unauthorized', {
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
	return hash('sha256', JSON.stringify(parts), 'base64').slice(0, 22);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function refusedBaseUrl(message: string, description: string): Failure {
	return new Failure('refused_base_url', { message, description });
}

/** A path of the API (interface specification 9), or its beginning, which people paste at the end of the Base URL. */
const API_PATH = /(?<![:/])\/+(?:api|(?:api\/+v2|v3)(?:\/.*)?)\/*$/i;

/**
 * The Base URL as it is typed (interface specification 1: HTTPS only), without a path of the API or a slash at its end.
 * A host without a scheme gets `https://`, or `http://` if it is this machine. Throws a {@link Failure} for any
 * other text, and for plain `http` to another machine.
 */
export function checkedBaseUrl(value: unknown): string {
	const typed = cleanText(value).replace(API_PATH, '');
	const isLocal = LOOPBACK.test(parsedUrl(`http://${typed}`)?.hostname ?? '');
	const text = withScheme(typed, isLocal ? 'http' : 'https');
	const url = parsedUrl(text);
	// A word alone may be the key, pasted into the wrong field: it must not be looked up as a host.
	const isWord = text !== typed && !isLocal && toDomain(typed) === '';
	if (!url?.host || isWord || text.includes('@')) {
		throw refusedBaseUrl(
			'The Base URL of the credential is not a valid URL',
			"Enter the URL of your provider's API, e.g. https://api.example.com",
		);
	}
	// What is behind the sign may be the key.
	const [sign] = /[?#]/.exec(text) ?? [];
	if (sign) {
		throw refusedBaseUrl(
			'The Base URL of the credential holds more than a host and a path',
			`Leave out the ${sign} and all that follows it.`,
		);
	}
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
		throw refusedBaseUrl(
			'The Base URL of the credential does not start with https://',
			"Use https, so the API key can't be intercepted. Plain http is accepted on localhost only (localhost, 127.0.0.1, [::1]).",
		);
	}
	return text.replace(/(?<!\/)\/+$/, '');
}

/** Throws a {@link Failure} for a path that leads to another host, e.g. a whole URL. */
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

/** One setting for each request-side variant (interface specification 4.3, 4.5, 4.6, 4.8, 4.10); by default the main form. */
export const INTERFACE_DEFAULTS = {
	/** `array` (a bare list of rows) or `people` (an object that holds them). */
	bulkFinderBody: 'array',
	/** `repeat` (`email=a&email=b`) or `comma` (`email=a,b`). */
	bulkVerifierQuery: 'repeat',
	bulkVerifierPath: '/v3/verify_bulk',
	companySearchPath: '/company/search',
	/** `company` or `companyName`. */
	companyNameParameter: 'company',
	listPageSize: 500,
};

export type InterfaceSettings = typeof INTERFACE_DEFAULTS;

/** The settings of a credential: the defaults, unless its switch "Customize API Requests" is on. */
export function interfaceSettings(credential: IDataObject): InterfaceSettings {
	if (credential.customizeInterface !== true) return INTERFACE_DEFAULTS;
	const { listPageSize, ...texts } = INTERFACE_DEFAULTS;
	const own = Object.entries(texts).map(([name, byDefault]): [string, string] => [
		name,
		cleanText(credential[name]) || byDefault,
	]);
	const pageSize = Math.floor(numberOf(credential.listPageSize) ?? 0) || listPageSize;
	return { ...texts, ...Object.fromEntries(own), listPageSize: Math.max(1, pageSize) };
}
