import 'reflect-metadata';

import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';

/** Hands out one credential and authenticates with the credential type of the package. */
class CredentialOfTest extends ICredentialsHelper {
	private readonly type = new ContactDataApi();

	constructor(private readonly credential: ICredentialDataDecryptedObject) {
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

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return { ...this.credential };
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
): IWorkflowExecuteAdditionalData {
	const url = 'http://127.0.0.1';
	return {
		credentialsHelper: new CredentialOfTest(credential),
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
