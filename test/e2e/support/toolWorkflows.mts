import type { INode } from 'n8n-workflow';

import type { Credential } from '../../hosts/rest.mts';
import { chain, type Workflow } from '../../hosts/workflow.mts';
import { listWithId } from '../../operations.mts';
import { manually, node, ours } from '../../support/hosts/savedNodes.mts';

/** What the tools of a workflow have. */
export interface ToolSettings {
	packageName: string;
	credential: Credential;
	onError?: INode['onError'];
}

/** Every kind of operation as a tool, by the names that people give them; what has its default is left out. */
export function toolNodes({ packageName, credential, onError }: ToolSettings): INode[] {
	const person = {
		fullName: fromModel('full_name', 'First and last name of the person'),
		domain: fromModel('domain', 'Web domain of the company'),
	};
	const email = fromModel('email', 'Address to verify');
	const limit = fromModel('limit', 'How many', 'number');
	const jobId = fromModel('job_id', 'Id of the job');
	const keyword = fromModel('keyword', 'Name or domain of the company');
	const listId = { ...listWithId(fromModel('list_id', 'Id of the list')), mode: 'id' };
	const later = { options: { jobTimeout: 0 } };
	const tool = (name: string, type: string, parameters: INode['parameters']): INode => ({
		...ours({ packageName, credential }, name, `contactData${type}Tool`, parameters),
		...(onError && { onError }),
	});
	return [
		tool('Find', 'Finder', { ...person, options: { maxCredits: 1 } }),
		{ ...tool('Find or Stop', 'Finder', person), onError: 'stopWorkflow' },
		tool('Find Bulk', 'Finder', { operation: 'findBulk', ...person }),
		tool('Find Bulk Later', 'Finder', { operation: 'findBulk', ...person, ...later }),
		tool('Get Job', 'Finder', { operation: 'getBulkJob', jobId }),
		tool('Verify', 'Verifier', { email }),
		tool('Verify Bulk', 'Verifier', { operation: 'verifyBulk', email }),
		tool('Get Lists', 'List', { operation: 'getAll', limit }),
		tool('Get Leads', 'List', { operation: 'getLeads', listId, limit }),
		tool('Search Company', 'Company', { keyword }),
	];
}

/** A workflow in which an AI agent gets one task and has these tools for it. */
export function agentWorkflow(
	tools: INode[],
	modelCredential: Credential,
	typeVersion: number,
): Workflow {
	const model = { __rl: true, mode: 'id', value: 'scripted' };
	const text = 'Complete the record of this lead.';
	const { id, name, type } = modelCredential;
	return toolWorkflow('Agent', tools, [
		node('Agent', '@n8n/n8n-nodes-langchain.agent', typeVersion, {
			...{ promptType: 'define', text, options: {} },
		}),
		{
			...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, {
				...{ model, responsesApiEnabled: false, options: { maxRetries: 0 } },
			}),
			credentials: { [type]: { id, name } },
		},
		manually(),
	]);
}

/** A workflow that serves tools to assistants elsewhere, at an address that ends with this path. */
export function mcpWorkflow(tools: INode[], path: string, typeVersion: number): Workflow {
	const type = '@n8n/n8n-nodes-langchain.mcpTrigger';
	const trigger = { ...node('MCP Server', type, typeVersion, { path }), webhookId: path };
	return toolWorkflow('MCP Server', tools, [trigger]);
}

/** Whoever uses the tools, and a model if there is one. */
function toolWorkflow(user: string, tools: INode[], others: INode[]): Workflow {
	const toUser = (type: 'ai_languageModel' | 'ai_tool') => ({
		[type]: [[{ node: user, type, index: 0 }]],
	});
	return {
		name: `${user} with ${tools.length} tools`,
		nodes: [...others, ...tools],
		connections: {
			...(user === 'Agent' && { ...chain('Start', user), Model: toUser('ai_languageModel') }),
			...Object.fromEntries(tools.map(({ name }) => [name, toUser('ai_tool')])),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** An expression that the model fills in, as the editor's button makes it. */
function fromModel(key: string, description: string, type = 'string'): string {
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;
}
