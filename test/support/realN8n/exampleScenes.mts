/** What the examples meet in the world, so that each of their branches has something to do. */

import type { INode } from 'n8n-workflow';
import { expect } from 'vitest';

import type { DataTable, RestClient } from '../../hosts/rest.mts';
import { readExample, withCredential, withList, type Workflow } from '../../hosts/workflow.mts';
import { expectedVerification, type EmailStatus } from '../../emulator/addresses.mts';
import type { Lead, Person } from '../../emulator/fixtures.mts';
import type { Service } from '../../emulator/service.mts';
import type { Turn } from '../servers/chatModel.mts';
import { withParameters, withTool, type SetUp } from './exampleChanges.mts';
import {
	fixtures,
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
	const texts = 'leadKey fullName domain email emailStatus lookupStatus outcome'.split(' ');
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
	const who = { Full_Name: person.full, Company_Domain: person.company.domain };
	const answer = `${person.full}: ${person.email}, valid`;
	return {
		turns: [
			[{ tool: 'Find_Email', arguments: who }],
			[{ tool: 'Verify_Email', arguments: { Email: person.email } }],
			answer,
		],
		answer,
	};
}

/** The same calls, as a model makes them of tools that a person has to approve. */
export function reviewed(turns: readonly Turn[]): Turn[] {
	return turns.map((turn) =>
		typeof turn === 'string'
			? turn
			: turn.map(({ tool, arguments: toolParameters }) => ({
					tool,
					arguments: { toolParameters, hitlParameters: {} },
				})),
	);
}

/** A sheet as somebody has it, without any column for results. */
export function sheetOf(leads: readonly Lead[]) {
	return googleSheet([
		['Account Owner', 'First Name', 'Surname', 'Company Website', 'E-Mail'],
		...leads.map(({ email, person: { first, last, company } }, index) => [
			`Owner ${index}`,
			first,
			last,
			`https://www.${company.domain}`,
			email ?? '',
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

/** The first person with a name that every kind of file can hold, whose email has this status. */
function latinPersonWith(status: EmailStatus): FindablePerson {
	const fits = ({ full, email }: Person) =>
		/^[\u0020-\u00FF]+$/.test(full) && expectedVerification(email ?? '').email_status === status;
	const person = known(fixtures.people.find((one) => one.email !== null && fits(one)));
	return { ...person, email: known(person.email) };
}

const people = {
	valid: latinPersonWith('valid'),
	catchAll: latinPersonWith('catch-all'),
	unknown: latinPersonWith('unknown'),
	invalid: latinPersonWith('invalid'),
};

/** People in somebody's own spreadsheet, and what comes of them. */
export const peopleInFile = {
	cells: [
		['First Name', 'Surname', 'Company Website', 'E-Mail', 'Größe, "Notiz"'],
		row(people.valid, '', 'naïve; "really"'),
		row(people.catchAll, '', 'one, two'),
		row(people.unknown, '', '007'),
		row(people.invalid, people.invalid.email, ''),
		row(unfindable, '', ''),
		['Nobody', 'Anywhere', '', '', 'Köln'],
	],
	results: [
		['found', people.valid.email, 'valid', 1],
		['found', people.catchAll.email, 'catch-all', 1],
		['verified', people.unknown.email, 'unknown', 2],
		['verified', people.invalid.email, 'invalid', 1],
		['not_found', '', '', 0],
		['invalid_input', '', '', 0],
	].map(([lookupStatus, email, emailStatus, lookupCredits]) => ({
		...{ lookupStatus, email, emailStatus, lookupCredits },
	})),
	lastPage: [
		'Your rows: 6',
		'Emails found: 3',
		'Already had an email: 1',
		'No email found: 1',
		'Not looked up: 1',
		'',
		'Safe to email (valid): 1',
		'Email with caution (catch-all): 1',
		'Do not email (invalid): 1',
		'Unknown, verify again tomorrow: 1',
		'Emails verified now: 2',
		'Credits used: 5 (the rest was free)',
		'',
	],
	/** The reason that the last page gives. LinkedIn's file has three lines above its table; an Excel file has no numbers. */
	problem: /^Row (?:7|10|“Nobody Anywhere”): no company .*Company Website/,
	/** Whose emails are paid for, found or verified. */
	paid: [people.valid, people.catchAll, people.unknown, people.unknown, people.invalid].map(
		({ email }) => email,
	),
};

const colleagues = [people.catchAll, people.unknown, people.invalid];
const owner = ['customer', '5', 'in spring'];

/** A spreadsheet with columns that results have too, blank rows, the email of its sender and gaps. */
export const messyFile = {
	cells: [
		['status', 'credits', 'checkedAt', 'Full Name', 'Company', 'Email'],
		['', ' ', '', '', '', ''],
		[...owner, people.valid.full, people.valid.company.name, ''],
		...colleagues.map(({ full, company }) => [...owner, full, company.name, people.valid.email]),
		[...owner, people.valid.first, people.valid.company.name, 'ada lovelace@acme.com'],
		['', '', '', '', '', ''],
		[...owner, unfindable.full, '', ''],
		[...owner, people.valid.full, '', 'n/a'],
	],
	lastPage: [
		'Your rows: 7',
		'Emails found: 1',
		'Already had an email: 3',
		'Not looked up: 3',
		'',
		'Safe to email (valid): 4',
		'Not an email address: 1',
		'Emails verified now: 3',
		'Credits used: 1 (the rest was free)',
		'',
		expect.stringMatching(/^2 rows \(9, 10\): no company/),
		expect.stringMatching(/^Row 7: no name/),
		'',
		expect.stringContaining(`not their own: ${people.valid.email}. If so, call that column Sender`),
	],
	renamed: 'Renamed to stay beside the results: checkedAt (yours)',
	own: { status: owner[0], credits: owner[1], 'checkedAt (yours)': owner[2] },
};

/** More people in somebody's own spreadsheet than a manual run looks up. */
export const manyInFile = {
	cells: [
		['Full name', 'Company'],
		...fixtures.people
			.filter(({ email }) => email !== null)
			.slice(0, 12)
			.map(({ full, company }) => [full, company.name]),
	],
	ofAll: ['Your rows: 12', 'Emails found: 12'],
	ofManualRun: [
		'Your rows: 12',
		'Emails found: 10',
		'Not looked up: 2',
		'for all at once, publish the workflow and use the Production URL',
		'To look up the rest, upload the file that you got',
	],
};

function row({ first, last, company }: Person, email: string, note: string): string[] {
	return [first, last, `https://www.${company.domain}/about`, email, note];
}
