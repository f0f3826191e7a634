/** @file One more list, for people to look at: the other fixtures are made to be hard on code. */

import { addressAt } from './addresses.mts';
import type { Company, Fixtures, Lead, Person } from './fixtures.mts';
import { places } from './vocabulary.mts';

export const demoList = { id: 103, name: 'Berlin Expo' };

/** Where the email of a person is; the finder has those of the list too. */
type Email = 'nowhere' | 'finder' | 'list' | 'list, with status';

const companies = (
	[
		['Vistula Software', 'vistula.example', 'Software', 240],
		['Monte Claro Coffee', 'monteclaro.example', 'Food', 85],
		['Kamogawa Optics', 'kamogawa.example', 'Optics', 1_900],
		['Savanna Freight', 'savanna.example', 'Logistics', 620],
		['Severn Clinics', 'severn.example', 'Health Care', 410],
		['Brightpath Outdoor', 'brightpath.example', 'Retail', 150],
	] as const
).map(
	([name, domain, industry, employees], index): Company => ({
		id: 5_001 + index,
		name,
		domain,
		industry,
		specialties: ['B2B', 'wholesale'],
		employees,
		founded: 1986 + 6 * index,
		place: places[index],
		pattern: '{first}.{last}',
	}),
);
const [vistula, monteClaro, kamogawa, savanna, severn, brightpath] = companies;

/** The oldest first: Get List Leads gives them the other way round. */
const visitors: Array<[first: string, last: string, title: string, at: Company, email: Email]> = [
	['Kenji', 'Mori', 'Export Manager', kamogawa, 'nowhere'],
	['Jürgen', 'Weber', 'Head of Procurement', brightpath, 'finder'],
	['Chloé', 'Dubois', 'Marketing Director', severn, 'finder'],
	['Paweł', 'Nowak', 'Account Executive', vistula, 'list'],
	['Daniel', 'Hernández', 'VP of Sales', brightpath, 'list, with status'],
	['Wanjiru', 'Kamau', 'Operations Director', savanna, 'finder'],
	['Lucía', 'Rojas', 'Founder', monteClaro, 'nowhere'],
	['Marta', 'Zielińska', 'Chief Technology Officer', vistula, 'finder'],
	['Mateo', 'Vargas', 'Business Development Manager', monteClaro, 'list'],
	['Emily', 'Carter', 'Head of Partnerships', severn, 'finder'],
];

export function makeDemo(): Pick<Fixtures, 'companies' | 'people' | 'lists'> {
	const leads = visitors.map(([first, last, title, at, email], index): Lead => {
		const person: Person = {
			first,
			last,
			full: `${first} ${last}`,
			title,
			location: `${at.place.city}, ${at.place.country}`,
			company: at,
			started: { month: 1 + index, year: 2014 + index },
			email: email === 'nowhere' ? null : addressAt(at.domain, at.pattern, first, last),
		};
		return {
			id: 95_001 + index,
			person,
			email: email.startsWith('list') ? person.email : null,
			unverified: email === 'list',
		};
	});
	return {
		companies,
		people: leads.map(({ person }) => person),
		lists: [{ ...demoList, createdAt: '2025-09-23T09:00:00.000Z', leads }],
	};
}

/** Some whose emails the service finds: the last ones, which are those of the demo. */
export function peopleToTry({ people }: Fixtures): string {
	const found = people.filter(({ email }) => email !== null).slice(-3);
	return found
		.map(({ full, company }) => `${full} at ${company.name} (${company.domain})`)
		.join(', ');
}
