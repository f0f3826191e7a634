/** @file What an execution has spent, by node: over a wait, after a retry, and in its custom data when it is stopped. */

import type { IContextObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { costOf, Ledger } from '../../nodes/shared/credits/ledger.ts';

interface Started {
	ledger: Ledger;
	record: IContextObject;
	/** What the custom data shows. */
	shown(): unknown;
	log: string[];
	stop: AbortController;
}

function start({
	record = {},
	customData = new Map<string, unknown>(),
	executionId = '1',
}: {
	record?: IContextObject;
	customData?: Map<string, unknown>;
	executionId?: string;
} = {}): Started {
	const log: string[] = [];
	const stop = new AbortController();
	const ledger = new Ledger(record, {
		executionId,
		signal: stop.signal,
		logger: { warn: (message) => void log.push(message) },
		customData: () => customData,
	});
	return { ledger, record, shown: () => customData.get('contact_data_credits'), log, stop };
}

/** A request of a node that was sent and is over. */
function spend(ledger: Ledger, node: string, certain: number, uncertain = 0, reserved = 10): void {
	ledger.reserve(node, reserved);
	ledger.sent(reserved);
	ledger.over(reserved);
	ledger.settle(node, reserved, { certain, uncertain });
}

const copyOf = (record: IContextObject): IContextObject => JSON.parse(JSON.stringify(record));

describe('costOf', () => {
	it('is a credit for each hit, and perhaps one for each answer that was left out', () => {
		expect(costOf([[{}], [], [{}, {}], undefined])).toEqual({ certain: 2, uncertain: 1 });
		expect(costOf([])).toEqual({ certain: 0, uncertain: 0 });
	});
});

describe('Ledger', () => {
	it('counts what each node has spent and reserved', () => {
		const { ledger } = start();
		spend(ledger, 'Find', 3, 1);
		ledger.reserve('Find', 5);
		expect([ledger.spentBy('Find'), ledger.reservedBy('Find')]).toEqual([4, 5]);
		expect([ledger.spentBy('Verify'), ledger.reservedBy('Verify')]).toEqual([0, 0]);
	});

	it('goes on after a wait, and begins at 0 in a retry', () => {
		const { ledger, record } = start();
		spend(ledger, 'Find', 3, 1);
		expect(start({ record: copyOf(record) }).ledger.spentBy('Find')).toBe(4);
		expect(start({ record: copyOf(record), executionId: '2' }).ledger.spentBy('Find')).toBe(0);
	});

	it.each([{}, { certain: 'many', uncertain: 0 }, { certain: -100, uncertain: -1 }, null, 7])(
		'takes a record of %j for nothing spent',
		(spent) => {
			const record = { contactDataCredits: { executionId: '1', nodes: { Find: spent } } };
			expect(start({ record }).ledger.spentBy('Find')).toBe(0);
		},
	);

	it('tells a waiting request when credits are settled', async () => {
		const { ledger } = start();
		let isTold = false;
		const told = ledger.settled().then(() => (isTold = true));
		await Promise.resolve();
		expect(isTold).toBe(false);
		spend(ledger, 'Find', 0);
		await told;
	});

	it('counts a bulk job as its most until it is collected, once', () => {
		const { ledger, shown } = start();
		const job = { node: 'Find', executionId: '1', credits: 10 };
		spend(ledger, 'Find', 0, 10);
		expect([ledger.spentBy('Find'), shown()]).toEqual([10, '0 to 10 credits spent']);
		ledger.collected(job, { certain: 4, uncertain: 1 });
		ledger.collected(job, { certain: 4, uncertain: 1 });
		expect([ledger.spentBy('Find'), shown()]).toEqual([5, '4 to 5 credits spent']);
	});

	it('does not count the job of the execution that it retries', () => {
		const { ledger, shown } = start({ executionId: '2' });
		ledger.collected({ node: 'Find', executionId: '1', credits: 10 }, { certain: 4, uncertain: 0 });
		expect([ledger.spentBy('Find'), shown()]).toEqual([0, undefined]);
	});
});

describe('the custom data', () => {
	it('is empty as long as nothing was spent', () => {
		const { ledger, shown } = start();
		ledger.reserve('Find', 10);
		ledger.sent(10);
		expect(shown()).toBeUndefined();
		ledger.over(10);
		ledger.settle('Find', 10, { certain: 0, uncertain: 0 });
		expect(shown()).toBeUndefined();
	});

	it('has the figure first, then the nodes, where there are several', () => {
		const { ledger, shown } = start();
		spend(ledger, 'Find', 1);
		expect(shown()).toBe('1 credit spent');
		spend(ledger, 'Verify', 2);
		expect(shown()).toBe('3 credits spent (Find: 1, Verify: 2)');
	});

	it('stays below the length at which n8n cuts it off', () => {
		const { ledger, shown } = start();
		for (let node = 0; node < 100; node++) spend(ledger, `A node with a long name ${node}`, 1);
		expect(String(shown()).length).toBeLessThan(512);
		expect(shown()).toMatch(/^100 credits spent \(.*…\)$/);
	});

	it('begins at 0 in a retry, which has that of the execution before', () => {
		const customData = new Map<string, unknown>([['contact_data_credits', '7 credits spent']]);
		expect(start({ customData, executionId: '2' }).shown()).toBe('0 credits spent');
	});

	it('says at the moment of a stop what it may come to, and the log has the end', () => {
		const { ledger, shown, log, stop } = start();
		spend(ledger, 'Find', 3);
		ledger.reserve('Find', 10);
		ledger.sent(10);
		stop.abort();
		expect([shown(), log]).toEqual(['3 to 13 credits spent', []]);
		ledger.over(10);
		ledger.settle('Find', 10, { certain: 6, uncertain: 0 });
		expect(shown()).toBe('9 credits spent');
		expect(log).toEqual(['Contact Data: execution 1 was stopped, 9 credits spent']);
	});
});
