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

/** The service with one account, as one run of a node reaches it. */
export class Exchange {
	constructor(
		private readonly n8n: IAllExecuteFunctions,
		private readonly connection: Connection,
	) {}

	/**
	 * One request and its JSON answer (interface specification 1, 5, 7), without retries; the key is
	 * masked wherever the service sends it back. Throws a `ServiceError`.
	 */
	async send(request: IHttpRequestOptions): Promise<object> {
		const { apiKey, baseUrl } = this.connection;
		try {
			assertGoesTo(baseUrl, request.url);
			return masked(readResponse(await this.overHttp(request)), apiKey);
		} catch (error) {
			throw asServiceError(error).without(apiKey);
		}
	}

	private async overHttp(request: IHttpRequestOptions): Promise<HttpResponse> {
		const { baseUrl, credential } = this.connection;
		const complete: IHttpRequestOptions = {
			...request,
			baseURL: baseUrl,
			headers: { Accept: 'application/json' },
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			returnFullResponse: true,
		};
		// n8n's timeout counts silence only: an answer that trickles would never end. And n8n would cut off the
		// requests in progress when the execution is stopped: answers that were paid for would be lost.
		const deadline =
			request.timeout === undefined ? undefined : AbortSignal.timeout(request.timeout);
		const n8n = inheriting(this.n8n, { getExecutionCancelSignal: () => deadline });
		// Without these n8n reads the credential of the first item from its database, for each request.
		const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data: { ...credential } };
		try {
			return await n8n.helpers.httpRequestWithAuthentication.call(n8n, CREDENTIAL, complete, {
				credentialsDecrypted,
			});
		} catch (error) {
			throw connectionError(error);
		}
	}
}

/** The answer without the key. One that is nested too deep to be written can be no answer, nor an item. */
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
