/** What the examples meet in the world, so that each of their branches has something to do. */

import type { Lead, Person } from '../service/fixtures.mts';
import type { Service } from '../service/service.mts';
import type { Turn } from './chatModel.mts';
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

/**
 * Saves a lead for each status of an address in a list, until they are disposed of. The one that
 * comes second has its address already.
 */
export function saveNewLeads(service: Service, listId: number): Disposable & { saved: Lead[] } {
	const { leads } = known(service.fixtures.list(listId));
	const before = leads.length;
	const saved = peopleOfEachStatus.map((person, index) => ({
		id: 70_001 + index,
		person,
		email: index === 1 ? person.email : null,
	}));
	leads.push(...saved);
	return { saved, [Symbol.dispose]: () => void leads.splice(before) };
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
