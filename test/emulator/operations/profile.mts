import { slug } from '../addresses.mts';
import type { Company, Person } from '../fixtures.mts';
import type { Variants } from '../variants.mts';

/** Where the URLs of people and companies stand; interface specification 2.4, 2.11. */
export const urlNames = {
	neutral: { profile: 'network_url', directory: 'directory_url' },
	named: { profile: 'linkedin_url', directory: 'crunchbase_url' },
};

/** The sample form has no scheme; interface specification 2.4. */
export function networkUrl(person: Person, { networkUrlScheme }: Variants): string {
	const path = [...person.full.split(' ').map(slug), String(person.company.id)].join('-');
	return `${networkUrlScheme === 'always' ? 'https://' : ''}network.example/in/${path}`;
}

export function companyHeadquarters({ place }: Company): string {
	return `${place.city}, ${place.country}`;
}
