import type {
	IAllExecuteFunctions,
	IContextObject,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	IWorkflowDataProxyAdditionalKeys,
	Logger,
	NodeExecutionHint,
} from 'n8n-workflow';
import { isObject } from '../values/json';

/** The type of the credential, as n8n knows it. */
export const CREDENTIAL = 'contactDataApi';

/** A credential as it is for one item. */
export interface ItemCredential {
	credential: ICredentialDataDecryptedObject;
	/** Whether it is the same for every item, as none of its fields is an expression. */
	isForAll: boolean;
}

/** Whether a parameter, or anything in it, is an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (typeof parameter === 'string') return parameter.startsWith('=');
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

/**
 * Reads the credential for an item. n8n does not tell whether a field of it is an expression, but it
 * hands the fields, as they were saved, to the workflow of the context for evaluation: there they are
 * looked at. Where they do not come by, the credential counts as one for this item only.
 */
export async function readCredential(
	n8n: Pick<IExecuteFunctions, 'getCredentials'>,
	item: number,
): Promise<ItemCredential> {
	let isForAll: boolean | undefined;
	const workflow: unknown = Reflect.get(n8n, 'workflow');
	const expression: unknown = isObject(workflow) ? workflow.expression : undefined;
	const evaluate: unknown = isObject(expression) ? expression.getParameterValue : undefined;
	if (!isObject(workflow) || !isObject(expression) || typeof evaluate !== 'function') {
		return { credential: await n8n.getCredentials(CREDENTIAL, item), isForAll: false };
	}
	const getParameterValue = (saved: unknown, ...rest: unknown[]): unknown => {
		isForAll = isForAll !== false && !hasExpression(saved);
		return evaluate.call(expression, saved, ...rest);
	};
	const watching = inheriting(n8n, {
		workflow: inheriting(workflow, { expression: inheriting(expression, { getParameterValue }) }),
	});
	const credential = await watching.getCredentials(CREDENTIAL, item);
	return { credential, isForAll: isForAll === true };
}

/** The object with other values for some of its properties; itself it stays as it is. */
export function inheriting<T extends object>(object: T, properties: Record<string, unknown>): T {
	const descriptors = Object.entries(properties).map(([name, value]) => [name, { value }]);
	return Object.create(object, Object.fromEntries(descriptors));
}

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
		customData: () => customDataIn(n8n.getWorkflowDataProxy(0)),
		hint: () => {},
	};
}

function customDataIn({ $execution }: IWorkflowDataProxyAdditionalKeys) {
	return $execution?.customData;
}
