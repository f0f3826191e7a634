import type { IAllExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { CREDENTIAL, inheriting, MAX_TIMEOUT } from '../host/context';
import { Failure, failureOf } from '../failures/failure';
import { isObject } from '../values/json';
import { cleanText, numberOf, parsedUrl, withoutPercents, withScheme } from '../values/text';
import { assertGoesTo, type Connection } from './connection';
import { connectionError } from './errors';
import { withoutKey } from './mask';
import { bodyIn, type Quota, quotaIn, readResponse } from './response';

/**
 * Sends one request, without retries. The key is masked in what comes of it: the JSON of the response, or why there is none.
 * @param onQuota is told what the service still accepts, if its response states that
 */
export async function sendOnce(
	n8n: IAllExecuteFunctions,
	{ apiKey, baseUrl, credential }: Connection,
	request: IHttpRequestOptions,
	onQuota: (quota: Quota) => void,
): Promise<object | Failure> {
	// n8n's timeout counts silence only, so a response that trickles would never end. And when the execution is
	// stopped, n8n would cut off the requests in progress, whose responses may be paid for.
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
		// n8n would parse JSON, in which large numbers lose digits.
		encoding: 'arraybuffer',
	};
	// Without these n8n reads the credential of the first item from its database for each request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data: { ...credential } };
	try {
		assertGoesTo(baseUrl, request.url);
		const response: IN8nHttpFullResponse = await n8n.helpers.httpRequestWithAuthentication
			.call(own, CREDENTIAL, options, { credentialsDecrypted })
			.catch((thrown: unknown) => {
				throw connectionError(deadline?.aborted ? { code: 'ETIMEDOUT' } : thrown);
			});
		const json = readResponse(masked({ ...response, body: bodyIn(response) }, apiKey));
		const quota = quotaIn(response.headers);
		if (quota) onQuota(quota);
		return json;
	} catch (error) {
		const failure = failureOf(error);
		return failure.with(withoutKey(failure.problem, apiKey));
	}
}

/** A response with the key masked. One that is nested too deep for that, so that no item could hold it, counts as cut off. */
function masked(response: IN8nHttpFullResponse, key: string): IN8nHttpFullResponse {
	try {
		return withoutKey(response, key);
	} catch {
		return { ...response, body: '[' };
	}
}

/** Reads "Request Options", which n8n adds to every declarative node. Throws a {@link Failure} for an invalid proxy. */
export function requestOptionsOf(parameter: unknown): Partial<IHttpRequestOptions> {
	const { timeout, allowUnauthorizedCerts, proxy } = isObject(parameter) ? parameter : {};
	const milliseconds = Math.min(Math.ceil(numberOf(timeout) ?? 0), MAX_TIMEOUT);
	return {
		...(milliseconds > 0 && { timeout: milliseconds }),
		...(allowUnauthorizedCerts === true && { skipSslCertificateValidation: true }),
		...((proxy ?? '') !== '' && { proxy: proxyOf(proxy) }),
	};
}

/**
 * A proxy in the form of n8n's HTTP helper, from `http://user:secret@host:port` or `host:port`. Throws a
 * {@link Failure} for any other, as n8n would send the request without it.
 */
function proxyOf(value: unknown): IHttpRequestOptions['proxy'] {
	const url = parsedUrl(withScheme(cleanText(value), 'http'));
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new Failure('refused_by_n8n', {
			message: 'The proxy is not valid',
			description:
				'Check the Request Options of the node. A proxy looks like http://proxy.example.com:3128.',
		});
	}
	const { hostname: host, port, protocol, username, password } = url;
	// n8n encodes all characters but the percent signs again.
	const decoded = (text: string) => withoutPercents(text).replaceAll('%', '%25');
	return {
		host,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		protocol: protocol.replace(':', ''),
		...(`${username}${password}` !== '' && {
			auth: { username: decoded(username), password: decoded(password) },
		}),
	};
}
