import type { Logger } from 'n8n-workflow';

import type { NodeContext } from '../n8n/nodeContext';
import { count } from '../values/text';
import type { Costs } from './executionCredits';

/** The key of the custom data. */
const NAME = 'contact_data_credits';

/** n8n cuts off the value after 512 characters. */
const MAX_LENGTH = 400;

interface Context extends Pick<NodeContext, 'executionId' | 'customData'> {
	logger: Pick<Logger, 'warn'>;
}

/**
 * Tells what an execution has cost in its custom data, which n8n shows beside it. A stopped execution is
 * saved without the items of the node that was running, right after the stop: answers that come later
 * count there as what may be spent. The log of n8n has the figures after the last answer.
 * @param hasSpent whether the execution has spent credits already
 */
export function costTellerOf(context: Context, hasSpent: boolean): (costs: Costs) => void {
	const { executionId, logger } = context;
	const customData = context.customData();
	// A retry begins with the custom data of the execution that it retries.
	let isTold = customData?.get(NAME) !== undefined;
	if (isTold && !hasSpent) customData?.set(NAME, `${count(0, 'credit')} spent`);
	return ({ least, most, byNode, isLast }) => {
		const range = most > least ? `${least} to ` : '';
		const costs = `${range}${count(most, 'credit')} spent${perNode(byNode)}`;
		isTold ||= most > 0;
		if (isTold) customData?.set(NAME, costs);
		if (isLast) logger.warn(`Contact Data: execution ${executionId} was stopped, ${costs}`);
	};
}

/** What each node has spent, where there are several: ` (Find: 10, Verify: 2)`. */
function perNode(byNode: Map<string, number>): string {
	if (byNode.size < 2) return '';
	const costs = [...byNode].map(([node, credits]) => `${node}: ${credits}`).join(', ');
	return ` (${costs.length > MAX_LENGTH ? `${costs.slice(0, MAX_LENGTH)}…` : costs})`;
}
