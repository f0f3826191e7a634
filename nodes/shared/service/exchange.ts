import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL, inheriting } from '../n8n/credential';
import { assertGoesTo } from './baseUrl';
import type { Connection } from './connection';
import { connectionError } from './connectionError';
import { readResponse, type HttpResponse } from './response';
import { withoutKey } from './secret';
import { asServiceError, unexpectedAnswer } from './serviceError';

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
