import { slug } from '../addresses.mts';
import type { Company, Person } from '../fixtures.mts';
import type { Variants } from '../variants.mts';

/** The sample form has no scheme; interface specification 2.4. */
export function networkUrl(person: Person, { networkUrlScheme }: Variants): string {
	const path = [...person.full.split(' ').map(slug), String(person.company.id)].join('-');
	return `${networkUrlScheme === 'always' ? 'https://' : ''}network.example/in/${path}`;
}

export function companyHeadquarters({ place }: Company): string {
	return `${place.city}, ${place.country}`;
}
