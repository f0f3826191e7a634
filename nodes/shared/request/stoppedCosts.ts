import type {
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IWorkflowDataProxyAdditionalKeys,
} from 'n8n-workflow';

import { count } from '../values/text';
import type { Costs } from './executionCredits';

/**
 * Tells what a stopped execution has cost where it outlasts the stop, for n8n saves such an execution
 * without the items of the node that was running. The custom data of the execution is saved right
 * after the stop: answers that come later count there as what may be spent. The log of n8n has the
 * figures after the last answer.
 */
export function stoppedCostsOf(
	context: IExecuteFunctions | IExecuteSingleFunctions,
): (costs: Costs) => void {
	const { $execution }: IWorkflowDataProxyAdditionalKeys = context.getWorkflowDataProxy(0);
	const executionId = context.getExecutionId();
	const { logger } = context;
	return ({ least, most, final }) => {
		const range = most > least ? `${least} to ` : '';
		const costs = `${range}${count(most, 'credit')} spent`;
		$execution?.customData?.set('contact_data_credits', costs);
		if (final) logger.warn(`Contact Data: execution ${executionId} was stopped, ${costs}`);
	};
}
