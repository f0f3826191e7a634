/** @file The endpoints that Check API names: of the service's document, those that an operation of the table asks. */

import openapi from '../../emulator/openapi.json' with { type: 'json' };
import { operations, readsJob } from '../../operations.mts';

/** The events of the trigger, by the endpoint that they poll. */
const events: Partial<Record<string, string>> = {
	getAccount: 'On Low Credits',
	getListLeads: 'On New Lead in List',
};

export const endpointRows = Object.entries(openapi.paths).flatMap(([path, methods]) =>
	Object.entries(methods).flatMap(([method, { operationId }]) => {
		const asked = operations.filter(({ label }) => label !== 'Check API');
		const own = asked.filter((one) => one.endpoint === operationId && !readsJob(one));
		if (own.length === 0) return [];
		const readers = asked.filter(
			(one) => readsJob(one) && own.some(({ job }) => job === one.endpoint),
		);
		const labels = new Set([...own, ...readers].map(({ label }) => label));
		const [{ endpoint: operation, form }] = own;
		const names = [...labels, events[operation] ?? []].flat().join(', ');
		const endpoint = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
		return [{ endpoint, operation, names, form }];
	}),
);
