/**
 * @file The operations: the one list of them. What is tested of every operation goes by it: fields and their
 * defaults, faults, fuzzed answers, hostile input, tools and previews.
 */

import type { INodeParameters } from 'n8n-workflow';

import type { Service } from './emulator/service.mts';
import type { WireRequest } from './emulator/wireLog.mts';
import type { OurNode } from './support/node/engine.mts';
import { fixtures as ownFixtures, known } from './support/leads/expected.mts';

/** An operation, and one way to run it. */
export interface Sample {
	/** Its name in the panel. */
	label: string;
	node: OurNode;
	operation: string;
	endpoint: NonNullable<WireRequest['operation']>;
	/** What it costs, as the canvas says. */
	cost: string;
	/** Of a lookup: the most questions of one request; interface specification 8. */
	perRequest?: number;
	/** Whether it gives each item one item, with a status. */
	isLookup: boolean;
	/** Of a lookup, what it sets in every item. */
	columns?: string[];
	/** The endpoint that reads a job: of one that a lookup may leave, or that a read is given. */
	job?: Sample['endpoint'];
	/** The setting of the credential for the form of its request, which only a paid request would show to be right. */
	form?: string;
	/** The fields that users see, with their defaults in a workflow: n8n does not save these. */
	fields: Record<string, unknown>;
	/** The options that an agent may set, where these are others. */
	toolOptions?: string[];
	/** The fields that the model of an agent fills in, as long as nobody does. */
	byModel?: string[];
	/** Of a tool, some fields that Selected Fields offers. */
	toolOutput?: string[];
	/** What it is run with, and has an answer for. */
	parameters: INodeParameters;
	/** The fields that take a text: what a good item has there, and the other parameters where not as above. */
	texts: Record<string, [good: string | number, others?: INodeParameters]>;
}

/** A list as picked from the dropdown: a typed ID n8n checks by a regular expression, with little time for it. */
export function listWithId(value: string): INodeParameters {
	return { __rl: true, mode: 'list', value };
}

/** People whom the finder knows, each of another company: items with fields as the panel expects them. */
export function peopleIn({ fixtures }: Pick<Service, 'fixtures'>, length: number) {
	const people = fixtures.companies.flatMap((company) => {
		const { domain } = company;
		const person = fixtures.peopleOf(company).find(({ email }) => email !== null);
		return person?.email ? [{ fullName: person.full, domain, email: person.email }] : [];
	});
	return people.slice(0, length);
}

/** A field that begins with what the items of this package have there. */
const item = (name: string) => `={{ $json.${name} }}`;

const simple = { 'options.simple': true };
const limits = (limit: number) => ({ returnAll: false, limit });
const list = { listId: { mode: 'list', value: '' } };
const leadOptions = { 'options.email': 'all' };
/** What can be added in place of what is recognized. */
const ofLead = (...names: string[]) =>
	Object.fromEntries(names.map((name) => [`leadFields.${name}`, '']));
const person = ofLead('domain', 'company', 'existingEmail', 'firstName', 'fullName', 'lastName');
const address = ofLead('email', 'existingStatus');
const emailColumns = ['lookupStatus', 'email', 'emailStatus', 'lookupCredits', 'checkedAt'];
const verifierColumns = [...emailColumns, 'mailboxType'];
const panel = { manualLimit: 10 };
const refresh = { 'options.refreshAfterDays': 90 };
const lookupOptions = {
	'options.includeInputFields': true,
	'options.lookUpIf': true,
	'options.keepCredits': 100,
	'options.maxCredits': 100,
	'options.advanced.incompleteRun': 'return',
	'options.advanced.maxConcurrency': 5,
	'options.advanced.maxRateLimitWait': 15,
	'options.advanced.maxRetries': 4,
	'options.advanced.simple': true,
};
const finderOptions = {
	...{ ...lookupOptions, ...refresh },
	...{ 'options.country': '', 'options.keepEmailIf': 'any' },
};
const verifierOptions = { ...lookupOptions, ...refresh };
const toolOptions = ['keepCredits', 'maxCredits'];

