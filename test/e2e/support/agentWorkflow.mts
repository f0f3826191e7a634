import type { INode, INodeCredentials, INodeParameters } from 'n8n-workflow';

import type { Credential } from '../../hosts/rest.mts';
import { chain, type Workflow } from '../../hosts/workflow.mts';
import { manually, node } from '../../support/savedNodes.mts';

/** A node that an agent may use. */
export interface Tool extends Partial<Pick<INode, 'onError'>> {
	/** The model knows it by this name, with underscores for its spaces. */
	name: string;
	/** Of the node as the agent's tool: n8n offers it beside the node itself. */
	type: string;
	parameters: INodeParameters;
}

export interface AgentWorkflow {
	tools: readonly Tool[];
	/** Of the tools. */
	credential: Credential;
	/** Of the model. */
	modelCredential: Credential;
}

/** A workflow in which an AI agent gets one task and has the tools for it. */
export function agentWorkflow({ tools, credential, modelCredential }: AgentWorkflow): Workflow {
	const nodes: INode[] = [
		manually(),
		node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, {
			promptType: 'define',
			text: 'Complete the record of this lead.',
			options: {},
		}),
		{
			...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, {
				model: { __rl: true, mode: 'id', value: 'scripted' },
				responsesApiEnabled: false,
				options: { maxRetries: 0 },
			}),
			credentials: credentialOf(modelCredential),
		},
		...tools.map(({ name, type, parameters, ...settings }) => ({
			...node(name, type, 1, parameters),
			...settings,
			credentials: credentialOf(credential),
		})),
	];
	const toAgent = (type: 'ai_languageModel' | 'ai_tool') => ({
		[type]: [[{ node: 'Agent', type, index: 0 }]],
	});
	return {
		name: `Agent with ${tools.map(({ name }) => name).join(', ')}`,
		nodes,
		connections: {
			...chain('Start', 'Agent'),
			Model: toAgent('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** An expression that the model fills in, as the editor's button makes it. */
export function fromModel(key: string, description: string, type = 'string'): string {
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;
}

function credentialOf({ id, name, type }: Credential): INodeCredentials {
	return { [type]: { id, name } };
}
