/** @file Whether n8n may store an execution and read it again after a node: what waits, and where it stands. */

import {
	getChildNodes,
	getParentNodes,
	mapConnectionsByDestination,
	type IConnections,
	type INode,
	type NodeParameterValueType,
	type NodeTypeAndVersion,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { mayWaitLater } from '../../nodes/shared/host/waiting.ts';

interface Part {
	type?: string;
	isDisabled?: boolean;
	parameters?: Record<string, NodeParameterValueType>;
	/** The nodes that its output goes to. */
	to?: string[];
	/** The agent that it is a tool of. */
	toolOf?: string;
}

const PLAIN = 'n8n-nodes-base.set';
const WAIT: Part = { type: 'n8n-nodes-base.wait' };
const AGENT = '@n8n/n8n-nodes-langchain.agent';

const OWN = 'n8n-nodes-contact-data.contactDataFinder';

/**
 * Whether something may wait after the node `own` of a workflow, which n8n itself walks through.
 * @param given the workflow as n8n's context has it
 */
function waitsLater(workflow: Record<string, Part>, own = 'own', given?: object): boolean {
	const connections: IConnections = {};
	for (const [name, { to = [], toolOf }] of Object.entries(workflow)) {
		connections[name] = {
			main: [to.map((node) => ({ node, type: 'main', index: 0 }))],
			...(toolOf && { ai_tool: [[{ node: toolOf, type: 'ai_tool', index: 0 }]] }),
		};
	}
	const nodesOf = (names: string[], withParameters = false): NodeTypeAndVersion[] =>
		names.map((name) => {
			const { type = PLAIN, isDisabled = false, parameters = {} } = workflow[name];
			const node = { name, type, typeVersion: 1, disabled: isDisabled };
			return withParameters ? { ...node, parameters } : node;
		});
	const node: INode = {
		id: own,
		name: own,
		type: workflow[own].type ?? OWN,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const before = mapConnectionsByDestination(connections);
	return mayWaitLater({
		workflow: given ?? { connectionsByDestinationNode: before },
		getNode: () => node,
		getChildNodes: (name, options) =>
			nodesOf(getChildNodes(connections, name), options?.includeNodeParameters),
		getParentNodes(name, options) {
			const { connectionType, depth, includeNodeParameters } = options ?? {};
			return nodesOf(getParentNodes(before, name, connectionType, depth), includeNodeParameters);
		},
	});
}

describe('mayWaitLater', () => {
	it.each<[string, Record<string, Part>]>([
		['stands alone', { own: {} }],
		['has plain nodes around it', { start: { to: ['own'] }, own: { to: ['end'] }, end: {} }],
		[
			'has its wait before it only',
			{ start: { to: ['wait'] }, wait: { ...WAIT, to: ['own'] }, own: {} },
		],
		['has a wait that it is not connected with', { start: { to: ['own'] }, own: {}, wait: WAIT }],
		[
			'has a wait in another part, with a trigger of its own',
			{ start: { to: ['own'] }, own: {}, other: { to: ['wait'] }, wait: WAIT },
		],
		[
			'has a wait behind it that is off',
			{ own: { to: ['wait'] }, wait: { ...WAIT, isDisabled: true } },
		],
		[
			'has a node behind it that only sounds like one',
			{ own: { to: ['a', 'b'] }, a: { type: 'my.awaiter' }, b: { type: 'my.waitress' } },
		],
		[
			'has an agent behind it whose tools wait for nobody',
			{ own: { to: ['agent'] }, agent: { type: AGENT }, tool: { toolOf: 'agent' } },
		],
		[
			'has a node behind it with another operation',
			{ own: { to: ['slack'] }, slack: { parameters: { operation: 'post' } } },
		],
	])('says no of a node that %s', (_, workflow) => {
		expect(waitsLater(workflow)).toBe(false);
	});

	it.each<[string, Record<string, Part>]>([
		['right behind it', { own: { to: ['wait'] }, wait: WAIT }],
		['far behind it', { own: { to: ['a'] }, a: { to: ['b'] }, b: { to: ['wait'] }, wait: WAIT }],
		[
			'behind one that is off',
			{ own: { to: ['a'] }, a: { isDisabled: true, to: ['wait'] }, wait: WAIT },
		],
		['on another branch', { start: { to: ['own', 'wait'] }, own: {}, wait: WAIT }],
		[
			'on another branch, far from where it begins',
			{
				start: { to: ['a', 'b'] },
				a: { to: ['own'] },
				own: {},
				b: { to: ['c'] },
				c: { to: ['wait'] },
				wait: WAIT,
			},
		],
		[
			'behind the node where the branches come together',
			{
				start: { to: ['own', 'other'] },
				own: { to: ['merge'] },
				other: { to: ['merge'] },
				merge: { to: ['wait'] },
				wait: WAIT,
			},
		],
		[
			'before it, where it runs once for each of two ways to it',
			{
				start: { to: ['a', 'b'] },
				a: { to: ['wait'] },
				b: { to: ['wait'] },
				wait: { ...WAIT, to: ['own'] },
				own: {},
			},
		],
		[
			'before it, behind a loop, which may come to it in each round',
			{
				start: { to: ['loop'] },
				loop: { to: ['part', 'wait'] },
				part: { to: ['loop'] },
				wait: { ...WAIT, to: ['own'] },
				own: {},
			},
		],
		[
			'before it and behind it, in a loop',
			{
				start: { to: ['loop'] },
				loop: { to: ['own', 'done'] },
				own: { to: ['wait'] },
				wait: { ...WAIT, to: ['loop'] },
				done: {},
			},
		],
		[
			'before it in a loop that leads back to it',
			{
				start: { to: ['loop'] },
				loop: { to: ['wait'] },
				wait: { ...WAIT, to: ['own'] },
				own: { to: ['loop'] },
			},
		],
		[
			'behind it twice, one of them off',
			{
				own: { to: ['off', 'on'] },
				off: { ...WAIT, isDisabled: true },
				on: WAIT,
			},
		],
	])('says yes where there is a wait %s', (_, workflow) => {
		expect(waitsLater(workflow)).toBe(true);
	});

	it.each<[string, Record<string, Part>]>([
		[
			'a way around it',
			{ start: { to: ['own', 'wait'] }, wait: { ...WAIT, to: ['own'] }, own: {} },
		],
		[
			'a way around it, further away',
			{
				start: { to: ['a', 'wait'] },
				a: { to: ['b'] },
				wait: { ...WAIT, to: ['b'] },
				b: { to: ['own'] },
				own: {},
			},
		],
		[
			'a trigger that it is not behind',
			{ one: { to: ['own'] }, other: { to: ['wait'] }, wait: { ...WAIT, to: ['own'] }, own: {} },
		],
		[
			'another wait before it, each with a way around it',
			{
				start: { to: ['one', 'two'] },
				one: { ...WAIT, to: ['own'] },
				two: { ...WAIT, to: ['own'] },
				own: {},
			},
		],
	])('says yes where there is a wait before it, and %s', (_, workflow) => {
		expect(waitsLater(workflow)).toBe(true);
	});

	it.each<[string, Record<string, Part>]>([
		[
			'before the branches that come together in it',
			{
				start: { to: ['wait'] },
				wait: { ...WAIT, to: ['a', 'b'] },
				a: { to: ['own'] },
				b: { to: ['own'] },
				own: {},
			},
		],
		[
			'with a way around it that is not connected',
			{ start: { to: ['wait', 'a'] }, wait: { ...WAIT, to: ['own'] }, a: {}, own: {} },
		],
	])('says no where every way leads through the wait %s', (_, workflow) => {
		expect(waitsLater(workflow)).toBe(false);
	});

	it.each([[{}], [[]], [{ connectionsByDestinationNode: null }]])(
		'says yes of a wait before it where n8n does not tell the connections: %j',
		(given) => {
			const workflow = { start: { to: ['wait'] }, wait: { ...WAIT, to: ['own'] }, own: {} };
			expect(waitsLater(workflow, 'own', given)).toBe(true);
		},
	);

	it('takes the response to a webhook for a wait in a chat only', () => {
		const response = { type: 'n8n-nodes-base.respondToWebhook' };
		const chat = { type: '@n8n/n8n-nodes-langchain.chatTrigger' };
		const workflow = (start: Part): Record<string, Part> => ({
			start: { ...start, to: ['own'] },
			own: { to: ['response'] },
			response,
		});
		expect(waitsLater(workflow(chat))).toBe(true);
		const behindMore = {
			...workflow(chat),
			start: { ...chat, to: ['more'] },
			more: { to: ['own'] },
		};
		expect(waitsLater(behindMore)).toBe(true);
		expect(waitsLater(workflow({ type: 'n8n-nodes-base.webhook' }))).toBe(false);
		expect(waitsLater(workflow({}))).toBe(false);
		expect(waitsLater({ ...workflow(chat), response: { ...response, isDisabled: true } })).toBe(
			false,
		);
		// A chat elsewhere has nothing to do with it.
		expect(waitsLater({ ...workflow({}), other: chat })).toBe(false);
		// It has answered before.
		expect(
			waitsLater({
				start: { ...chat, to: ['response'] },
				response: { ...response, to: ['own'] },
				own: {},
			}),
		).toBe(false);
	});

	it('says yes before the wait, and no behind it', () => {
		const workflow: Record<string, Part> = {
			start: { to: ['first'] },
			first: { to: ['wait'] },
			wait: { ...WAIT, to: ['second'] },
			second: {},
		};
		expect(waitsLater(workflow, 'first')).toBe(true);
		expect(waitsLater(workflow, 'second')).toBe(false);
	});

	it.each<[string, Part]>([
		['a Wait', WAIT],
		['a page of a form', { type: 'n8n-nodes-base.form' }],
		['another workflow, which may wait', { type: 'n8n-nodes-base.executeWorkflow' }],
		[
			'a message that is to be answered',
			{
				type: 'n8n-nodes-base.slack',
				parameters: { resource: 'message', operation: 'sendAndWait' },
			},
		],
		[
			'a chat message, which its node always waits for',
			{
				type: '@n8n/n8n-nodes-langchain.chat',
				parameters: { operation: 'send' },
			},
		],
		[
			'a run of GitHub Actions',
			{
				type: 'n8n-nodes-base.github',
				parameters: { resource: 'workflow', operation: 'dispatchAndWait' },
			},
		],
		[
			'an email that is to be answered',
			{
				type: 'n8n-nodes-base.emailSend',
				parameters: { operation: 'sendAndWait' },
			},
		],
	])('knows what waits: %s', (_, part) => {
		expect(waitsLater({ own: { to: ['it'] }, it: part })).toBe(true);
		expect(waitsLater({ start: { to: ['own', 'it'] }, own: {}, it: part })).toBe(true);
		expect(waitsLater({ it: { ...part, to: ['own'] }, own: {} })).toBe(false);
		expect(waitsLater({ own: { to: ['it'] }, it: { ...part, isDisabled: true } })).toBe(false);
	});

	it.each([['n8n-nodes-base.formTrigger'], ['n8n-nodes-base.executeWorkflowTrigger']])(
		'does not take %s, which begins a workflow, for what waits',
		(type) => {
			expect(waitsLater({ own: { to: ['it'] }, it: { type } })).toBe(false);
		},
	);

	it.each<[string, Part]>([
		['by a tool for it', { type: '@n8n/n8n-nodes-langchain.hitlTool' }],
		['by a workflow that may wait itself', { type: '@n8n/n8n-nodes-langchain.toolWorkflow' }],
		['by a tool of another app for it', { type: 'n8n-nodes-base.slackHitlTool' }],
		[
			'by the operation of a tool',
			{
				type: 'n8n-nodes-base.slackTool',
				parameters: { operation: 'sendAndWait' },
			},
		],
	])('knows an agent that waits for a person %s', (_, tool) => {
		const workflow: Record<string, Part> = {
			own: { to: ['agent'] },
			agent: { type: AGENT },
			tool: { ...tool, toolOf: 'agent' },
			other: { toolOf: 'agent' },
		};
		expect(waitsLater(workflow)).toBe(true);
		expect(waitsLater({ ...workflow, agent: { type: AGENT, isDisabled: true } })).toBe(false);
		// The tool of an agent that has gone before says nothing.
		expect(waitsLater({ ...workflow, agent: { type: AGENT, to: ['own'] }, own: {} })).toBe(false);
	});

	it('knows one whose tool is gated by a tool for it, or is an agent that waits', () => {
		const hitl = { type: 'n8n-nodes-base.slackHitlTool', toolOf: 'agent' };
		const workflow: Record<string, Part> = {
			own: { to: ['agent'] },
			agent: { type: AGENT },
			hitl,
			tool: { toolOf: 'hitl' },
		};
		expect(waitsLater(workflow)).toBe(true);
		const inner = { type: `${AGENT}Tool`, toolOf: 'agent' };
		expect(waitsLater({ ...workflow, inner, hitl: { ...hitl, toolOf: 'inner' } })).toBe(true);
	});

	it('does not take a tool that is off for one that waits', () => {
		const tool = { type: 'n8n-nodes-base.slackHitlTool', toolOf: 'agent', isDisabled: true };
		expect(waitsLater({ own: { to: ['agent'] }, agent: { type: AGENT }, tool })).toBe(false);
	});

	it('says yes of a tool of an agent: nobody tells what comes after its agent', () => {
		const workflow: Record<string, Part> = {
			agent: { type: AGENT, to: ['end'] },
			end: {},
			own: { type: `${OWN}Tool`, toolOf: 'agent' },
		};
		expect(waitsLater(workflow)).toBe(true);
	});
});
