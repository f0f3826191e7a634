import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IConnections, INode, IPinData, IWorkflowSettings } from 'n8n-workflow';
import { root } from '../machine/paths.mjs';
import type { Credential } from './rest.mts';

/** A workflow as n8n exports it. */
export interface Workflow {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

/** The names of the workflows in the examples folder, sorted. */
export async function exampleNames(): Promise<string[]> {
	const files = await readdir(join(root, 'examples'));
	const workflows = files.filter((file) => file.endsWith('.json'));
	return workflows.map((file) => basename(file, '.json')).sort();
}

/** Reads a workflow of the examples folder. */
export async function readExample(name: string): Promise<Workflow> {
	return JSON.parse(await readFile(join(root, 'examples', `${name}.json`), 'utf8'));
}

/** Gives every node of a package the credential, as importing people pick it by hand. */
export function withCredential(
	workflow: Workflow,
	packageName: string,
	{ id, name, type }: Credential,
): Workflow {
	const nodes = workflow.nodes.map((node) =>
		node.type.startsWith(`${packageName}.`)
			? { ...node, credentials: { ...node.credentials, [type]: { id, name } } }
			: node,
	);
	return { ...workflow, nodes };
}

/** Picks a list of leads in every node that reads one, as importing people do by hand. */
export function withList(workflow: Workflow, list: { id: number; name: string }): Workflow {
	const listId = { __rl: true, mode: 'list', value: String(list.id), cachedResultName: list.name };
	const nodes = workflow.nodes.map((node) =>
		'listId' in node.parameters ? { ...node, parameters: { ...node.parameters, listId } } : node,
	);
	return { ...workflow, nodes };
}

/** Connections of nodes that follow each other. */
export function chain(...names: string[]): IConnections {
	const connections = names
		.slice(1)
		.map((node, index) => [names[index], { main: [[{ node, type: 'main' as const, index: 0 }]] }]);
	return Object.fromEntries(connections);
}
