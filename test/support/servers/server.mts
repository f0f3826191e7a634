import 'reflect-metadata';

import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type IExecuteData,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeParameters,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
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

/** Hands out one credential and authenticates with the credential type of the package. */
class CredentialOfTest extends ICredentialsHelper {
	private readonly type = new ContactDataApi();

	constructor(
		private readonly credential: ICredentialDataDecryptedObject,
		private readonly onRead?: OnCredentialRead,
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await this.type.authenticate(credentials, request);
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	/** As n8n does it: all fields at once are given to the workflow that reads them, to be evaluated. */
	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.onRead?.(resolve?.itemIndex);
		const saved = { ...this.credential };
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
	}

	async getCredentials(): Promise<never> {
		return notInTests();
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties() {
		return this.type.properties;
	}
}

function notInTests(): never {
	throw new Error('The tests have no such service of an n8n server');
}

/** What an n8n server gives to an execution, as far as our nodes use it. */
export function serverOf(
	credential: ICredentialDataDecryptedObject,
	mode: WorkflowExecuteMode,
	executionId: string,
	onCredentialRead?: OnCredentialRead,
): IWorkflowExecuteAdditionalData {
	const url = 'http://127.0.0.1';
	return {
		credentialsHelper: new CredentialOfTest(credential, onCredentialRead),
		hooks: hooksOf(mode, executionId),
		executeWorkflow: notInTests,
		getRunExecutionData: notInTests,
		getRuntimeCredential: notInTests,
		startRunnerTask: notInTests,
		logAiEvent: notInTests,
		currentNodeExecutionIndex: 0,
		executionId,
		restApiUrl: url,
		instanceBaseUrl: url,
		formBaseUrl: url,
		formWaitingBaseUrl: url,
		formTestBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		mcpBaseUrl: url,
		mcpTestBaseUrl: url,
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
	};
}

/** Nobody asks what workflow they tell of, so it has nothing in it. */
function hooksOf(mode: WorkflowExecuteMode, executionId: string): ExecutionLifecycleHooks {
	return new ExecutionLifecycleHooks(mode, executionId, {
		id: 'test',
		name: 'Test',
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes: [],
		connections: {},
	});
}
