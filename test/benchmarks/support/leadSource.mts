import fastify from 'fastify';

import { addressOf, findBulk, leadOf, numbers } from '../../support/leads/lookups.mts';
import { crmLeads } from '../../support/leads/crmLeads.mts';

type Count = { Params: { count: string } };

/** Where n8n fetches the leads of a benchmark: one request, an item per lead. */
export class LeadSource implements AsyncDisposable {
	private readonly app = fastify({ forceCloseConnections: true });
	private url = '';

	static async open(): Promise<LeadSource> {
		const source = new LeadSource();
		source.app.get<Count>('/leads/:count', async ({ params }) =>
			numbers(Number(params.count)).map((number) => ({
				...leadOf(number),
				email: addressOf(number),
			})),
		);
		source.app.get<Count>(
			'/crm/:count',
			async ({ params }) => crmLeads(findBulk, Number(params.count)).items,
		);
		source.url = await source.app.listen({ host: '127.0.0.1', port: 0 });
		return source;
	}

	/** Of so many leads: the first ones, or those that come out of a CRM. */
	urlOf(count: number, kind: 'leads' | 'crm' = 'leads'): string {
		return `${this.url}/${kind}/${count}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.app.close();
	}
}
