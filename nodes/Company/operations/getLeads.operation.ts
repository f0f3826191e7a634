import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { optionsField, returnAllOrLimit, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { InvalidInput } from '../../shared/request/outcome';
import { collectPages, type Pages } from '../../shared/request/pages';
import { read } from '../../shared/request/requestPath';
import { toDomain } from '../../shared/values/domain';
import { toEmailStatus } from '../../shared/values/emailStatus';
import { lineAt, numberAt, objectAt, textAt } from '../../shared/values/json';
import { toText } from '../../shared/values/text';
import { readProfilePage, toKeywords } from '../profilePage';

/** The most people that the service gives per page (interface specification 8). */
const PAGE_SIZE = 150;

/** Get Company Leads (interface specification 4.9): the people of a company, with their emails. */
export const getLeads: Operation = {
	option: {
		name: 'Get Company Leads',
		value: 'getLeads',
		action: 'Get leads of a company',
		description:
			'Get the people of a company with their emails. The service does not publish what this costs.',
		routing: {
			request: { method: 'GET', url: '/profile/search/email' },
			send: { paginate: true },
			operations: {
				pagination: read(async ({ fields, limit, get }) => {
					const companyWebsite = toDomain(toText(fields.companyWebsite)) || undefined;
					const companyName = toText(fields.companyName) || undefined;
					if (!companyWebsite && !companyName) {
						throw new InvalidInput('companyWebsite or companyName');
					}
					const title = toKeywords(toText(fields.title), fields.titleMatch);
					const location = toKeywords(toText(fields.location), fields.locationMatch);
					let company: IDataObject = {};
					const pages: Pages = {
						start: toText(fields.nextId) || undefined,
						pageSize: PAGE_SIZE,
						async fetch(size, nextId) {
							const query = { companyWebsite, companyName, title, location, size, nextId };
							const answer = await get(query);
							company = objectAt(answer, 'company');
							return readProfilePage(answer);
						},
					};
					const collected = await collectPages(pages, limit);
					return { ...collected, simplify: (lead) => simplifyCompanyLead(lead, company) };
				}),
			},
		},
	},
	fields: [
		{
			displayName: 'Company Website',
			name: 'companyWebsite',
			type: 'string',
			default: '',
			placeholder: 'e.g. acme.com',
			description: 'Domain of the company; a URL such as https://www.acme.com/about works too',
			routing: { send: { type: 'query', property: 'companyWebsite' } },
		},
		{
			displayName: 'Company Name',
			name: 'companyName',
			type: 'string',
			default: '',
			placeholder: 'e.g. Acme Inc',
			description: 'Name of the company, where its website is not known',
			routing: { send: { type: 'query', property: 'companyName' } },
		},
		...returnAllOrLimit,
		simple,
		optionsField([
			filterField('Location', 'location', 'e.g. Berlin'),
			matchField('Location Match', 'locationMatch'),
			{
				displayName: 'Start',
				name: 'start',
				type: 'string',
				default: '',
				description:
					'Where to go on reading a company that is too large for one item: the text that the message of the earlier run gives',
				routing: { send: { type: 'query', property: 'nextId' } },
			},
			filterField('Title', 'title', 'e.g. sales manager'),
			matchField('Title Match', 'titleMatch'),
		]),
	],
};

function filterField(displayName: string, name: string, placeholder: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder,
		description: `Only leads with these words in their ${name}`,
		routing: { send: { type: 'query', property: name } },
	};
}

function matchField(displayName: string, name: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'options',
		default: 'all',
		options: [
			{ name: 'All Words', value: 'all', description: 'Every word has to occur' },
			{
				name: 'Any Phrase',
				value: 'any',
				description: 'One of the phrases between commas is enough, as in "sales, growth marketing"',
			},
		],
		description: 'How several words are matched',
		routing: { send: { type: 'query', property: name } },
	};
}

/** A person of a company in the package's words (2.12, 2.11a). */
export function simplifyCompanyLead(lead: IDataObject, company: IDataObject): IDataObject {
	const position = objectAt(lead, 'position');
	const quality = objectAt(lead, 'email_quality');
	return {
		firstName: textAt(lead, 'first_name'),
		lastName: textAt(lead, 'last_name'),
		fullName: textAt(lead, 'full_name'),
		title: textAt(position, 'title'),
		location: textAt(lead, 'location'),
		positionLocation: textAt(position, 'location'),
		startedAt: toMonth(objectAt(position, 'start_date')),
		email: textAt(lead, 'email'),
		emailStatus: toEmailStatus(textAt(quality, 'status')),
		emailStatusMessage: lineAt(quality, 'status_message'),
		companyName: textAt(company, 'name'),
		companyDomain: textAt(company, 'domain'),
	};
}

/** A month as "YYYY-MM"; a year without a month as "YYYY". */
function toMonth(date: IDataObject): string | null {
	const year = numberAt(date, 'year');
	const month = numberAt(date, 'month');
	if (year === null) return null;
	return month === null ? String(year) : `${year}-${String(month).padStart(2, '0')}`;
}
