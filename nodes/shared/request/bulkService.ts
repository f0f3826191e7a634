import type { IExecuteFunctions } from 'n8n-workflow';

import type { BulkService } from './lookup';
import { paceOf, wholeNumber } from './lookupOptions';
import { requestSettings } from './requestSettings';
import type { Run } from './run';

/** The service as an operation on all items sees it: at the pace and with the settings of the node. */
export async function bulkServiceOf(context: IExecuteFunctions, run: Run): Promise<BulkService> {
	const option = (name: string) => context.getNodeParameter(`options.${name}`, 0, null);
	const pace = paceOf(option);
	const common = requestSettings(context);
	const { settings } = await run.connection();
	return {
		settings,
		ask: async (request) =>
			await run.send({ ...common, ...request }, { ...pace, repeatable: false }),
		collect: async (request) =>
			await run.send({ ...common, ...request }, { ...pace, collects: true }),
		sleep: async (milliseconds) => await run.sleep(milliseconds),
		requestsAtOnce: pace.maxConcurrency,
		jobTimeout: wholeNumber(option('jobTimeout'), 30) * 60_000,
	};
}
