import type { IDataObject } from 'n8n-workflow';

import type { Page } from '../reading/pages';
import { objectIn, objectsIn } from '../service/response';
import { toEmailStatus } from '../values/emailStatus';
import { numberAt, textAt } from '../values/json';
import { toText } from '../values/text';
import { withScheme } from '../values/url';

/**
 * A page of the leads of a list (interface specification 4.3). The next page starts at the
 * `next_start` of this one, whether the service takes it for a lead id or for an offset.
 * @param filtered whether a keyword was sent: only then `count_results` counts all the results
 */
export function readLeadPage(answer: object, filtered: boolean): Page {
	const page = objectIn(answer, 'a page of leads');
	return {
		results: objectsIn(page.data, 'a page of leads'),
		// No further page starts at 0.
		next: numberAt(page, 'next_start') || null,
		total: filtered ? numberAt(page, 'count_results') : null,
	};
}

/** The id of a lead. Leads get ever higher ones (4.3). */
export function leadId({ id }: IDataObject): number | undefined {
	return numberAt({ id: toText(id) }, 'id') ?? undefined;
}

/** A lead of a list in the package's words (2.4, with the spellings of its variant). */
export function simplifyListLead(lead: IDataObject): IDataObject {
	return {
		id: numberAt(lead, 'id'),
		name: textAt(lead, 'name'),
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		email: textAt(lead, 'email'),
		emailStatus: toEmailStatus(textAt(lead, 'email_status')),
		profileUrl: withScheme(textAt(lead, 'network_url')),
		location: textAt(lead, 'location'),
		domain: textAt(lead, 'domain'),
		companyIndustry: textAt(lead, 'company_industry'),
		companyFounded: textAt(lead, 'company_founded', 'compnay_founded'),
		companySize: numberAt(lead, 'company_size'),
		companyHeadquarters: textAt(lead, 'company_hq'),
	};
}
