import type { NodeHint } from 'n8n-workflow';

import type { Operation } from './operation';
import { MAX_RESULTS_PER_ITEM } from './request/pages';

/**
 * Says beforehand that one item cannot return as many leads as are wanted.
 * @param counted a field of the input item that tells how many leads there are in all, if any does
 */
export function largeListHint({ option }: Operation, counted?: string): NodeHint {
	const most = MAX_RESULTS_PER_ITEM;
	const all = counted ? `$input.all().some((item) => item.json.${counted} > ${most})` : 'false';
	const wanted = `($parameter.returnAll ? ${all} : $parameter.limit > ${most})`;
	return {
		message: `n8n takes at most ${most.toLocaleString('en')} leads from one item. The node stops there, and its message says with which Limit and Start two nodes read them all.`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ $parameter.operation === "${option.value}" && ${wanted} }}`,
	};
}
