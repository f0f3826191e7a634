/** @file What the custom data of an execution, and the log, say of its cost. */

import { describe, expect, it } from 'vitest';

import { type Costs, costTellerOf } from '../../nodes/shared/credits/ledger.ts';

/** An execution with what its custom data say so far, and what it wrote to the log. */
function execution(said?: string) {
	const customData = new Map<string, unknown>();
	if (said !== undefined) customData.set('contact_data_credits', said);
	const log: string[] = [];
	const context = {
		executionId: '7',
		logger: { warn: (line: string) => log.push(line) },
		customData: () => customData,
	};
	return { context, log, told: () => customData.get('contact_data_credits') };
}

function costs(own: Partial<Costs> = {}): Costs {
	return { least: 0, most: 0, byNode: new Map(), isLast: false, ...own };
}

describe('costTellerOf', () => {
	it.each([
		[1, 1, '1 credit spent'],
		[2, 2, '2 credits spent'],
		[0, 1, '0 to 1 credit spent'],
		[3, 50, '3 to 50 credits spent'],
	])('tells of at least %i and at most %i: %s', (least, most, said) => {
		const { context, told } = execution();
		costTellerOf(context, false)(costs({ least, most }));
		expect(told()).toBe(said);
	});

	it('tells what each node has spent, where there are several', () => {
		const { context, told } = execution();
		const tell = costTellerOf(context, false);
		const byNode = new Map([['Find', 10]]);
		tell(costs({ least: 10, most: 10, byNode }));
		expect(told()).toBe('10 credits spent');
		tell(costs({ least: 12, most: 12, byNode: byNode.set('Verify', 2) }));
		expect(told()).toBe('12 credits spent (Find: 10, Verify: 2)');
	});

	it('cuts off what n8n would cut off', () => {
		const { context, told } = execution();
		const tell = costTellerOf(context, false);
		const nameOf = (length: number) => 'n'.repeat(length - ': 1, B: 1'.length);
		for (const [length, cut] of [
			[400, nameOf(400) + ': 1, B: 1'],
			[401, nameOf(401) + ': 1, B: …'],
		] as const) {
			const byNode = new Map([
				[nameOf(length), 1],
				['B', 1],
			]);
			tell(costs({ least: 2, most: 2, byNode }));
			expect(told()).toBe(`2 credits spent (${cut})`);
		}
	});

	it('tells nothing of an execution that has cost nothing', () => {
		const { context, told } = execution();
		const tell = costTellerOf(context, false);
		tell(costs());
		expect(told()).toBeUndefined();
		tell(costs({ most: 1 }));
		// It has told of the credit: that it was free is to be told as well.
		tell(costs());
		expect(told()).toBe('0 credits spent');
	});

	it('does not leave to a retry what the execution before has told', () => {
		const { context, told } = execution('9 credits spent');
		const tell = costTellerOf(context, false);
		expect(told()).toBe('0 credits spent');
		tell(costs({ least: 1, most: 1 }));
		tell(costs());
		expect(told()).toBe('0 credits spent');
	});

	it('goes on from what the same execution has told', () => {
		const { context, told } = execution('9 credits spent');
		costTellerOf(context, true);
		expect(told()).toBe('9 credits spent');
	});

	it('writes to the log what a stopped execution has cost in the end', () => {
		const { context, log } = execution();
		const tell = costTellerOf(context, false);
		tell(costs({ least: 1, most: 2 }));
		expect(log).toEqual([]);
		tell(costs({ least: 1, most: 1, isLast: true }));
		expect(log).toEqual(['Contact Data: execution 7 was stopped, 1 credit spent']);
	});

	it('does without custom data', () => {
		const { context, log } = execution();
		const tell = costTellerOf({ ...context, customData: () => undefined }, false);
		tell(costs({ least: 1, most: 1, isLast: true }));
		expect(log).toHaveLength(1);
	});
});