/** Every operation, the lookups first. */
function all({ fixtures }: Pick<Service, 'fixtures'>): Sample[] {
	const [company] = fixtures.companies;
	const { domain } = company;
	const lead = known(fixtures.peopleOf(company).find((one) => one.email !== null));
	const [who, email] = [{ fullName: lead.full, domain }, known(lead.email)];
	const listId = listWithId('102');
	const named = { firstName: lead.first, lastName: lead.last, domain };
	const ofPerson: Sample['texts'] = {
		fullName: [lead.full],
		firstName: [lead.first, named],
		lastName: [lead.last, named],
		domain: [domain],
		company: [company.name, { fullName: lead.full }],
		country: ['Peru'],
		existingEmail: [''],
	};
	const ofEmail: Sample['texts'] = { email: [email], existingStatus: [''] };
	const filtered = { companyWebsite: domain, limit: 1, titleMatch: 'any', locationMatch: 'any' };
	return [
		sample('Find Email', 'Finder find', 'find', {
			cost: '1 credit per email found',
			perRequest: 1,
			columns: emailColumns,
			form: 'Company Name Parameter',
			toolOutput: ['email', 'companyData'],
			fields: { ...person, ...panel, ...finderOptions, 'options.includeCompanyData': false },
			byModel: ['fullName', 'domain', 'company'],
			toolOptions: ['country', 'includeCompanyData', ...toolOptions],
			parameters: { ...who, options: { includeCompanyData: true } },
			texts: ofPerson,
		}),
		sample('Find Emails in Bulk', 'Finder findBulk', 'findBulk', {
			cost: '1 credit per email found',
			perRequest: 100,
			columns: emailColumns,
			job: 'getBulkJob',
			form: 'Bulk Finder Body',
			fields: { ...person, ...panel, ...finderOptions, 'options.advanced.jobTimeout': 30 },
			byModel: ['fullName', 'domain', 'company'],
			parameters: who,
			texts: ofPerson,
		}),
		sample('Verify Email', 'Verifier verify', 'verify', {
			cost: '1 credit per email',
			perRequest: 1,
			columns: verifierColumns,
			toolOutput: ['emailStatus', 'personData'],
			fields: { ...address, ...panel, ...verifierOptions, 'options.enrich': false },
			byModel: ['email'],
			toolOptions: ['enrich', ...toolOptions],
			parameters: { email, options: { enrich: true } },
			texts: ofEmail,
		}),
		sample('Verify Emails in Bulk', 'Verifier verifyBulk', 'verifyBulk', {
			cost: '1 credit per email',
			perRequest: 50,
			columns: verifierColumns,
			form: 'Bulk Verifier Query',
			fields: { ...address, ...panel, ...verifierOptions },
			byModel: ['email'],
			parameters: { email },
			texts: ofEmail,
		}),
		sample('Search Company', 'Company searchCompany', 'searchCompany', {
			cost: 'credits per match',
			perRequest: 1,
			columns: ['companyStatus', 'companyData', 'companyCredits', 'companyCheckedAt'],
			toolOutput: ['companyStatus', 'companyData'],
			fields: { ...ofLead('keyword'), returnAllMatches: false, ...panel, ...lookupOptions },
			byModel: ['keyword'],
			toolOptions,
			parameters: { keyword: domain },
			texts: { keyword: [domain] },
		}),
		sample('Get Bulk Job', 'Finder getBulkJob', 'getBulkJob', {
			job: 'getBulkJob',
			fields: { jobId: '', ...simple },
			parameters: { jobId: item('lookupJobId') },
			texts: { jobId: [''] },
		}),
		sample('Get Account', 'Account get', 'getAccount', {
			fields: simple,
			toolOutput: ['plan', 'credits'],
		}),
		sample('Check API', 'Account check', 'getAccount', { fields: {} }),
		sample('Get Many Lists', 'List getAll', 'getLists', {
			toolOutput: ['id', 'name'],
			fields: { ...limits(50), ...simple },
			parameters: { returnAll: true },
			texts: { limit: [1, {}] },
		}),
		sample('Get List', 'List get', 'getList', {
			toolOutput: ['name', 'leadCount'],
			fields: { ...list, ...simple },
			parameters: { listId },
			texts: { listId: ['102'] },
		}),
		sample('Get List Leads', 'List getLeads', 'getListLeads', {
			toolOutput: ['email', 'fullName'],
			fields: { ...list, ...limits(50), ...simple, ...leadOptions, 'options.keyword': '' },
			parameters: { listId, returnAll: true },
			texts: {
				listId: ['102', { limit: 1 }],
				keyword: [known(fixtures.list(102)).leads[0].person.first, { listId, limit: 1 }],
				limit: [1, { listId }],
			},
		}),
		sample('Export List Leads', 'List exportLeads', 'exportLeads', {
			toolOutput: ['title', 'company'],
			fields: { ...list, ...simple, ...leadOptions },
			parameters: { listId },
			texts: { listId: ['102'] },
		}),
		sample('Estimate Cost', 'Finder estimate', 'getAccount', {
			fields: { ...person, ...finderOptions },
			byModel: ['fullName', 'domain', 'company'],
			parameters: who,
		}),
		sample('Estimate Cost', 'Verifier estimate', 'getAccount', {
			fields: { ...address, ...verifierOptions },
			byModel: ['email'],
			parameters: { email },
		}),
		sample('Get Company Leads', 'Company getLeads', 'getCompanyLeads', {
			cost: 'may cost credits',
			toolOutput: ['fullName', 'email'],
			fields: {
				...ofLead('companyName', 'companyWebsite'),
				...{ title: '', titleMatch: 'all', location: '', locationMatch: 'all' },
				...limits(10),
				'options.includeInputFields': true,
				...simple,
				'options.lookUpIf': true,
				'options.maxRateLimitWait': 15,
			},
			byModel: ['companyWebsite', 'companyName'],
			parameters: { companyWebsite: domain, limit: 3 },
			texts: {
				companyWebsite: [domain, { limit: 1 }],
				companyName: [company.name, { limit: 1 }],
				title: ['', filtered],
				location: ['', filtered],
			},
		}),
	];
}

