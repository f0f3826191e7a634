import { toText, withoutTrailing } from '../values/text';
import { parsedUrl } from '../values/url';
import { ServiceError } from './serviceError';

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
