import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { toText } from '../values/text';
import { checkedBaseUrl } from './baseUrl';
import { interfaceSettings, type InterfaceSettings } from './interfaceSettings';

/** What a credential says about the service and the account. */
export interface Connection {
	baseUrl: string;
	apiKey: string;
	/** Tells accounts apart in memory, without holding a key. */
	account: string;
	settings: InterfaceSettings;
}

/** Reads a credential; throws a `ServiceError` when its Base URL is refused. */
export function connectionOf(credentials: ICredentialDataDecryptedObject): Connection {
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = toText(credentials.apiKey);
	const account = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	return { baseUrl, apiKey, account, settings: interfaceSettings(credentials) };
}
