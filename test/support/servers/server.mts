import 'reflect-metadata';

import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
	INodeParameters,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { ContactDataApi } from '../../../credentials/ContactDataApi.credentials.ts';
import { isRecord } from '../../emulator/values.mts';

/** The fields of a credential, whether or not their expressions are evaluated. */
type CredentialFields = ICredentialDataDecryptedObject & INodeParameters;

function isCredential(value: unknown): value is CredentialFields {
	return isRecord(value);
}

/** Is told that n8n reads a credential, as it would from its database, and for which item of the input. */
export type OnCredentialRead = (item: number | undefined) => void;

/** n8n makes one when it loads the package. */
const type = new ContactDataApi();

/** Hands out one credential, or others by their names, and authenticates with the credential type of the package. */
function helperFor(
	credential: ICredentialDataDecryptedObject,
	onRead?: OnCredentialRead,
	others: Record<string, ICredentialDataDecryptedObject> = {},
): ICredentialsHelper {
	const used: Partial<ICredentialsHelper> = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		authenticate: async (fields, _type, request: IHttpRequestOptions) =>
			await type.authenticate(fields, request),
		preAuthentication: async () => undefined,
		runPreAuthentication: async () => undefined,
		getCredentialsProperties: () => type.properties,
		/** As n8n does it: all fields at once are given to the workflow that reads them, to be evaluated. */
		async getDecrypted(_data, { name }, _type, mode, executeData, _raw, resolve) {
			onRead?.(resolve?.itemIndex);
			const saved = { ...(others[name] ?? credential) };
			if (!resolve || !isCredential(saved)) return saved;
			const evaluated = resolve.workflow.expression.getParameterValue(
				saved,
				resolve.runExecutionData,
				resolve.runIndex,
				resolve.itemIndex,
				resolve.node.name,
				resolve.connectionInputData,
				mode,
				{},
				executeData,
				false,
				saved,
			);
			if (!isCredential(evaluated)) throw new Error('The credential is not an object any more');
			return evaluated;
		},
	};
	return used as ICredentialsHelper;
}

/**
 * What an n8n server gives to an execution, as far as our nodes use it.
 *
 * @param timeoutAt when it ends the execution, in milliseconds since 1970
 */
export function serverOf(
	credential: ICredentialDataDecryptedObject,
	mode: WorkflowExecuteMode,
	executionId: string,
	onCredentialRead?: OnCredentialRead,
	others?: Record<string, ICredentialDataDecryptedObject>,
	timeoutAt?: number,
): IWorkflowExecuteAdditionalData {
	const workflow: Partial<IWorkflowBase> = { id: 'test', name: 'Test', nodes: [], connections: {} };
	const used: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper: helperFor(credential, onCredentialRead, others),
		hooks: new ExecutionLifecycleHooks(mode, executionId, workflow as IWorkflowBase),
		currentNodeExecutionIndex: 0,
		executionId,
		executionTimeoutTimestamp: timeoutAt,
		formWaitingBaseUrl: 'http://127.0.0.1',
		webhookWaitingBaseUrl: 'http://127.0.0.1',
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
	};
	return used as IWorkflowExecuteAdditionalData;
}
