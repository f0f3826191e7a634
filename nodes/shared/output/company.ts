import type { IDataObject } from 'n8n-workflow';
import { numberAt, textAt } from '../values/json';
import { toText, withScheme } from '../values/text';

/** A company in the package's words (interface specification 2.11): absent values are `null`, URLs have a scheme. */
export function simplifyCompany(company: IDataObject): IDataObject {
	const { specialties = company.specialities } = company;
	return {
		id: numberAt(company, 'lid'),
		name: textAt(company, 'name'),
		domain: textAt(company, 'domain'),
		website: withScheme(textAt(company, 'website')),
		industry: textAt(company, 'industry'),
		type: textAt(company, 'type'),
		profileUrl: withScheme(textAt(company, 'network_url', 'linkedin_url')),
		specialties: Array.isArray(specialties) ? specialties.map(toText).filter(Boolean) : null,
		revenue: textAt(company, 'revenue'),
		employeeCount: numberAt(company, 'employee_count') ?? textAt(company, 'employee_count'),
		employeeCountRange: textAt(company, 'employee_count_range'),
		address: textAt(company, 'address'),
		city: textAt(company, 'city'),
		region: textAt(company, 'geo_area'),
		postalCode: textAt(company, 'postal_code'),
		country: textAt(company, 'country'),
		directoryUrl: withScheme(textAt(company, 'directory_url', 'crunchbase_url')),
		logoUrl: withScheme(textAt(company, 'logo_url_primary', 'logo_url_secondary')),
	};
}
