import fastify from 'fastify';
import { z } from 'zod';

const contactSchema = z.object({
	name: z.string(),
	domain: z.string(),
	email: z.string().nullable(),
	status: z.string(),
	mailing: z.string(),
});

type Contact = z.infer<typeof contactSchema>;

/** A company as the CRM knows it. */
export interface CrmCompany {
	id: string;
	name: string;
}

/** A CRM that has companies, and keeps one contact per id: putting it again updates it. */
export class CrmStandIn implements AsyncDisposable {
	readonly contacts = new Map<string, Contact>();
	/** How many requests created or updated a contact. */
	puts = 0;
	readonly #app = fastify({ forceCloseConnections: true });
	#url = '';

	static async open(companies: readonly CrmCompany[] = []): Promise<CrmStandIn> {
		const crm = new CrmStandIn();
		crm.#app.put<{ Params: { id: string } }>('/contacts/:id', async ({ params, body }) => {
			crm.puts += 1;
			crm.contacts.set(params.id, contactSchema.parse(body));
			return { id: params.id };
		});
		crm.#app.get('/companies', async () => companies);
		crm.#url = await crm.#app.listen({ host: '127.0.0.1', port: 0 });
		return crm;
	}

	get url(): string {
		return this.#url;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#app.close();
	}
}