function sample(
	label: string,
	name: string,
	endpoint: Sample['endpoint'],
	{ parameters, ...own }: Partial<Sample> & Pick<Sample, 'fields'>,
): Sample {
	const [type, operation] = name.split(' ');
	const [node, resource] = NODES[type];
	return {
		...{ label, node, operation, endpoint, cost: 'free', texts: {} },
		isLookup: own.perRequest !== undefined,
		parameters: { resource, operation, ...parameters },
		...own,
	};
}

const NODES: Record<string, [node: OurNode, resource: string]> = {
	Account: ['contactDataAccount', 'account'],
	List: ['contactDataList', 'list'],
	Finder: ['contactDataFinder', 'email'],
	Verifier: ['contactDataVerifier', 'email'],
	Company: ['contactDataCompany', 'company'],
};

/** Whether it reads a job, which somebody has to leave first. */
export const readsJob = ({ isLookup, job }: Sample) => !isLookup && job !== undefined;

/** Every operation with parameters that the emulated service has an answer for, but those that read a job. */
export function everyOperation(
	service: Pick<Service, 'fixtures'> = { fixtures: ownFixtures },
): Sample[] {
	return all(service).filter((sample) => !readsJob(sample));
}

/** Every operation, with the fixtures of a service as it starts. */
export const operations = all({ fixtures: ownFixtures });

/** All rows of the job with this id. */
export function bulkJob(jobId: string): Sample {
	const job = known(operations.find(readsJob));
	return { ...job, parameters: { ...job.parameters, jobId } };
}

/** An operation by its name; those of several nodes by their node, too. */
export function operationOf(name: string, type?: OurNode): Sample {
	return known(operations.find((one) => one.operation === name && one.node === (type ?? one.node)));
}

/** The parameters of an operation that reads what it looks up from its items, by the panel's own expressions. */
export function ofItems({ parameters }: Sample): INodeParameters {
	const { fullName, domain, email, keyword, companyWebsite, ...others } = parameters;
	return { ...others, existingEmail: '', existingStatus: '' };
}

/** The parameters of an operation with this in one of its fields that take a text. */
export function withField(
	{ operation, fields, texts, parameters }: Sample,
	name: string,
	value: string,
): INodeParameters {
	const { options, ...own } = texts[name][1] ?? parameters;
	const isOption = `options.${name}` in fields;
	const set = { [name]: name === 'listId' ? listWithId(value) : value };
	const all = { ...Object(options), ...(isOption && set) };
	return { operation, ...own, ...(!isOption && set), options: all };
}
