import type { NodeHint } from 'n8n-workflow';

import type { Operation } from './operation';

/** With more lookups than this the bulk operation is worth a hint. */
const MANY = 20;

/** Identical items are asked once, so they count once; the first items tell whether they differ. */
const LOOKUPS = `new Set($input.all().slice(0, ${5 * MANY}).map((item) => JSON.stringify(item.json))).size`;

/**
 * Points at the bulk operation where many items go through the single one.
 * @param perRequest what one bulk request takes
 * @param onlySingle an option that only the single operation has: while it is on, there is no hint
 */
export function bulkHint(
	single: Operation,
	bulk: Operation,
	perRequest: string,
	onlySingle: string,
): NodeHint {
	const conditions = [
		`$parameter.operation === "${single.option.value}"`,
		`!$parameter.options.${onlySingle}`,
		`${LOOKUPS} > ${MANY}`,
	];
	return {
		message: `${bulk.option.name} does this with one request per ${perRequest}, at the same price and several times as fast`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ ${conditions.join(' && ')} }}`,
	};
}
