/** @file What an execution has bought outlives it as it is in memory, where n8n stores it and reads it again. */

import type { IContextObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';

import type { NodeContext } from '../../nodes/shared/host/context.ts';
import { OpenQuestion } from '../../nodes/shared/execution/answers.ts';
import {
	answersOf,
	budgetOf,
	type JobOfExecution,
	jobsOf,
	keepWhatWasBought,
	type SavedJob,
	settleJob,
} from '../../nodes/shared/execution/execution.ts';
import { reserved } from '../support/purse.mts';

interface Execution {
	id: string;
	flow: IContextObject;
	nodes: Record<string, IContextObject>;
	told: string[];
}

function execution(id = '7', flow: IContextObject = {}, nodes = {}): Execution {
	return { id, flow, nodes, told: [] };
}

/** The execution as n8n has it again, after it has stored it: under its own ID, or as a retry. */
function stored({ id, flow, nodes }: Execution, asRetry = id): Execution {
	const copy: Pick<Execution, 'flow' | 'nodes'> = JSON.parse(JSON.stringify({ flow, nodes }));
	return execution(asRetry, copy.flow, copy.nodes);
}

/** What a node of the execution goes by. */
function contextOf(of: Execution, { node = 'Find', mayWait = true } = {}): NodeContext {
	const notHere = () => {
		throw new TypeError('Not here');
	};
	const own = (of.nodes[node] ??= {});
	const logger = { debug() {}, error() {}, info() {}, warn() {} };
	return {
		get n8n() {
			return notHere();
		},
		node: { id: node, name: node, type: '', typeVersion: 1, position: [0, 0], parameters: {} },
		inputs: [],
		executionId: of.id,
		logger,
		isManual: false,
		signal: undefined,
		json: notHere,
		parameter: notHere,
		credential: notHere,
		memory: (scope) => ({ flow: of.flow, node: own })[scope],
		mayWaitLater: vi.fn(() => mayWait),
		customData: () => ({ get: () => of.told.at(-1), set: (_, value) => of.told.push(value) }),
		hint: notHere,
	};
}

const answer = { results: [{ email: 'ada@acme.com' }], at: 1_798_675_200_000 };

function buy(context: NodeContext, key: string): void {
	answersOf(context).ask(key).settle({ answer, credits: 1 });
}

const job: SavedJob = {
	id: '12',
	connection: 'of the account',
	questions: ['a', 'b'],
	credits: 2,
	node: 'Find',
	executionId: '7',
};

function leavePending(context: NodeContext, saved = job): void {
	const left = { saved };
	for (const question of saved.questions) jobsOf(context).set(question, left);
}

describe('what was bought', () => {
	it.each([
		['something may wait later', true, false],
		['the workflow stops and may be retried', false, true],
		['both', true, true],
	])('is stored where %s', (_, mayWait, hasThrown) => {
		const first = execution();
		const context = contextOf(first, { mayWait });
		buy(context, 'a');
		leavePending(context);
		keepWhatWasBought(context, hasThrown);
		const again = contextOf(stored(first));
		expect(answersOf(again).find('a')).toEqual(answer);
		expect([...jobsOf(again).entries()]).toMatchObject([
			['a', { saved: job }],
			['b', { saved: job }],
		]);
	});

	it('is not stored where nobody will need it', () => {
		const first = execution();
		const context = contextOf(first, { mayWait: false });
		buy(context, 'a');
		leavePending(context);
		keepWhatWasBought(context, false);
		expect(first.flow).toEqual({});
		// In memory it lives on.
		expect(answersOf(context).find('a')).toEqual(answer);
		expect([...jobsOf(context).keys()]).toEqual(['a', 'b']);
	});

	it('is taken back once nobody will need it any more, and stored again where somebody does', () => {
		const first = execution();
		const before = contextOf(first, { node: 'Before', mayWait: true });
		const behind = contextOf(first, { node: 'Behind', mayWait: false });
		buy(before, 'a');
		keepWhatWasBought(before, false);
		buy(behind, 'b');
		leavePending(behind);
		keepWhatWasBought(behind, false);
		expect(first.flow).toEqual({});
		keepWhatWasBought(behind, true);
		const again = contextOf(stored(first));
		for (const key of ['a', 'b']) expect(answersOf(again).find(key)).toEqual(answer);
		expect(jobsOf(again).size).toBe(2);
	});

	it('is that of all nodes of the execution', () => {
		const first = execution();
		const [one, other] = ['One', 'Other'].map((node) => contextOf(first, { node }));
		buy(one, 'a');
		expect(answersOf(other)).toBe(answersOf(one));
		expect(jobsOf(other)).toBe(jobsOf(one));
		expect(answersOf(contextOf(execution())).find('a')).toBeUndefined();
	});

	it('is no question in progress: it is asked again after n8n has read the execution', () => {
		const first = execution();
		const context = contextOf(first);
		expect(answersOf(context).ask('a')).toBeInstanceOf(OpenQuestion);
		keepWhatWasBought(context, false);
		expect(answersOf(contextOf(stored(first))).find('a')).toBeUndefined();
	});

	it('asks n8n for what may wait once per node, however often it runs', () => {
		const first = execution();
		const contexts = [1, 2, 3].map(() => contextOf(first));
		for (const context of contexts) keepWhatWasBought(context, false);
		const other = contextOf(first, { node: 'Other' });
		keepWhatWasBought(other, false);
		const asked = [...contexts, other].map(({ mayWaitLater }) => vi.mocked(mayWaitLater));
		expect(asked.map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0, 1]);
	});

	it('stores no job that has ended', () => {
		const first = execution();
		const context = contextOf(first);
		leavePending(context);
		keepWhatWasBought(context, false);
		jobsOf(context).clear();
		keepWhatWasBought(context, false);
		expect(first.flow).toEqual({});
	});
});

