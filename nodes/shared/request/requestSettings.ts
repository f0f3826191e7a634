import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { isObject, numberAt, textAt } from '../values/json';

/**
 * The settings that n8n itself adds to every declarative node under "Request Options" (timeout,
 * proxy, certificates), for the operations that send their requests themselves.
 */
export function requestSettings(
	context: IExecuteFunctions,
): Pick<IHttpRequestOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'> {
	const parameter: unknown = context.getNodeParameter('requestOptions', 0, {});
	const settings = isObject(parameter) ? parameter : {};
	const proxy = textAt(settings, 'proxy');
	return {
		timeout: numberAt(settings, 'timeout') ?? 300_000,
		skipSslCertificateValidation: settings.allowUnauthorizedCerts === true,
		...(proxy !== null && { proxy: proxyOf(new URL(proxy)) }),
	};
}

function proxyOf({ hostname, port, protocol, username, password }: URL) {
	return {
		host: hostname,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		protocol: protocol.replace(':', ''),
		...(username !== '' && { auth: { username, password } }),
	};
}
