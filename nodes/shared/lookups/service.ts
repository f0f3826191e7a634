import type { Reservation } from '../credits/budget';
import { pathOf, type Declaration } from '../n8n/routing';
import type { Run } from '../sending/run';
import { withoutKey } from '../service/secret';
import { isNotFound, unknownPath } from '../service/serviceError';
import type { LookupService, RequestPart } from './lookup';

/**
 * The service, as the requests of an operation reach it in one run of the node.
 * @param reservation pays for what is asked
 */
export function serviceOf(
	declaration: Declaration,
	run: Run,
	{
		isBulk = false,
		jobTimeout = 0,
		reservation,
	}: { isBulk?: boolean; jobTimeout?: number; reservation?: Reservation },
): LookupService {
	const { method } = declaration.option.routing?.request ?? {};
	const url = pathOf(declaration, {});
	const repeats = isBulk ? 'never' : 'once';
	const send = async (part: RequestPart) =>
		await run.send({ method, url, ...part }, { reservation, repeats, isBulk });
	return {
		settings: run.connection.settings,
		asReceived: (text) => withoutKey(text, run.connection.apiKey),
		ask: async (part) =>
			await send(part).catch((thrown: unknown) => {
				throw isNotFound(thrown) ? unknownPath() : thrown;
			}),
		askOne: async (part) =>
			await send(part).catch((thrown: unknown) => {
				if (isNotFound(thrown)) return undefined;
				throw thrown;
			}),
		collect: async (part) => {
			reservation?.accepted();
			return await run.send({ method: 'GET', url, ...part }, { collects: true });
		},
		sleep: async (milliseconds) => await run.sleep(milliseconds),
		jobTimeout,
	};
}
