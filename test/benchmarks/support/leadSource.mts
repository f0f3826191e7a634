import fastify from 'fastify';

import { addressOf, findBulk, leadOf, numbers } from '../../support/leads/lookups.mts';
import { crmLeads } from '../../support/leads/crmLeads.mts';

type Count = { Params: { count: string } };

/** Where n8n fetches the leads of a benchmark: one request, an item per lead. */
export async function openLeadSource() {
	const app = fastify({ forceCloseConnections: true });
	app.get<Count>('/leads/:count', async ({ params }) =>
		numbers(Number(params.count)).map((number) => ({
			...leadOf(number),
			email: addressOf(number),
		})),
	);
	app.get<Count>(
		'/crm/:count',
		async ({ params }) => crmLeads(findBulk, Number(params.count)).items,
	);
	app.get<Count>('/sheet/:count', async ({ params }) =>
		numbers(Number(params.count)).map((number) => {
			const { first, last, domain } = leadOf(number);
			const company = { Company: domain, 'Company Website': `https://www.${domain}/about` };
			return { Row: number, 'First Name': first, Surname: last, ...company, Phone: '', Notes: '' };
		}),
	);
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		/** Of so many leads: the first ones, under our names or a sheet's, or those that come out of a CRM. */
		urlOf: (count: number, kind: 'leads' | 'sheet' | 'crm' = 'leads') => `${url}/${kind}/${count}`,
		[Symbol.asyncDispose]: async () => await app.close(),
	};
}
