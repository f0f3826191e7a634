/** What the examples meet in the world, so that each of their branches has something to do. */

import type { INode } from 'n8n-workflow';

import type { DataTable, RestClient } from '../../hosts/rest.mts';
import { readExample, withCredential, withList, type Workflow } from '../../hosts/workflow.mts';
import type { Lead, Person } from '../../emulator/fixtures.mts';
import type { Service } from '../../emulator/service.mts';
import type { Turn } from '../servers/chatModel.mts';
import { withParameters, withTool, type SetUp } from './exampleChanges.mts';
import {
	known,
	list,
	personWith,
	some,
	unfindable,
	type FindablePerson,
} from '../leads/expected.mts';
import type { TestHost } from './host.mts';
import type { Tool } from '../servers/tools.mts';
import { googleSheet, type Properties } from '../servers/toolStandIns.mts';

/** The leads that Get List Leads gives and that have no address, in its order. */
export function leadsWithoutEmail(listId: number): Lead[] {
	return some(list(listId).leads.toReversed(), ({ email }) => email === null);
}

/** The service answers with a status other than 200 whenever it is asked for this lead. */
export function failFor(service: Service, { person }: Lead, status: number): void {
	const where = ({ rawQuery }: { rawQuery: string }) => {
		const query = new URLSearchParams(rawQuery);
		return query.get('firstName') === person.first && query.get('lastName') === person.last;
	};
	service.faults.add({
		status,
		retryAfter: 'seconds',
		seconds: 0,
		on: { operation: 'find', where },
	});
}

/** Leaves these leads in a list. */
export function keepLeads(service: Service, listId: number, kept: readonly Lead[]): void {
	const { leads } = known(service.fixtures.list(listId));
	const ids = new Set(kept.map(({ id }) => id));
	leads.splice(0, Infinity, ...leads.filter(({ id }) => ids.has(id)));
}

/** The companies of a CRM; the last one is nobody's. */
export const targetCompanies = [
	{ id: 'C-1001', name: 'Willow & Sons' },
	{ id: 'C-1002', name: 'Meridian Logistics' },
	{ id: 'C-1003', name: 'Vertex Pharmaceuticals of the North' },
	{ id: 'C-1004', name: 'Unheard-of Ventures' },
];

let tables = 0;

/** Creates the data table that the notes of the examples tell to create. */
export async function createLeadsTable(client: RestClient): Promise<DataTable> {
	const texts = ['fullName', 'domain', 'email', 'emailStatus', 'status'];
	return await client.createDataTable(`Leads ${(tables += 1)}`, [
		{ name: 'leadId', type: 'number' },
		...texts.map((text) => ({ name: text, type: 'string' as const })),
		{ name: 'checkedAt', type: 'date' },
	]);
}

/** What an example works with. */
export interface SetUps {
	listId: number;
	/** One of its own unless given. */
	table?: DataTable | undefined;
	tools?: ReadonlyArray<Tool | { readonly setUp: SetUp }>;
}

/** An example as importing people set it up: with their credential, their list, a data table and their tools. */
export async function setUpExample(
	name: string,
	{ client, packageName, credential }: Pick<TestHost, 'client' | 'packageName' | 'credential'>,
	{ listId, table, tools = [] }: SetUps,
): Promise<Workflow> {
	const imported = withCredential(await readExample(name), packageName, credential);
	let workflow = withList(imported, list(listId));
	const hasTable = ({ parameters }: INode) => 'dataTableId' in parameters;
	if (workflow.nodes.some(hasTable)) {
		const { id, name: title } = table ?? (await createLeadsTable(client));
		const dataTableId = { __rl: true, mode: 'list', value: id, cachedResultName: title };
		workflow = withParameters(workflow, hasTable, { dataTableId });
	}
	for (const { setUp } of tools) if (setUp) workflow = await withTool(workflow, client, setUp);
	return workflow;
}

/** The assistants that know the token of the MCP server. */
export const assistants = {
	setUp: {
		node: '@n8n/n8n-nodes-langchain.mcpTrigger',
		credentialType: 'httpBearerAuth',
		credentialData: { token: 'a-long-random-token' },
	},
};

/** What the model says when it is asked for the address of a person, and its answer in the end. */
export function findAndVerify(person: FindablePerson): { turns: Turn[]; answer: string } {
	const who = { full_name: person.full, domain: person.company.domain, company: '' };
	const answer = `${person.full}: ${person.email}, valid`;
	return {
		turns: [
			[{ tool: 'Find_Email', arguments: who }],
			[{ tool: 'Verify_Email', arguments: { email: person.email } }],
			answer,
		],
		answer,
	};
}

/** A sheet with the columns that the note of its example names, behind one of its owner's. */
export function sheetOf(leads: readonly Lead[]) {
	return googleSheet([
		['owner', 'fullName', 'domain', 'email', 'emailStatus', 'status', 'checkedAt'],
		...leads.map(({ email, person: { full, company } }, index) => [
			`Owner ${index}`,
			full,
			company.domain,
			email ?? '',
			'',
			'',
			'',
		]),
	]);
}

const found = personWith('valid');
const refused = personWith('catch-all');
const listed = personWith('invalid');

/** The contacts of a CRM, and what a run makes of those that it has to look up. */
export const hubSpotContacts: ReadonlyArray<{ contact: Properties; becomes?: Properties }> = [
	// Created last month, so it is not looked up.
	{ contact: contactOf(unfindable, { createdate: daysAgo(30) }) },
	// It has the email that is found for another contact below, and a status, so it is not looked up.
	{ contact: contactOf(refused, { email: refused.email, contact_data_status: 'valid' }) },
	{ contact: contactOf(found), becomes: { email: found.email, contact_data_status: 'valid' } },
	{ contact: contactOf(unfindable), becomes: { contact_data_status: 'not_found' } },
	{
		contact: contactOf(listed, { email: listed.email }),
		becomes: { contact_data_status: 'invalid' },
	},
	{ contact: contactOf(refused), becomes: { contact_data_status: 'not_saved' } },
	{
		contact: contactOf(found, { company: '', website: '' }),
		becomes: { contact_data_status: 'invalid_input' },
	},
];

function contactOf({ first, last, company }: Person, more: Properties = {}): Properties {
	return {
		firstname: first,
		lastname: last,
		company: company.name,
		website: `https://www.${company.domain}`,
		createdate: daysAgo(1),
		...more,
	};
}

function daysAgo(days: number): string {
	return new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
}
