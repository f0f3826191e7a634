import type { INode } from 'n8n-workflow';

import type { Credential } from '../../hosts/rest.mts';
import { chain, type Workflow } from '../../hosts/workflow.mts';
import { listWithId } from '../../operations.mts';
import { manually, node, ours } from '../../support/realN8n/savedNodes.mts';

/** Every kind of operation as a tool, by the names that people give them; what has its default is left out. */
export function toolNodes(host: Parameters<typeof ours>[0], onError?: INode['onError']): INode[] {
	const person = {
		fullName: fromModel('full_name', 'First and last name of the person'),
		domain: fromModel('domain', 'Web domain of the company'),
	};
	const email = fromModel('email', 'Address to verify');
	const limit = fromModel('limit', 'How many', 'number');
	const jobId = fromModel('job_id', 'Id of the job');
	const keyword = fromModel('keyword', 'Name or domain of the company');
	const listId = { ...listWithId(fromModel('list_id', 'Id of the list')), mode: 'id' };
	const tool = (name: string, type: string, parameters: INode['parameters']): INode => ({
		...ours(host, name, `contactData${type}Tool`, parameters),
		...(onError && { onError }),
	});
	return [
		tool('Find', 'Finder', { ...person, options: { maxCredits: 1 } }),
		tool('Find Bulk', 'Finder', { operation: 'findBulk', ...person }),
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
	{ id, name, type }: Credential,
	typeVersion: number,
): Workflow {
	const task = { promptType: 'define', text: 'Complete the record of this lead.', options: {} };
	const chosen = { __rl: true, mode: 'id', value: 'scripted' };
	const settings = { model: chosen, responsesApiEnabled: false, options: { maxRetries: 0 } };
	const model = node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, settings);
	const user = node('Agent', '@n8n/n8n-nodes-langchain.agent', typeVersion, task);
	const workflow = toolWorkflow(user, tools);
	workflow.nodes.push(manually(), { ...model, credentials: { [type]: { id, name } } });
	Object.assign(workflow.connections, chain('Start', 'Agent'), {
		Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
	});
	return workflow;
}

/** A workflow that serves tools to assistants elsewhere, at an address that ends with this path. */
export function mcpWorkflow(tools: INode[], path: string, typeVersion: number): Workflow {
	const type = '@n8n/n8n-nodes-langchain.mcpTrigger';
	const trigger = { ...node('MCP Server', type, typeVersion, { path }), webhookId: path };
	return toolWorkflow(trigger, tools);
}

/** Tools, and whoever uses them. */
function toolWorkflow(user: INode, tools: INode[]): Workflow {
	const toUser = { ai_tool: [[{ node: user.name, type: 'ai_tool' as const, index: 0 }]] };
	return {
		name: `${user.name} with ${tools.length} tools`,
		nodes: [user, ...tools],
		connections: Object.fromEntries(tools.map(({ name }) => [name, toUser])),
		settings: { executionOrder: 'v1' },
	};
}

/** An expression that the model fills in, as the editor's button makes it. */
function fromModel(key: string, description: string, type = 'string'): string {
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;
}
