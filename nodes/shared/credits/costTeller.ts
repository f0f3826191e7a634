import type { NodeContext } from '../n8n/nodeContext';
import { count } from '../values/text';
import type { Costs } from './executionCredits';

/**
 * Tells what an execution has cost in its custom data, which n8n shows beside it. A stopped execution is
 * saved without the items of the node that was running, right after the stop: answers that come later
 * count there as what may be spent. The log of n8n has the figures after the last answer.
 */
export function costTellerOf(context: NodeContext): (costs: Costs) => void {
	const { executionId, logger } = context;
	const customData = context.customData();
	let isTold = false;
	return ({ least, most, isLast }) => {
		const range = most > least ? `${least} to ` : '';
		const costs = `${range}${count(most, 'credit')} spent`;
		isTold ||= most > 0;
		if (isTold) customData?.set('contact_data_credits', costs);
		if (isLast) logger.warn(`Contact Data: execution ${executionId} was stopped, ${costs}`);
	};
}
