/** @file The tools of somebody else that the examples work with. */

import { generateKeyPairSync, randomUUID } from 'node:crypto';

import { expect } from 'vitest';
import { z } from 'zod';

import { known } from '../leads/expected.mts';
import { refusal, standIn } from './tools.mts';

type Cell = string | number;

const namesSchema = z.object({ values: z.tuple([z.array(z.string())]) });
const writtenSchema = z.object({
	valueInputOption: z.literal('RAW'),
	data: z.array(
		z.object({
			range: z.string().regex(/^Leads![A-Z]\d+$/),
			values: z.tuple([z.tuple([z.union([z.string(), z.number()])])]),
		}),
	),
});

/** Google gives it out without a look at the sheet, so all of them have one: tests that run at once may each have a sheet. */
const GOOGLE_TOKEN = randomUUID();

/**
 * A Google Sheet with one table, which a service account may read and write.
 *
 * @param cells by row; the first one has the names of the columns
 */
export function googleSheet(cells: Cell[][]) {
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const document = randomUUID();
	/** The cells that were written since the sheet was opened, e.g. `C2`, in their order. */
	const written: string[] = [];
	const path = '/v4/spreadsheets/:id';
	const tool = standIn({
		hosts: ['oauth2.googleapis.com', 'sheets.googleapis.com'],
		token: GOOGLE_TOKEN,
		within: document,
		setUp: {
			node: 'n8n-nodes-base.googleSheets',
			credentialType: 'googleApi',
			credentialData: {
				email: 'n8n@tests.iam.gserviceaccount.com',
				privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
			},
			picked: {
				authentication: 'serviceAccount',
				documentId: { __rl: true, mode: 'id', value: document },
				sheetName: { __rl: true, mode: 'name', value: 'Leads' },
			},
		},
		routes: {
			'POST /token': () => ({ access_token: GOOGLE_TOKEN, token_type: 'Bearer', expires_in: 3600 }),
			[`GET ${path}`]: () => ({ sheets: [{ properties: { sheetId: 0, title: 'Leads' } }] }),
			[`GET ${path}/values/'Leads'`]: () => ({ values: cells.map(withoutTail) }),
			/** The names of the columns, with new ones behind. */
			[`PUT ${path}/values/:range`]: ({ params: { range }, body }) => {
				expect(range).toBe('Leads!1:1');
				const [names] = namesSchema.parse(body).values;
				expect(names.slice(0, cells[0]?.length)).toEqual(cells[0]);
				for (const row of cells) row.push(...names.slice(row.length).fill(''));
				cells[0] = names;
				return {};
			},
			[`POST ${path}/values::batchUpdate`]: ({ body }) => {
				for (const { range, values } of writtenSchema.parse(body).data) {
					const cell = range.replace('Leads!', '');
					const row = known(cells[Number(cell.slice(1)) - 1]);
					row[cell.charCodeAt(0) - 'A'.charCodeAt(0)] = values[0][0];
					written.push(cell);
				}
				return {};
			},
		},
	});
	return { ...tool, cells, written };
}

/** Google gives no empty cells at the end of a row. */
function withoutTail(row: readonly Cell[]): Cell[] {
	return row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
}

/** The properties of a contact. */
export type Properties = Record<string, string | null>;

const filterSchema = z.strictObject({
	propertyName: z.string(),
	operator: z.literal('NOT_HAS_PROPERTY'),
});
const newestFirst = z.object({
	propertyName: z.literal('createdate'),
	direction: z.literal('DESCENDING'),
});
const searchSchema = z.strictObject({
	filterGroups: z.tuple([z.object({ filters: z.array(filterSchema) })]),
	properties: z.array(z.string()),
	sorts: z.tuple([newestFirst]),
	limit: z.number().max(200),
});
const updateSchema = z.object({ properties: z.record(z.string()) });
const upsertSchema = z.object({
	properties: z.array(z.object({ property: z.string(), value: z.string() })),
});

