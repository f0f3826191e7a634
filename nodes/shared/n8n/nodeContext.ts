import type {
	IAllExecuteFunctions,
	IContextObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	IWorkflowDataProxyAdditionalKeys,
	Logger,
	NodeExecutionHint,
} from 'n8n-workflow';

import { CREDENTIAL, readCredential, type ItemCredential } from './credential';
import { mayWaitLater } from './waiting';

/** What n8n shows beside an execution. */
export interface CustomData {
	get(key: string): unknown;
	set(key: string, value: string): void;
}

/** What the package asks of n8n while a node runs, whichever way n8n runs it. */
export interface NodeContext {
	/** What n8n gave, for its helpers. */
	readonly n8n: IAllExecuteFunctions;
	readonly node: INode;
	readonly inputs: INodeExecutionData[];
	readonly executionId: string;
	readonly logger: Logger;
	/** Whether somebody has started the execution in the editor. */
	readonly isManual: boolean;
	/** Aborted when the execution is stopped. */
	readonly signal: AbortSignal | undefined;
	/** What `$json` is for one of the inputs, where that is known without n8n's expression engine. */
	json(item: number): unknown;
	/** The value of a parameter for one of the inputs; throws where its expression fails. */
	parameter(
		name: string,
		item: number,
		fallback: unknown,
		options?: IGetNodeParameterOptions,
	): unknown;
	/** The credential for one of the inputs. */
	credential(item: number): Promise<ItemCredential>;
	/** What n8n keeps with the execution, for all nodes (`flow`) or for this one (`node`). */
	memory(scope: 'flow' | 'node'): IContextObject;
	/** Whether n8n may store the execution after this node and read it again, to wait for something. */
	mayWaitLater(): boolean;
	/** The custom data of the execution, if n8n keeps any. */
	customData(): CustomData | undefined;
	/** Shows a hint above the output, where n8n has a place for it. */
	hint(hint: NodeExecutionHint): void;
}

/** For a node that n8n runs with all its items. */
export function contextOfNode(n8n: IExecuteFunctions): NodeContext {
	const inputs = n8n.getInputData();
	return {
		n8n,
		node: n8n.getNode(),
		inputs,
		executionId: n8n.getExecutionId(),
		logger: n8n.logger,
		isManual: n8n.getMode() === 'manual',
		signal: n8n.getExecutionCancelSignal(),
		json: (item) => inputs[item].json,
		parameter: (...parameter) => n8n.getNodeParameter(...parameter),
		credential: async (item) => await readCredential(n8n, item),
		memory: (scope) => n8n.getContext(scope),
		mayWaitLater: () => mayWaitLater(n8n),
		customData: () => customDataIn(n8n.getWorkflowDataProxy(0)),
		hint: (hint) => n8n.addExecutionHints(hint),
	};
}

/** For the one item of a node that n8n calls as a tool, by its `routing`. */
export function contextOfTool(n8n: IExecutePaginationFunctions): NodeContext {
	return {
		n8n,
		node: n8n.getNode(),
		inputs: [n8n.getInputData()].flat(),
		executionId: n8n.getExecutionId(),
		logger: n8n.logger,
		isManual: n8n.getMode() === 'manual',
		signal: n8n.getExecutionCancelSignal(),
		// There it is the item of the agent, not the one of the tool.
		json: () => undefined,
		parameter: (name, _item, fallback, options) => n8n.getNodeParameter(name, fallback, options),
		credential: async () => ({
			credential: await n8n.getCredentials(CREDENTIAL),
			isForAll: true,
		}),
		memory: (scope) => n8n.getContext(scope),
		mayWaitLater: () => false,
		customData: () => customDataIn(n8n.getWorkflowDataProxy(0)),
		hint: () => {},
	};
}

function customDataIn({ $execution }: IWorkflowDataProxyAdditionalKeys) {
	return $execution?.customData;
}