describe('the cost of a job', () => {
	/** What a job may have cost is counted, by the node that has sent it. */
	async function spendOnJob(context: NodeContext) {
		const reservation = await reserved(budgetOf(context), 2);
		reservation.sent();
		reservation.settle();
		return reservation;
	}

	async function pendingOf(of: Execution): Promise<Execution> {
		const context = contextOf(of);
		await spendOnJob(context);
		leavePending(context, { ...job });
		keepWhatWasBought(context, false);
		return of;
	}

	/** The job that a question waits for. */
	function jobOf(context: NodeContext, question = 'a'): JobOfExecution {
		const found = jobsOf(context).get(question);
		if (!found) throw new Error(`No job for ${question}`);
		return found;
	}

	it('goes on counting when n8n has stored the execution and read it again', async () => {
		const before = await pendingOf(execution('7'));
		expect(before.told).toEqual(['0 to 2 credits spent']);
		const context = contextOf(stored(before));
		expect(jobOf(context, 'b')).toEqual({ saved: job });
		expect(budgetOf(context).spent).toBe(2);
	});

	it('is put right by the budget of the node that has sent it, once', async () => {
		const again = stored(await pendingOf(execution('7')));
		const context = contextOf(again);
		settleJob(context, jobOf(context, 'b'), 1, 0);
		expect([budgetOf(context).spent, again.told]).toEqual([1, ['1 credit spent']]);
		// It is one job, whatever question asks for it, and counts once.
		settleJob(context, jobOf(context), 2, 0);
		expect([budgetOf(context).spent, again.told]).toEqual([1, ['1 credit spent']]);
	});

	it('stays open as far as it is not known even then, and counts under the cap', async () => {
		const again = stored(await pendingOf(execution('7')));
		const context = contextOf(again);
		settleJob(context, jobOf(context), 1, 1);
		expect([budgetOf(context).spent, again.told]).toEqual([2, ['1 to 2 credits spent']]);
	});

	it('is put right in the execution alone, where another node has sent it', async () => {
		const again = stored(await pendingOf(execution('7')));
		const other = contextOf(again, { node: 'Other' });
		settleJob(other, jobOf(other), 1, 0);
		expect([budgetOf(other).spent, again.told]).toEqual([0, ['1 credit spent']]);
		expect(budgetOf(contextOf(again)).spent).toBe(2);
	});

	it('is put right by what was set aside for it, whichever node collects it', async () => {
		const first = execution('7');
		const context = contextOf(first);
		const left = { saved: { ...job }, reservation: await spendOnJob(context) };
		jobsOf(context).set('a', left);
		const other = contextOf(first, { node: 'Other' });
		settleJob(other, jobOf(other), 1, 0);
		expect([budgetOf(context).spent, budgetOf(other).spent]).toEqual([1, 0]);
		settleJob(context, left, 2, 0);
		expect(first.told).toEqual(['0 to 2 credits spent', '1 credit spent']);
	});

	it('is not put right again after a further wait', async () => {
		const again = stored(await pendingOf(execution('7')));
		const context = contextOf(again);
		settleJob(context, jobOf(context), 1, 0);
		keepWhatWasBought(context, false);
		const last = stored(again);
		const later = contextOf(last);
		settleJob(later, jobOf(later), 2, 0);
		expect([budgetOf(later).spent, last.told]).toEqual([1, []]);
	});

	it('does not count in a retry, which begins anew', async () => {
		const retry = stored(await pendingOf(execution('7')), '8');
		const context = contextOf(retry);
		expect(jobOf(context)).toEqual({ saved: job });
		expect([budgetOf(context).spent, retry.told]).toEqual([0, []]);
		// The job is stored on, as one of the execution that has paid.
		keepWhatWasBought(context, false);
		expect(jobOf(contextOf(stored(retry, '9'))).saved).toEqual(job);
		settleJob(context, jobOf(context), 1, 0);
		expect([budgetOf(context).spent, retry.told]).toEqual([0, []]);
	});
});

describe('what an execution tells that begins with the words of the one that it retries', () => {
	it('is that it has spent nothing, until it has', async () => {
		const retry = execution('8');
		retry.told.push('64 credits spent');
		const budget = budgetOf(contextOf(retry));
		expect(retry.told.slice(1)).toEqual(['0 credits spent']);
		const reservation = await reserved(budget, 1);
		reservation.sent();
		reservation.settle(1);
		expect(retry.told.slice(2)).toEqual(['1 credit spent']);
	});

	it.each([
		['has spent something', { creditsSpent: 3 }],
		['may have', { creditsUncertain: 3 }],
	])('stays after a wait, where it %s itself', (_, counted) => {
		const again = execution('7', { ...counted, creditsSpentBy: '7' });
		again.told.push('3 credits spent');
		budgetOf(contextOf(again));
		expect(again.told).toEqual(['3 credits spent']);
	});

	it('is nothing where nobody has told anything', () => {
		const first = execution('7');
		budgetOf(contextOf(first));
		expect(first.told).toEqual([]);
	});
});
