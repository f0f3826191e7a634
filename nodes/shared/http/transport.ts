import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { CREDENTIAL, inheriting } from '../host/context';
import type { Parameters } from '../host/parameters';
import { isObject } from '../values/json';
import { asNumber, toText } from '../values/text';
import { parsedUrl } from '../values/url';
import { assertGoesTo, type Connection } from './connection';
import { asServiceError, connectionError, ServiceError, unexpectedAnswer } from './errors';
import { withoutKey } from './mask';
import { type HttpResponse, readResponse } from './response';

/**
 * Sends one request, without retries, and reads its JSON answer (interface specification 1, 5, 7), in which
 * the key is masked. Throws a {@link ServiceError}.
 */
export async function sendOnce(
	n8n: IAllExecuteFunctions,
	{ apiKey, baseUrl, credential }: Connection,
	request: IHttpRequestOptions,
): Promise<object> {
	// n8n's timeout counts silence only: an answer that trickles would never end. And n8n would cut off the
	// requests in progress when the execution is stopped: answers that were paid for would be lost.
	const { timeout } = request;
	const deadline = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
	const own = inheriting(n8n, { getExecutionCancelSignal: () => deadline });
	const options: IHttpRequestOptions = {
		...request,
		baseURL: baseUrl,
		headers: { Accept: 'application/json' },
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		returnFullResponse: true,
	};
	// Without these n8n reads the credential of the first item from its database, for each request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data: { ...credential } };
	try {
		assertGoesTo(baseUrl, request.url);
		const response: HttpResponse = await n8n.helpers.httpRequestWithAuthentication
			.call(own, CREDENTIAL, options, { credentialsDecrypted })
			.catch((thrown: unknown) => {
				throw connectionError(thrown);
			});
		return masked(readResponse(response), apiKey);
	} catch (error) {
		throw asServiceError(error).without(apiKey);
	}
}

/** Throws a {@link ServiceError} for an answer that is nested too deep to be written: no item could hold it. */
function masked(answer: object, apiKey: string): object {
	try {
		return withoutKey(answer, apiKey);
	} catch {
		throw unexpectedAnswer('JSON that n8n can store');
	}
}

/** What n8n offers in every declarative node under "Request Options". */
export type RequestOptions = Pick<
	IHttpRequestOptions,
	'timeout' | 'proxy' | 'skipSslCertificateValidation'
>;

/** The longest time that a timer of Node can wait, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Reads the Request Options of the node; throws a `ServiceError` for what cannot be used. */
export function requestOptionsOf(parameters: Parameters): RequestOptions {
	return requestOptionsIn(parameters.get('requestOptions', 0, {}));
}

/** The same, from the value of the parameter. */
export function requestOptionsIn(parameter: unknown): RequestOptions {
	const options = isObject(parameter) ? parameter : {};
	const timeout = asNumber(options.timeout);
	const { proxy } = options;
	return {
		...(timeout > 0 && { timeout: Math.min(Math.ceil(timeout), MAX_TIMEOUT) }),
		...(options.allowUnauthorizedCerts === true && { skipSslCertificateValidation: true }),
		...(proxy !== undefined && proxy !== null && proxy !== '' && { proxy: proxyOf(proxy) }),
	};
}

/**
 * A proxy as n8n's HTTP helper wants it, from `http://user:secret@host:port` or `host:port`. One that n8n
 * cannot use is refused: n8n would go without it.
 */
function proxyOf(value: unknown): IHttpRequestOptions['proxy'] {
	const text = toText(value);
	const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
	const url = parsedUrl(hasScheme ? text : `http://${text}`);
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw refused('The proxy is not valid');
	}
	const { hostname: host, port, protocol, username, password } = url;
	return {
		host,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		protocol: protocol.replace(':', ''),
		...((username !== '' || password !== '') && {
			auth: { username: forN8n(username), password: forN8n(password) },
		}),
	};
}

/** A part of the URL as n8n wants it, which encodes all of it again but the percent sign. */
function forN8n(text: string): string {
	try {
		return decodeURIComponent(text).replaceAll('%', '%25');
	} catch {
		return text;
	}
}

function refused(message: string): ServiceError {
	return new ServiceError('refused_by_n8n', {
		message,
		description:
			'Check the Request Options of the node. A proxy looks like http://proxy.example.com:3128.',
	});
}