/** HubSpot with its contacts: it refuses a second contact with an email, as the real one does. */
export function hubSpot(existing: readonly Properties[] = []) {
	/** By id, the oldest first. */
	const contacts = new Map<string, Properties>();
	/** The ids of the contacts that were created or updated, in the order of the requests. */
	const saved: string[] = [];
	const create = (contact: Properties): string => {
		const id = String(501 + contacts.size);
		contacts.set(id, { createdate: new Date().toISOString(), ...contact });
		return id;
	};
	const idOf = (email = ''): string | undefined =>
		[...contacts].find(([, contact]) => contact.email === email)?.[0];
	for (const contact of existing) create(contact);

	const token = randomUUID();
	const tool = standIn({
		hosts: ['api.hubapi.com'],
		token,
		setUp: {
			node: 'n8n-nodes-base.hubspot',
			credentialType: 'hubspotAppToken',
			credentialData: { appToken: token },
		},
		routes: {
			/** The contacts that have none of the properties filled, the newest first. */
			'POST /crm/v3/objects/contacts/search': ({ body }) => {
				const { filterGroups, properties, limit } = searchSchema.parse(body);
				const [{ filters }] = filterGroups;
				const results = [...contacts]
					.filter(([, contact]) => filters.every(({ propertyName }) => !contact[propertyName]))
					.reverse()
					.slice(0, limit)
					.map(([id, contact]) => ({
						id,
						properties: Object.fromEntries(properties.map((name) => [name, contact[name] || null])),
						createdAt: contact.createdate,
					}));
				return { total: results.length, results };
			},
			'PATCH /crm/v3/objects/contacts/:id': ({ params: { id = '' }, body }) => {
				const { properties } = updateSchema.parse(body);
				const contact = contacts.get(id);
				if (!contact) throw refusal(404, 'Not found');
				const holder = properties.email && idOf(properties.email);
				if (holder && holder !== id) throw refusal(409, 'Already exists');
				saved.push(id);
				Object.assign(contact, properties);
				return { id, properties };
			},
			'POST /contacts/v1/contact/createOrUpdate/email/:email': ({
				params: { email = '' },
				body,
			}) => {
				const { properties } = upsertSchema.parse(body);
				const values = properties.map(({ property, value }) => [property, value]);
				const contact = { email, ...Object.fromEntries(values) };
				const id = idOf(email);
				if (id) Object.assign(known(contacts.get(id)), contact);
				const vid = id ?? create(contact);
				saved.push(vid);
				return { vid: Number(vid), isNew: id === undefined };
			},
			'GET /contacts/v1/contact/vid/:vid/profile': ({ params: { vid = '' } }) => {
				const properties = Object.entries(contacts.get(vid) ?? {});
				return {
					vid: Number(vid),
					properties: Object.fromEntries(properties.map(([name, value]) => [name, { value }])),
				};
			},
		},
	});
	return { ...tool, contacts, saved };
}

const messageSchema = z.object({ channel: z.string(), text: z.string() });

/** Slack, which keeps what is sent to its channels. */
export function slack() {
	/** In the order in which they came. */
	const messages: Array<z.infer<typeof messageSchema>> = [];
	const token = randomUUID();
	const tool = standIn({
		hosts: ['slack.com'],
		token,
		setUp: {
			node: 'n8n-nodes-base.slack',
			credentialType: 'slackApi',
			credentialData: { accessToken: token },
			picked: { channelId: { __rl: true, mode: 'id', value: 'C0SALES' } },
		},
		routes: {
			'POST /api/chat.postMessage': ({ body }) => {
				const message = messageSchema.parse(body);
				messages.push(message);
				return { ok: true, channel: message.channel, ts: '1700000000.000100', message };
			},
		},
	});
	return { ...tool, messages };
}

/** A CRM that has companies. */
export function crm(companies: ReadonlyArray<{ id: string; name: string }>) {
	return standIn({ hosts: ['crm.example.com'], routes: { 'GET /companies': () => companies } });
}
