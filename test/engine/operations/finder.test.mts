import type { IDataObject } from 'n8n-workflow';
import { request } from 'undici';
import { expect, test } from 'vitest';
import type { Service } from '../../service/service.mts';
import type { Variants } from '../../service/variants.mts';
import { runNode } from '../../support/engine.mts';
import {
	companyFields,
	foundEmail,
	foundRow,
	known,
	nothingFound,
	notFound,
	unfindable,
} from '../../support/expected.mts';
import {
	catchAll,
	company,
	estimateRows,
	headers,
	invalid,
	ofEachStatus,
	testOperations,
	unknown,
	valid,
	type LaterRow,
} from '../../support/operationCases.mts';
import { get, item, objectOf, objectsOf, post, type Row } from '../../support/operationRow.mts';
import { credentialFor, useService } from '../../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

const findOf = (query: Record<string, string>) => get('/api/v2/find', query);

const atCompany = { fullName: valid.full, domain: company.domain };
const missed = { fullName: unfindable.full, domain: unfindable.company.domain };

const statusWords: Array<[string, Partial<Variants>]> = [
	['current', { finderVocabulary: 'current' }],
	['current, upper case', { finderVocabulary: 'current', finderLetterCase: 'upper' }],
	['current, capital letter', { finderVocabulary: 'current', finderLetterCase: 'capital' }],
	['ok, nok, oka', { finderVocabulary: 'earlier' }],
	['OK, NOK, OKA', { finderVocabulary: 'earlier', finderLetterCase: 'upper' }],
	['Ok, Nok, Oka', { finderVocabulary: 'earlier', finderLetterCase: 'capital' }],
];

const misses: Array<[string, Variants['finderMiss']]> = [
	['404', 'not-found'],
	['empty email', 'empty'],
	['email null', 'null'],
	['no email', 'missing'],
];

const deliverability = new Map([
	[valid, { result: 'deliverable', accuracy: 95 }],
	[catchAll, { result: 'risky', accuracy: 60 }],
	[invalid, { result: 'undeliverable', accuracy: 60 }],
	[unknown, { result: 'unknown', accuracy: 60 }],
]);

const personFields = {
	fullName: '={{ $json.fullName }}',
	firstName: '={{ $json.firstName }}',
	lastName: '={{ $json.lastName }}',
	domain: '={{ $json.domain }}',
	company: '={{ $json.company }}',
};

