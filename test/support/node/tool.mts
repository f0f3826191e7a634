import { createRequire } from 'node:module';

import { DirectoryLoader, RoutingNode, SupplyDataContext, type ExecuteContext } from 'n8n-core';
import type * as ToolInvocation from 'n8n-core/dist/execution-engine/node-execution-context/utils/get-input-connection-data.js';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeParameters,
	type INodeType,
	type IRunExecutionData,
} from 'n8n-workflow';

import { isRecord } from '../../emulator/values.mts';
import { ourNodes, type OurNode } from './engine.mts';
import { serverOf } from '../servers/server.mts';
import { soleNode } from './soleNode.mts';

const { makeHandleToolInvocation }: typeof ToolInvocation = createRequire(import.meta.url)(
	'n8n-core/dist/execution-engine/node-execution-context/utils/get-input-connection-data.js',
);

/** How a test calls one of our nodes as a tool. */
export interface ToolTest {
	node: OurNode;
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** What the model fills in for `$fromAI`. */
	args?: IDataObject;
	/** The item of the agent, or of what else calls the tool. */
	input?: IDataObject;
	/** Of the node. */
	name?: string;
	/** The execution in which it is called; one of its own without it. */
	execution?: IRunExecutionData;
}

/**
 * Calls one of our nodes as a tool directly, as the MCP Server Trigger and others do: n8n runs it for one
 * item, by its `routing`. Gives what the model is told: the `json` of each item of the output.
 */
export async function callTool({ args = {}, ...test }: ToolTest): Promise<IDataObject[]> {
	return await toolOf(test)(args);
}

/** A tool to call again and again in one execution, with what the model fills in. */
export function toolOf({ node: type, parameters, credential, ...test }: Omit<ToolTest, 'args'>) {
	const { input = {}, name = 'Tool', execution = createRunExecutionData() } = test;
	const tool = tools.get(type) ?? asTool(ourNodes[type]);
	tools.set(type, tool);
	const { node, workflow } = soleNode(tool, { name, parameters });
	const items = [{ json: input }];
	const call = makeHandleToolInvocation(
		(runIndex) =>
			new SupplyDataContext(
				workflow,
				workflow.getNode(name) ?? node,
				serverOf(credential, 'trigger', 'tool'),
				'trigger',
				execution,
				runIndex,
				items,
				{},
				NodeConnectionTypes.AiTool,
				{ node, data: { main: [items] }, source: null },
				[],
			),
		node,
		tool,
		execution,
	);
	return async (args: IDataObject): Promise<IDataObject[]> => {
		const told: unknown = JSON.parse(String(await call(args)));
		const isItem = (value: unknown): value is IDataObject => isRecord(value);
		if (!Array.isArray(told) || !told.every(isItem)) throw new Error(`No items: ${String(told)}`);
		return told;
	};
}

const tools = new Map<OurNode, INodeType>();

/** The node as n8n makes a tool of it. */
function asTool({ description, customOperations }: INodeType): INodeType {
	const name = `${description.name}Tool`;
	const outputs = [NodeConnectionTypes.AiTool];
	const properties = [...description.properties];
	const tool: INodeType = {
		description: { ...description, name, inputs: [], outputs, properties },
		customOperations,
	};
	DirectoryLoader.applyDeclarativeNodeOptionParameters(tool);
	tool.execute = async function (this: ExecuteContext) {
		return (await new RoutingNode(this, tool).runNode()) ?? [];
	};
	return tool;
}
