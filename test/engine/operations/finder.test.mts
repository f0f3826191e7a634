/** @file The operations of the Finder node: what goes over the wire, the whole output, and the credits. */

import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';

import {
	companyFields,
	foundEmail,
	foundRow,
	notFound,
	unfindable,
} from '../../support/leads/expected.mts';
import {
	catchAll,
	company,
	estimateRow,
	ofEachStatus,
	valid,
} from '../../support/node/operationCases.mts';
import {
	acceptJob,
	get,
	post,
	testOperations,
	type Row,
} from '../../support/node/operationRow.mts';

const findOf = (query: Record<string, string>) => get('/api/v2/find', query);

const atCompany = { fullName: valid.full, domain: company.domain };
const missed = { fullName: unfindable.full, domain: unfindable.company.domain };
const ofEach = ofEachStatus.map(({ full, company: { domain } }) => ({ fullName: full, domain }));
const byNameOfCompany = { fullName: valid.full, company: company.name };
const bothNames = { firstName: valid.first, lastName: valid.last, domain: company.domain };

/** A search for one person that finds somebody. */
const findRow = (title: string, sent: Record<string, string>, more: Partial<Row> = {}): Row => ({
	title,
	parameters: sent,
	requests: [findOf(sent)],
	output: [foundEmail(valid, sent)],
	credits: 1,
	...more,
});

/** The same with Include Company Data. */
const companyRow = (title: string, asked: typeof atCompany, output: IDataObject): Row =>
	findRow(title, asked, {
		parameters: { ...asked, options: { includeCompanyData: true } },
		requests: [findOf({ ...asked, includeCompanyData: 'true' })],
		output: [output],
		credits: output.lookupStatus === 'found' ? 1 : 0,
	});

const pasted = ` https://www.${company.domain.toUpperCase()}:8080/?utm=1#top`;
const everything = { ...atCompany, company: company.name, country: 'Costa Rica' };
const { country, ...withoutCountry } = everything;

const findRows: Row[] = [
	findRow('full name and domain', atCompany),
	findRow('company name in `company`', byNameOfCompany),
	findRow('domain, company and country', everything, {
		parameters: { ...withoutCountry, options: { country } },
	}),
	{
		title: 'fields that are read without being set, for each status',
		items: ofEach,
		requests: ofEach.map(findOf),
		output: ofEachStatus.map((person, index) => foundEmail(person, ofEach[index])),
		credits: 4,
	},
	companyRow('company data', atCompany, {
		...foundEmail(valid, atCompany),
		companyData: companyFields(company),
	}),
	companyRow('company data requested, but there is no address', missed, {
		...notFound(missed),
		companyData: null,
	}),
];

const BULK = '/api/v2/find_bulk';

const missedInParts = {
	firstName: unfindable.first,
	lastName: unfindable.last,
	company: unfindable.company.name,
};
const ofCatchAll = { fullName: catchAll.full, domain: catchAll.company.domain };

/** A hit, a miss, the hit once more, and a hit with another status: each question goes out once. */
const people: IDataObject[] = [atCompany, missedInParts, atCompany, ofCatchAll];
const peopleRows = [
	{ tId: 1, name: valid.full, domain: company.domain },
	{ tId: 2, ...missedInParts },
	{ tId: 3, name: catchAll.full, domain: catchAll.company.domain },
];

/** The same items and the same output in another form of the interface. */
const bulkRow = (title: string, more: Partial<Row> = {}): Row => ({
	title,
	items: people,
	requests: [post(BULK, peopleRows)],
	output: [
		foundEmail(valid, atCompany),
		notFound(missedInParts),
		foundEmail(valid, atCompany),
		foundEmail(catchAll, ofCatchAll),
	],
	credits: 2,
	...more,
});

/** The service numbers its jobs from here on. */
const JOB = 9_001;
const pollByPath = get(`${BULK}/${JOB}`);
const pollByQuery = get(BULK, { id: String(JOB) });
const inFull = { ...bothNames, company: company.name, country };

const findBulkRows: Row[] = [
	bulkRow('main form: a list of rows'),
	bulkRow('names first and last, pasted domain, country', {
		parameters: { options: { country } },
		items: [{ ...inFull, fullName: `Countess ${inFull.lastName}`, domain: pasted }],
		requests: [post(BULK, [{ tId: 1, ...inFull }])],
		output: [foundEmail(valid, inFull)],
		credits: 1,
	}),
	bulkRow('a job, read by its path (2.9)', {
		variants: { bulkAnswer: 'job', jobPolls: 1 },
		requests: [post(BULK, peopleRows), pollByPath, pollByPath],
	}),
	...([404, 405] as const).map((jobPollRefusal) =>
		bulkRow(`a job, read by its query after a ${jobPollRefusal}`, {
			variants: { bulkAnswer: 'job', jobPollForm: 'query', jobPollRefusal, jobPolls: 0 },
			requests: [post(BULK, peopleRows), pollByPath, pollByQuery],
		}),
	),
];

/** Each row of the job names the person as the service does. */
const rowsOfJob = [
	foundRow(valid),
	notFound({ ...missedInParts, fullName: null, domain: null }),
	foundRow(catchAll),
];
const emails = [valid.email, '', catchAll.email];
const jobRow = (title: string, more: Partial<Row> = {}): Row => ({
	title,
	parameters: { jobId: String(JOB) },
	before: async (service) => await acceptJob(service, ...peopleRows),
	requests: [pollByPath],
	output: rowsOfJob,
	...more,
});

const getBulkJobRows: Row[] = [
	jobRow('every row, named as the service names it'),
	jobRow('with Simplify off as it was sent', {
		parameters: { jobId: ` ${JOB} `, simple: false },
		output: peopleRows.map((row, index) =>
			expect.objectContaining({ ...row, email: emails[index] }),
		),
	}),
	jobRow('of two items that name the same job, as a number: read once', {
		parameters: { jobId: '={{ $json.job }}' },
		items: [{ job: JOB, crmId: 7 }, { job: JOB }],
		output: [...rowsOfJob, ...rowsOfJob],
		links: [0, 0, 0, 1, 1, 1],
	}),
];

testOperations('contactDataFinder', {
	find: findRows,
	findBulk: findBulkRows,
	getBulkJob: getBulkJobRows,
	estimate: [estimateRow(atCompany)],
});