const findRows: Row[] = [
	{
		title: 'full name and domain',
		parameters: atCompany,
		requests: [findOf(atCompany)],
		rawQueries: [`fullName=${encodeURIComponent(valid.full)}&domain=${company.domain}`],
		output: [item(0, foundEmail(valid, atCompany))],
		credits: 1,
	},
	{
		title: 'first and last name win over the full name',
		parameters: {
			fullName: 'Somebody Else',
			firstName: catchAll.first,
			lastName: catchAll.last,
			domain: catchAll.company.domain,
		},
		requests: [
			findOf({
				firstName: catchAll.first,
				lastName: catchAll.last,
				domain: catchAll.company.domain,
			}),
		],
		output: [
			item(
				0,
				foundEmail(catchAll, {
					firstName: catchAll.first,
					lastName: catchAll.last,
					fullName: catchAll.full,
					domain: catchAll.company.domain,
				}),
			),
		],
		credits: 1,
	},
	...(['firstName', 'lastName'] as const).map(
		(only): Row => ({
			title: `full name, when of the two others only ${only} is filled`,
			parameters: { ...atCompany, [only]: 'Ada' },
			requests: [findOf(atCompany)],
			output: [item(0, foundEmail(valid, atCompany))],
			credits: 1,
		}),
	),
	...[
		`https://www.${company.domain}/about`,
		`http://${company.domain}:8080/?utm=1#top`,
		`WWW.${company.domain.toUpperCase()}/`,
		` ${company.domain} `,
	].map(
		(pasted): Row => ({
			title: `pasted as domain: "${pasted}"`,
			parameters: { fullName: valid.full, domain: pasted },
			requests: [findOf(atCompany)],
			output: [item(0, foundEmail(valid, atCompany))],
			credits: 1,
		}),
	),
	{
		title: 'company name in `company`',
		parameters: { fullName: valid.full, company: company.name },
		requests: [findOf({ fullName: valid.full, company: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'company name in `companyName` (4.5)',
		parameters: { fullName: valid.full, company: company.name },
		settings: { companyNameParameter: 'companyName' },
		variants: { finderCompanyParameter: 'companyName' },
		requests: [findOf({ fullName: valid.full, companyName: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'interface settings count only when Customize Interface is on',
		parameters: { fullName: valid.full, company: company.name },
		settings: { customizeInterface: false, companyNameParameter: 'companyName' },
		requests: [findOf({ fullName: valid.full, company: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'domain, company and country',
		parameters: { ...atCompany, company: company.name, options: { country: 'Costa Rica' } },
		requests: [findOf({ ...atCompany, company: company.name, country: 'Costa Rica' })],
		output: [
			item(0, foundEmail(valid, { ...atCompany, company: company.name, country: 'Costa Rica' })),
		],
		credits: 1,
	},
	...statusWords.map(
		([words, variants]): Row => ({
			title: `status words: ${words}`,
			parameters: { fullName: '={{ $json.name }}', domain: '={{ $json.at }}' },
			items: ofEachStatus.map((person) => ({ name: person.full, at: person.company.domain })),
			variants,
			inAnyOrder: true,
			requests: ofEachStatus.map((person) =>
				findOf({ fullName: person.full, domain: person.company.domain }),
			),
			output: ofEachStatus.map((person, index) =>
				item(index, foundEmail(person, { fullName: person.full, domain: person.company.domain })),
			),
			credits: 4,
		}),
	),
	{
		title: 'result, accuracy, firstName, lastName, companyName (2.6, 2.7)',
		parameters: { fullName: '={{ $json.name }}', domain: '={{ $json.at }}' },
		items: ofEachStatus.map((person) => ({ name: person.full, at: person.company.domain })),
		variants: { finderExtras: true },
		inAnyOrder: true,
		requests: ofEachStatus.map((person) =>
			findOf({ fullName: person.full, domain: person.company.domain }),
		),
		output: ofEachStatus.map((person, index) =>
			item(
				index,
				foundEmail(person, {
					...deliverability.get(person),
					firstName: person.first,
					lastName: person.last,
					fullName: person.full,
					company: person.company.name,
					domain: person.company.domain,
				}),
			),
		),
		credits: 4,
	},
	...(['companyData', 'company'] as const).map(
		(finderCompanyDataKey): Row => ({
			title: `company data under ${finderCompanyDataKey}`,
			parameters: { ...atCompany, options: { includeCompanyData: true } },
			variants: { finderCompanyDataKey },
			requests: [findOf({ ...atCompany, includeCompanyData: 'true' })],
			output: [item(0, { ...foundEmail(valid, atCompany), companyData: companyFields(company) })],
			credits: 1,
		}),
	),
	{
		title: 'company data asked for, but there is no address',
		parameters: { ...missed, options: { includeCompanyData: true } },
		requests: [findOf({ ...missed, includeCompanyData: 'true' })],
		output: [item(0, { ...notFound(missed), companyData: null })],
	},
	...misses.map(
		([form, finderMiss]): Row => ({
			title: `no address: ${form}`,
			parameters: missed,
			variants: { finderMiss },
			requests: [findOf(missed)],
			output: [item(0, notFound(missed))],
		}),
	),
	{
		title: 'no address, first and last name are echoed',
		parameters: {
			firstName: unfindable.first,
			lastName: unfindable.last,
			company: unfindable.company.name,
			options: { country: 'Japan' },
		},
		requests: [
			findOf({
				firstName: unfindable.first,
				lastName: unfindable.last,
				company: unfindable.company.name,
				country: 'Japan',
			}),
		],
		output: [
			item(
				0,
				notFound({
					firstName: unfindable.first,
					lastName: unfindable.last,
					fullName: unfindable.full,
					company: unfindable.company.name,
					country: 'Japan',
				}),
			),
		],
	},
	{
		title: 'input fields before those of the result, for a hit and a miss',
		parameters: { ...personFields, includeInputFields: true },
		items: [
			{ crmId: 7, ...atCompany, email: 'old@address.example' },
			{ crmId: 8, ...missed, email: 'old@address.example' },
		],
		inAnyOrder: true,
		requests: [findOf(atCompany), findOf(missed)],
		output: [
			item(0, { crmId: 7, ...foundEmail(valid, atCompany) }),
			// A miss erases nothing.
			item(1, { crmId: 8, ...notFound(missed), email: 'old@address.example' }),
		],
		credits: 1,
	},
	{
		title: 'what cannot be looked up is not sent',
		parameters: personFields,
		items: [{ domain: company.domain }, { fullName: valid.full }, atCompany],
		onError: 'continueRegularOutput',
		requests: [findOf(atCompany)],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'missing: Full Name (or First Name and Last Name)',
				message: expect.any(String),
				domain: company.domain,
			}),
			item(1, {
				status: 'invalid_input',
				reason: 'missing: Company Domain (or Company Name)',
				message: expect.any(String),
				fullName: valid.full,
			}),
			item(2, foundEmail(valid, atCompany)),
		],
		credits: 1,
	},
	{
		title: 'the same person in two items is paid once, whatever the letter case of the domain',
		parameters: personFields,
		items: [atCompany, { ...atCompany, domain: company.domain.toUpperCase() }],
		requests: [findOf(atCompany)],
		output: [item(0, foundEmail(valid, atCompany)), item(1, foundEmail(valid, atCompany))],
		credits: 1,
	},
	...(
		[
			{},
			{ finderExtras: true },
			{ finderCompanyDataKey: 'company' },
			{ finderVocabulary: 'earlier', finderLetterCase: 'upper' },
		] satisfies Array<Partial<Variants>>
	).map(
		(variants): Row => ({
			title: `not simplified, ${JSON.stringify(variants)}`,
			parameters: { ...atCompany, simple: false, options: { includeCompanyData: true } },
			variants,
			requests: [findOf({ ...atCompany, includeCompanyData: 'true' })],
			output: ([answer]) => [item(0, objectOf(answer))],
			credits: 1,
		}),
	),
	...misses.map(
		([form, finderMiss]): Row => ({
			title: `not simplified, no address: ${form}`,
			parameters: { ...missed, simple: false },
			variants: { finderMiss },
			requests: [findOf(missed)],
			output: [item(0, notFound(missed))],
		}),
	),
	{
		title: 'not simplified, with the input fields',
		parameters: { ...personFields, simple: false, includeInputFields: true },
		items: [{ crmId: 7, ...atCompany }],
		requests: [findOf(atCompany)],
		output: ([answer]) => [item(0, { crmId: 7, ...atCompany, ...objectOf(answer) })],
		credits: 1,
	},
];

const BULK = '/api/v2/find_bulk';

const missedInParts = {
	firstName: unfindable.first,
	lastName: unfindable.last,
	company: unfindable.company.name,
};

/** The rows of {@link people} in their job: the third repeats the first. */
const jobRows = [1, 2, 1, 3];

/** A case with a job: the service numbers them, so the row depends on the number. */

/** A hit, a miss, the hit once more, and a hit with another status. */
const people: IDataObject[] = [
	atCompany,
	missedInParts,
	atCompany,
	{ fullName: catchAll.full, domain: catchAll.company.domain },
];

/** The rows that go out for them: each question once. */
const peopleRows = [
	{ tId: 1, name: valid.full, domain: company.domain },
	{ tId: 2, ...missedInParts },
	{ tId: 3, name: catchAll.full, domain: catchAll.company.domain },
];

const missedRow = notFound({ ...missedInParts, fullName: unfindable.full });
const peopleFound = [
	item(0, foundRow(valid)),
	item(1, missedRow),
	item(2, foundRow(valid)),
	item(3, foundRow(catchAll)),
];

/** The same items and the same output in another form of the interface. */
function bulkRow(title: string, variants: Partial<Variants>, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: personFields,
		items: people,
		variants,
		requests: [post(BULK, peopleRows)],
		output: peopleFound,
		credits: 2,
		...more,
	};
}

const accepted = post(BULK, peopleRows);
const pollByPath = (job: number) => get(`${BULK}/${job}`);
const pollByQuery = (job: number) => get(BULK, { id: String(job) });

/** The same items and the same output from a job. */
function bulkLaterRow(
	title: string,
	variants: Partial<Variants>,
	more: (job: number) => Partial<Row>,
): LaterRow {
	return {
		title,
		rowOf: async (service) =>
			bulkRow(title, { bulkAnswer: 'job', ...variants }, more(await nextJob(service))),
	};
}

/** The service's own rows, for the items of {@link people}. */
function ownRows(rows: IDataObject[]) {
	const row = (tId: number) => known(rows.find((one) => Number(one.tId) === tId));
	return [item(0, row(1)), item(1, missedRow), item(2, row(1)), item(3, row(3))];
}

const findBulkRows: Array<Row | LaterRow> = [
	bulkRow('main form: a list of rows', {}),
	bulkRow(
		'an object with people (4.6)',
		{ bulkBody: 'people' },
		{
			settings: { bulkFinderBody: 'people' },
			requests: [post(BULK, { people: peopleRows })],
		},
	),
	bulkRow('tId comes back as a number', { bulkIdType: 'number' }),
	bulkRow('tId comes back as text', { bulkIdType: 'text' }),
	bulkRow('companyNetworkid (2.8)', { bulkCompanyIdSpelling: 'companyNetworkid' }),
	bulkRow(
		'no status_message (2.8)',
		{ bulkStatusMessage: false },
		{
			output: peopleFound.map((found) => ({
				...found,
				json: { ...found.json, emailStatusMessage: null },
			})),
		},
	),
	...misses.map(([form, finderMiss]) => bulkRow(`no address: ${form}`, { finderMiss })),
	...statusWords.map(([words, variants]) => bulkRow(`status words: ${words}`, variants)),
	bulkRow(
		'result in the quality object (2.6)',
		{ finderExtras: true },
		{
			output: [
				item(0, { ...foundRow(valid), result: 'deliverable' }),
				item(1, missedRow),
				item(2, { ...foundRow(valid), result: 'deliverable' }),
				item(3, { ...foundRow(catchAll), result: 'risky' }),
			],
		},
	),
	bulkRow(
		'rows in another order',
		{},
		{ fault: { rows: 'shuffled', on: { operation: 'findBulk' } } },
	),
	{
		title: 'names first and last, pasted domain, country',
		parameters: { ...personFields, options: { country: 'Poland' } },
		items: [
			{
				fullName: 'Somebody Else',
				firstName: valid.first,
				lastName: valid.last,
				domain: `https://www.${company.domain}/about`,
				company: company.name,
			},
		],
		requests: [
			post(BULK, [
				{
					tId: 1,
					firstName: valid.first,
					lastName: valid.last,
					domain: company.domain,
					company: company.name,
					country: 'Poland',
				},
			]),
		],
		output: [item(0, { ...foundRow(valid), country: 'Poland' })],
		credits: 1,
	},
	{
		title: 'input fields before those of the result, and what cannot be looked up is not sent',
		parameters: { ...personFields, includeInputFields: true },
		items: [{ crmId: 7, ...atCompany, email: 'old@address.example' }, { crmId: 8 }],
		requests: [post(BULK, [{ tId: 1, name: valid.full, domain: company.domain }])],
		output: [
			item(0, { crmId: 7, ...foundRow(valid) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason:
					'missing: Full Name (or First Name and Last Name) and Company Domain (or Company Name)',
				message: expect.any(String),
			}),
		],
		credits: 1,
	},
	bulkRow(
		'not simplified',
		{ finderExtras: true, bulkIdType: 'text' },
		{
			parameters: { ...personFields, simple: false },
			output: ([answer]) => ownRows(objectsOf(answer)),
		},
	),
	bulkLaterRow('a job, asked for by its path (2.9)', { jobPolls: 1 }, (job) => ({
		requests: [accepted, pollByPath(job), pollByPath(job)],
	})),
	...([404, 405] as const).map((jobPollRefusal) =>
		bulkLaterRow(
			`a job, asked for by its query after a ${jobPollRefusal}`,
			{ jobPollForm: 'query', jobPollRefusal, jobPolls: 0 },
			(job) => ({ requests: [accepted, pollByPath(job), pollByQuery(job)] }),
		),
	),
	...(['results', 'people', 'data', 'rows'] as const).map((jobResultShape) =>
		bulkLaterRow(
			`a job with its rows under ${jobResultShape}`,
			{ jobResultShape, jobPolls: 0, bulkIdType: 'text' },
			(job) => ({ requests: [accepted, pollByPath(job)] }),
		),
	),
	bulkLaterRow(
		'a job, with the rows in an object with people',
		{ bulkBody: 'people', jobPolls: 0 },
		(job) => ({
			settings: { bulkFinderBody: 'people' },
			requests: [post(BULK, { people: peopleRows }), pollByPath(job)],
		}),
	),
	bulkLaterRow('a job, not simplified', { jobResultShape: 'rows', jobPolls: 0 }, (job) => ({
		parameters: { ...personFields, simple: false },
		requests: [accepted, pollByPath(job)],
		output: ([, answer]) => ownRows(objectsOf(answer, 'rows')),
	})),
	bulkLaterRow('a job that fails', { jobOutcome: 'failed', jobPolls: 0 }, (job) => ({
		onError: 'continueRegularOutput',
		requests: [accepted, pollByPath(job)],
		output: people.map((person, index) =>
			item(index, {
				status: 'failed',
				reason: 'job_failed',
				httpCode: null,
				message: expect.stringMatching(`${job}.*failed`),
				jobId: String(job),
				jobRow: jobRows[index],
				...person,
			}),
		),
		credits: 0,
	})),
	bulkLaterRow('a job that is not finished in time', { jobPolls: 9 }, (job) => ({
		parameters: { ...personFields, options: { jobTimeout: 0 } },
		onError: 'continueRegularOutput',
		requests: [accepted, pollByPath(job)],
		output: people.map((person, index) =>
			item(index, {
				status: 'pending',
				jobId: String(job),
				jobRow: jobRows[index],
				reason: expect.any(String),
				message: expect.stringContaining('Get Bulk Job'),
				...person,
			}),
		),
	})),
];

/** Sends the rows of {@link people}, as a node did that did not wait for the job; gives its number. */
async function acceptJob({ baseUrl, variants }: Service): Promise<number> {
	variants.bulkAnswer = 'job';
	const { body } = await request(`${baseUrl}${BULK}`, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify(peopleRows),
	});
	return Number(objectOf(await body.json()).id);
}

/** The job that comes next: they are numbered one after the other. */
async function nextJob(service: Service): Promise<number> {
	return (await acceptJob(service)) + 1;
}

/** What Get Bulk Job gives for them. The miss has what the service repeats of the question. */
const jobItems = [
	item(0, foundRow(valid)),
	item(0, { status: 'not_found', ...nothingFound, ...missedInParts, fullName: unfindable.full }),
	item(0, foundRow(catchAll)),
];

function jobRow(
	title: string,
	variants: Partial<Variants>,
	more: (job: number) => Partial<Row> = () => ({}),
): LaterRow {
	return {
		title,
		rowOf: async (service) => {
			const job = await nextJob(service);
			return {
				title,
				parameters: { jobId: String(job) },
				variants: { bulkAnswer: 'job', jobPolls: 0, ...variants },
				before: acceptJob,
				requests: [pollByPath(job)],
				output: jobItems,
				...more(job),
			};
		},
	};
}

const getBulkJobRows: LaterRow[] = [
	jobRow('a bare list of rows', {}),
	...(['results', 'people', 'data', 'rows'] as const).map((jobResultShape) =>
		jobRow(`rows under ${jobResultShape}`, { jobResultShape }),
	),
	...([404, 405] as const).map((jobPollRefusal) =>
		jobRow(
			`asked for by its query after a ${jobPollRefusal}`,
			{ jobPollForm: 'query', jobPollRefusal },
			(job) => ({ requests: [pollByPath(job), pollByQuery(job)] }),
		),
	),
	...misses.map(([form, finderMiss]) => jobRow(`no address: ${form}`, { finderMiss })),
	jobRow('companyNetworkid (2.8)', { bulkCompanyIdSpelling: 'companyNetworkid' }),
	jobRow(
		'no status_message, status words OK, NOK, OKA',
		{ bulkStatusMessage: false, finderVocabulary: 'earlier', finderLetterCase: 'upper' },
		() => ({
			output: jobItems.map((found) => ({
				...found,
				json: { ...found.json, emailStatusMessage: null },
			})),
		}),
	),
	jobRow('the same job in two items, as a number', {}, (job) => ({
		parameters: { jobId: '={{ $json.jobId }}' },
		items: [{ jobId: job }, { jobId: job }],
	})),
	jobRow('still at work', { jobPolls: 9 }, (job) => ({
		onError: 'continueRegularOutput',
		output: [
			item(0, {
				status: 'pending',
				jobId: String(job),
				reason: expect.any(String),
				message: expect.any(String),
			}),
		],
	})),
	jobRow('failed', { jobOutcome: 'failed' }, (job) => ({
		onError: 'continueRegularOutput',
		output: [
			item(0, {
				status: 'failed',
				reason: 'job_failed',
				httpCode: null,
				message: expect.stringMatching(`${job}.*failed`),
				jobId: String(job),
			}),
		],
	})),
	jobRow('a job that the service does not have', {}, () => ({
		parameters: { jobId: '424242' },
		onError: 'continueRegularOutput',
		requests: [get(`${BULK}/424242`), get(BULK, { id: '424242' })],
		output: [
			item(0, {
				status: 'failed',
				reason: 'not_found',
				httpCode: 404,
				message: expect.any(String),
			}),
		],
	})),
	jobRow('without a job ID nothing is sent', {}, () => ({
		parameters: { jobId: '={{ $json.jobId }}' },
		items: [{}],
		onError: 'continueRegularOutput',
		requests: [],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'missing: Job ID',
				message: expect.any(String),
			}),
		],
	})),
	jobRow('not simplified, bare', {}, (job) => ({
		parameters: { jobId: String(job), simple: false },
		output: ([answer]) => objectsOf(answer).map((row) => item(0, row)),
	})),
	jobRow('not simplified, rows under data', { jobResultShape: 'data' }, (job) => ({
		parameters: { jobId: String(job), simple: false },
		output: ([answer]) => objectsOf(answer, 'data').map((row) => item(0, row)),
	})),
];

testOperations(service, 'contactDataFinder', {
	find: findRows,
	findBulk: findBulkRows,
	getBulkJob: getBulkJobRows,
	estimate: estimateRows({ fullName: valid.full, domain: company.domain }),
});

test('the input fields are in front, with the values of the result where both have one', async () => {
	const { json } = await runNode({
		node: 'contactDataFinder',
		parameters: { operation: 'find', ...atCompany, includeInputFields: true },
		items: [{ crmId: 7, email: 'old@address.example' }],
		credential: credentialFor(service()),
	});
	const [first] = json;
	expect(Object.keys(known(first)).slice(0, 3)).toEqual(['crmId', 'email', 'status']);
	expect(first?.email).toBe(valid.email);
});
