import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import { runWorkflow, type OurNode, type TestNode, type TestWorkflow } from './engine.mts';

/** A node that emits these items. */
export function emits(name: string, items: IDataObject[]): TestNode {
	return { name, type: 'start', parameters: { items: JSON.stringify(items) } };
}

/** A node that puts the execution to sleep. */
export function waits(name = 'Wait'): TestNode {
	return { name, type: 'n8n-nodes-base.wait' };
}

/** A node of a lookup, which goes on whatever becomes of its items. */
export function looksUp(
	name: string,
	{ node, parameters }: { node: OurNode; parameters: INodeParameters },
	options: INodeParameters = {},
	onError: TestNode['onError'] = 'continueRegularOutput',
): TestNode {
	return { name, type: node, onError, parameters: { ...parameters, options } };
}

/** The nodes one behind the other. */
export function chain(nodes: TestNode[], credential: TestWorkflow['credential']): TestWorkflow {
	const connections = nodes.slice(1).map(({ name }, index) => `${nodes[index].name} > ${name}`);
	return { nodes, connections, credential };
}

/**
 * Runs a workflow to its end, over all its waits.
 *
 * @returns what n8n stores each time: at every wait, and at the end
 */
export async function runOverWaits(workflow: TestWorkflow): Promise<IRun[]> {
	const runs = [await runWorkflow(workflow)];
	for (let run = runs[0]; run.status === 'waiting'; runs.push(run)) {
		run = await runWorkflow({ ...workflow, resumes: run });
	}
	return runs;
}

/** What a node gave out, each time that it ran. */
export function outputsOf({ data }: IRun, name: string): IDataObject[][] {
	const tasks = data.resultData.runData[name] ?? [];
	return tasks.map((task) => (task.data?.main[0] ?? []).map(({ json }) => json));
}

/** What a node gave out when it ran last. */
export function outputOf(run: IRun, name: string): IDataObject[] {
	return outputsOf(run, name).at(-1) ?? [];
}

/** What an execution tells that it has cost in all. */
export function toldBy({ data }: IRun): string | undefined {
	return data.resultData.metadata?.contact_data_credits?.replace(/ \(.*\)$/, '');
}

/** What n8n has stored in the context of the execution. */
export function contextOf({ data }: IRun): string {
	return JSON.stringify(data.executionData?.contextData ?? {});
}

/** Many credits, in words. */
export function spentText(least: number, most = least): string {
	return `${most > least ? `${least} to ` : ''}${most} ${most === 1 ? 'credit' : 'credits'} spent`;
}
