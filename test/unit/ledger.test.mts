/** @file What an execution has spent, where test/engine/credits.test.mts does not see it. */

import { expect, it } from 'vitest';

import { Ledger } from '../../nodes/shared/credits/ledger.ts';

function ledgerOf(executionId: string, customData?: Map<string, string>): Ledger {
	const logger = { warn() {} };
	return new Ledger({}, { executionId, signal: undefined, logger, customData: () => customData });
}

it('begins at 0 in a retry, to which n8n gives the custom data of the execution before', () => {
	const customData = new Map([['contact_data_credits', '7 credits spent']]);
	ledgerOf('2', customData);
	expect(customData.get('contact_data_credits')).toBe('0 credits spent');
});

it('counts a bulk job as its most until it is collected, once', () => {
	const ledger = ledgerOf('1');
	ledger.post('Find', 0, { certain: 0, uncertain: 10 });
	const job = { node: 'Find', executionId: '1', credits: 10 };
	for (const cost of [4, 4]) ledger.collected(job, { certain: cost, uncertain: 1 });
	expect(ledger.spentBy('Find')).toBe(5);
});

it('gives a retry no credits back for a bulk job that the execution before has paid for', () => {
	const ledger = ledgerOf('2');
	ledger.post('Find', 0, { certain: 2, uncertain: 0 });
	const job = { node: 'Find', executionId: '1', credits: 10 };
	ledger.collected(job, { certain: 4, uncertain: 0 });
	expect(ledger.spentBy('Find')).toBe(2);
});
