/** What the examples meet in the world, so that each of their branches has something to do. */

import type { DataTable, DataTableColumn, RestClient } from '../hosts/rest.mts';
import type { Lead, Person } from '../service/fixtures.mts';
import type { Service } from '../service/service.mts';
import type { Turn } from './chatModel.mts';
import type { CrmCompany } from './crmStandIn.mts';
import { known, list, personWith, some, unfindable, type FindablePerson } from './expected.mts';

/** The leads that Get List Leads gives and that have no address, in its order. */
export function leadsWithoutEmail(listId: number): Lead[] {
	return some(list(listId).leads.toReversed(), ({ email }) => email === null);
}

/** The service answers with a status other than 200 whenever it is asked for this lead. */
export function failFor(service: Service, { person }: Lead, status: number): void {
	const where = ({ rawQuery }: { rawQuery: string }) =>
		new URLSearchParams(rawQuery).get('fullName') === person.full;
	service.faults.add({
		status,
		retryAfter: 'seconds',
		seconds: 0,
		on: { operation: 'find', where },
	});
}

/** One person for each status of an address, and one without any. */
const peopleOfEachStatus: readonly Person[] = [
	personWith('valid'),
	personWith('catch-all'),
	personWith('invalid'),
	personWith('unknown'),
	unfindable,
];

/** Saves a lead for each email status to a list; the one that comes second has its email already. */
export function saveNewLeads(service: Service, listId: number): Lead[] {
	const { leads } = known(service.fixtures.list(listId));
	const saved = peopleOfEachStatus.map((person, index) => ({
		id: 70_001 + index,
		person,
		email: index === 1 ? person.email : null,
	}));
	leads.push(...saved);
	return saved;
}

/** Leaves few leads in a list: some that have an email, some whose email is found, some without. */
export function keepFewLeads(service: Service, listId: number): void {
	const { leads } = known(service.fixtures.list(listId));
	const kinds = [
		some(leads, ({ email }) => email !== null),
		some(leads, ({ email, person }) => email === null && person.email !== null),
		some(leads, ({ person }) => person.email === null),
	];
	keepLeads(
		service,
		listId,
		kinds.flatMap((kind) => kind.slice(0, 3)),
	);
}

/** Leaves these leads in a list. */
export function keepLeads(service: Service, listId: number, kept: readonly Lead[]): void {
	const { leads } = known(service.fixtures.list(listId));
	const ids = new Set(kept.map(({ id }) => id));
	leads.splice(0, Infinity, ...leads.filter(({ id }) => ids.has(id)));
}

/** The companies of a CRM; the last one is nobody's. */
export const targetCompanies: readonly CrmCompany[] = [
	{ id: 'C-1001', name: 'Willow & Sons' },
	{ id: 'C-1002', name: 'Meridian Logistics' },
	{ id: 'C-1003', name: 'Vertex Pharmaceuticals of the North' },
	{ id: 'C-1004', name: 'Unheard-of Ventures' },
];

/** Creates the data table that the notes of the examples tell to create. */
export async function createLeadsTable(
	client: RestClient,
	name: string,
	columns: readonly DataTableColumn[] = [],
): Promise<DataTable> {
	const texts = ['name', 'domain', 'email', 'emailStatus', 'status'];
	return await client.createDataTable(name, [
		{ name: 'leadId', type: 'number' },
		...texts.map((text) => ({ name: text, type: 'string' as const })),
		{ name: 'checkedAt', type: 'date' },
		...columns,
	]);
}

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
