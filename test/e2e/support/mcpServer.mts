import type { INode } from 'n8n-workflow';

import type { OpenHost } from '../../hosts/open.mts';
import type { Credential, SavedWorkflow } from '../../hosts/rest.mts';
import type { Workflow } from '../../hosts/workflow.mts';
import type { Tool } from './agentWorkflow.mts';
import { McpClient } from './mcpClient.mts';

export interface McpServerOptions {
	tools: readonly Tool[];
	/** Of the tools. */
	credential: Credential;
	/** The end of the address at which n8n serves the tools. */
	path: string;
	/** Of the node MCP Server Trigger. */
	typeVersion: number;
}

/** A workflow of an n8n that serves tools to assistants elsewhere, and a client that uses them. */
export interface McpServer extends AsyncDisposable {
	readonly workflow: SavedWorkflow;
	/** Of its tools. */
	readonly credential: Credential;
	readonly client: McpClient;
}

/** Activates a workflow with these tools and connects to it. */
export async function openMcpServer(
	{ host, client: n8n }: OpenHost,
	options: McpServerOptions,
): Promise<McpServer> {
	const workflow = await n8n.createWorkflow(mcpWorkflow(options));
	await n8n.activateWorkflow(workflow);
	const client = await McpClient.connect(`${host.url}/mcp/${options.path}`);
	return {
		workflow,
		credential: options.credential,
		client,
		[Symbol.asyncDispose]: async () => await client[Symbol.asyncDispose](),
	};
}

function mcpWorkflow({ tools, credential, path, typeVersion }: McpServerOptions): Workflow {
	const { id, name, type } = credential;
	const trigger: INode = {
		id: 'server',
		name: 'MCP Server Trigger',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion,
		position: [0, 0],
		webhookId: path,
		parameters: { path },
	};
	const nodes = tools.map(
		(tool, index): INode => ({
			id: tool.name,
			typeVersion: 1,
			position: [index * 200, 200],
			...tool,
			credentials: { [type]: { id, name } },
		}),
	);
	const toServer = { ai_tool: [[{ node: trigger.name, type: 'ai_tool' as const, index: 0 }]] };
	return {
		name: `MCP server at ${path}`,
		nodes: [trigger, ...nodes],
		connections: Object.fromEntries(tools.map((tool) => [tool.name, toServer])),
		settings: { executionOrder: 'v1' },
	};
}
