import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { bulks, numbers, runBulk } from '../support/bulk.mts';
import { evaluated } from '../support/expression.mts';
import { ourNodes, type OurNode } from '../support/engine.mts';
import { useService } from '../support/service.mts';

/** The hints above the output: where they help, and nowhere else. */
const service = useService();

/** The hints of a node that the editor shows with these items before it, as its code decides. */
function hintsOf(type: OurNode, parameters: INodeParameters, items: IDataObject[]): string[] {
	const isShown = (condition = ''): boolean => {
		try {
			return evaluated(type, parameters, condition, items) === true;
		} catch {
			return false;
		}
	};
	return (ourNodes[type].description.hints ?? [])
		.filter(({ displayCondition }) => isShown(displayCondition))
		.map(({ message }) => message);
}

const different = (length: number) => numbers(length).map((number) => ({ name: `Ada ${number}` }));

describe.each([
	{
		type: 'contactDataFinder' as const,
		single: 'find',
		bulk: ['findBulk', 'getBulkJob'],
		onlySingle: 'includeCompanyData',
		hint: /^Find Emails in Bulk does this with one request per 100 people,/,
	},
	{
		type: 'contactDataVerifier' as const,
		single: 'verify',
		bulk: ['verifyBulk'],
		onlySingle: 'enrich',
		hint: /^Verify Emails in Bulk does this with one request per 50 emails,/,
	},
])('the hint at the bulk operation of $type', ({ type, single, bulk, onlySingle, hint }) => {
	const operation = single;

	test('is there for more than 20 items', () => {
		expect(hintsOf(type, { operation }, different(21))).toEqual([expect.stringMatching(hint)]);
		expect(hintsOf(type, {}, different(10_000))).toHaveLength(1);
		expect(hintsOf(type, { operation, options: { maxCredits: 5 } }, different(21))).toHaveLength(1);
	});

	// A tool of an AI agent has no input items.
	test.each([0, 1, 20])('is not there for %i items', (length) => {
		expect(hintsOf(type, { operation }, different(length))).toEqual([]);
	});

	test('is not there for identical items, which are asked once', () => {
		const twenty = different(20);
		expect(hintsOf(type, { operation }, [...twenty, ...twenty, ...twenty])).toEqual([]);
	});

	test.each(bulk)('is not there for %s', (other) => {
		expect(hintsOf(type, { operation: other }, different(500))).toEqual([]);
	});

	test('is not there with an option that only the single operation has', () => {
		const options = { [onlySingle]: true };
		expect(hintsOf(type, { operation, options }, different(500))).toEqual([]);
	});
});

describe.each(bulks)('the hint at Retry On Fail of $operation', (bulk) => {
	const messages = async (retryOnFail?: boolean) => {
		const { hints = [] } = await runBulk(bulk, service(), [bulk.item(1)], { retryOnFail });
		return hints.map(({ message }) => message);
	};
	const summary = expect.stringMatching(/^1 item: /);

	test('is there while the setting is on', async () => {
		expect(await messages(true)).toEqual([
			summary,
			expect.stringMatching(/^Retry On Fail is on but not needed/),
		]);
	});

	test('is not there without it', async () => {
		expect(await messages()).toEqual([summary]);
		expect(await messages(false)).toEqual([summary]);
	});
});
