import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reservation } from './budget';
import type { BulkService } from './lookup';
import { paceOf, wholeNumber } from './lookupOptions';
import { requestSettings } from './requestSettings';
import type { Price, Run } from './run';

/** The service, before it is known which credits pay for a request. */
export interface MeteredService extends BulkService {
	/** The same, where a reservation pays for what is asked. */
	paidFrom(reservation: Reservation): BulkService;
}

/** The service as an operation on all items sees it: at the pace and with the settings of the node. */
export async function bulkServiceOf(context: IExecuteFunctions, run: Run): Promise<MeteredService> {
	const option = (name: string) => context.getNodeParameter(`options.${name}`, 0, null);
	const pace = paceOf(option);
	const common = requestSettings(context);
	const { settings } = await run.connection();
	const service = (price?: Price): BulkService => ({
		settings,
		ask: async (request) =>
			await run.send({ ...common, ...request }, { ...pace, price, repeatable: false }),
		collect: async (request) =>
			await run.send({ ...common, ...request }, { ...pace, collects: true }),
		sleep: async (milliseconds) => await run.sleep(milliseconds),
		requestsAtOnce: pace.maxConcurrency,
		jobTimeout: wholeNumber(option('jobTimeout'), 30) * 60_000,
	});
	return { ...service(), paidFrom: (reservation) => service({ reservation }) };
}
