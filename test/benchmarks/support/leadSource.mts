import fastify from 'fastify';

import { addressOf, findBulk, leadOf, numbers } from '../../support/bulk.mts';
import { crmLeads } from '../../support/crmLeads.mts';

/** Where n8n fetches the leads of a benchmark: one request, an item per lead. */
export class LeadSource implements AsyncDisposable {
	readonly #app = fastify({ forceCloseConnections: true });
	#url = '';

	static async open(): Promise<LeadSource> {
		const source = new LeadSource();
		source.#app.get<{ Params: { count: string } }>('/leads/:count', async ({ params }) =>
			numbers(Number(params.count)).map((number) => ({
				...leadOf(number),
				email: addressOf(number),
			})),
		);
		source.#app.get<{ Params: { count: string } }>(
			'/crm/:count',
			async ({ params }) => crmLeads(findBulk, Number(params.count)).items,
		);
		source.#url = await source.#app.listen({ host: '127.0.0.1', port: 0 });
		return source;
	}

	/** Of the first leads, so many. */
	urlOf(count: number): string {
		return `${this.#url}/leads/${count}`;
	}

	/** Of so many leads as they come out of a CRM. */
	crmUrlOf(count: number): string {
		return `${this.#url}/crm/${count}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#app.close();
	}
}
