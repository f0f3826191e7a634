import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { toText } from '../values/text';
import { checkedBaseUrl } from './baseUrl';
import { interfaceSettings, type InterfaceSettings } from './interfaceSettings';
import { ServiceError } from './serviceError';

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
