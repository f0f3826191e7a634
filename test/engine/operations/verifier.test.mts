import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { known, verified } from '../../support/expected.mts';
import {
	company,
	estimateRows,
	invalid,
	ofEachStatus,
	testOperations,
	valid,
} from '../../support/operationCases.mts';
import { get, item, objectOf, objectsOf, type Row } from '../../support/operationRow.mts';
import { useService } from '../../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

const verifyOf = (query: Record<string, string>) => get('/v3/verify', query);

/** An address that has not the form of one: answered without a request. */
const malformed = (email: string, domain: string | null): IDataObject => ({
	status: 'verified',
	email,
	emailStatus: 'invalid',
	message: expect.stringMatching(/not sent/i),
	result: null,
	format: 'invalid',
	mailboxStatus: null,
	mailboxType: null,
	mailExchange: null,
	emailDomain: domain,
});

const enriched = {
	result: 'deliverable',
	firstName: valid.first,
	lastName: valid.last,
	title: valid.title,
	company: company.name,
};
const notEnriched = { firstName: null, lastName: null, title: null, company: null };

const verifyRows: Row[] = [
	{
		title: 'each status',
		parameters: { email: '={{ $json.mail }}' },
		items: ofEachStatus.map(({ email }) => ({ mail: email })),
		inAnyOrder: true,
		requests: ofEachStatus.map(({ email }) => verifyOf({ email })),
		output: ofEachStatus.map(({ email }, index) => item(index, verified(email))),
		credits: 4,
	},
	...[
		['ada@freemail.example', 'webmail'],
		['ada@throwaway.example', 'temporary'],
	].map(
		([email, mailboxType]): Row => ({
			title: `mailbox type ${mailboxType}`,
			parameters: { email: known(email) },
			requests: [verifyOf({ email: known(email) })],
			output: [item(0, verified(known(email), mailboxType))],
			credits: 1,
		}),
	),
	{
		title: 'a plus sign is no space',
		parameters: { email: 'ada+lists@engine.example' },
		requests: [verifyOf({ email: 'ada+lists@engine.example' })],
		rawQueries: ['email=ada%2Blists%40engine.example'],
		output: [item(0, verified('ada+lists@engine.example'))],
		credits: 1,
	},
	{
		title: 'line breaks in the message (2.10)',
		parameters: { email: valid.email },
		variants: { verifyMessageLineBreaks: true },
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, {
				...verified(valid.email),
				message: 'Mail to this address arrives. Checked just now.',
			}),
		],
		credits: 1,
	},
	{
		title: 'enriched',
		parameters: { email: valid.email, options: { enrich: true } },
		requests: [verifyOf({ email: valid.email, enrich: 'true' })],
		output: [item(0, { ...verified(valid.email), ...enriched })],
		credits: 1,
	},
	{
		title: 'enriched, but nobody is known at the address',
		parameters: { email: 'nobody@freemail.example', options: { enrich: true } },
		requests: [verifyOf({ email: 'nobody@freemail.example', enrich: 'true' })],
		output: [
			item(0, {
				...verified('nobody@freemail.example', 'webmail'),
				result: expect.any(String),
				...notEnriched,
			}),
		],
		credits: 1,
	},
	{
		title: 'Enrich where the service adds nothing (2.10)',
		parameters: { email: valid.email, options: { enrich: true } },
		variants: { verifyEnrich: false },
		requests: [verifyOf({ email: valid.email, enrich: 'true' })],
		output: [item(0, { ...verified(valid.email), ...notEnriched })],
		credits: 1,
	},
	{
		title: 'malformed addresses are answered here',
		parameters: { email: '={{ $json.mail }}' },
		items: [
			{ mail: 'no-at-sign.example' },
			{ mail: 'nobody@' },
			{ mail: 'ada lovelace@engine.example' },
			{ mail: valid.email },
		],
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, malformed('no-at-sign.example', null)),
			item(1, malformed('nobody@', null)),
			item(2, malformed('ada lovelace@engine.example', 'engine.example')),
			item(3, verified(valid.email)),
		],
		credits: 1,
	},
	{
		title: 'a malformed address with Enrich',
		parameters: { email: 'nobody', options: { enrich: true } },
		requests: [],
		output: [item(0, { ...malformed('nobody', null), ...notEnriched })],
	},
	{
		title: 'the same address in another letter case is paid once',
		parameters: { email: '={{ $json.mail }}' },
		items: [{ mail: valid.email }, { mail: valid.email.toUpperCase() }],
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, verified(valid.email)),
			item(1, { ...verified(valid.email), email: valid.email.toUpperCase() }),
		],
		credits: 1,
	},
	{
		title: 'input fields before those of the result; an empty address is not sent',
		parameters: { email: '={{ $json.mail }}', includeInputFields: true },
		items: [
			{ crmId: 7, mail: valid.email },
			{ crmId: 8, email: 'kept@address.example' },
		],
		onError: 'continueRegularOutput',
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, { crmId: 7, mail: valid.email, ...verified(valid.email) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason: 'missing: Email',
				message: expect.any(String),
				email: 'kept@address.example',
			}),
		],
		credits: 1,
	},
	...[{}, { verifyMessageLineBreaks: true }, { verifyEnrich: false }].map(
		(variants): Row => ({
			title: `not simplified, ${JSON.stringify(variants)}`,
			parameters: { email: valid.email, simple: false, options: { enrich: true } },
			variants,
			requests: [verifyOf({ email: valid.email, enrich: 'true' })],
			output: ([answer]) => [item(0, objectOf(answer))],
			credits: 1,
		}),
	),
];

/** Two distinct addresses, one of them twice, and one that is malformed. */
const addresses = [valid.email, 'nobody@', invalid.email, valid.email.toUpperCase()];
const distinct = [valid.email, invalid.email];
const addressesVerified = [
	item(0, verified(valid.email)),
	item(1, malformed('nobody@', null)),
	item(2, verified(invalid.email)),
	item(3, { ...verified(valid.email), email: valid.email.toUpperCase() }),
];

function verifyBulkRow(title: string, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: { email: '={{ $json.mail }}' },
		items: addresses.map((mail) => ({ mail })),
		requests: [get('/v3/verify_bulk', { email: distinct })],
		output: addressesVerified,
		credits: 2,
		...more,
	};
}

const encoded = distinct.map((email) => encodeURIComponent(email));

const verifyBulkRows: Row[] = [
	verifyBulkRow('main form: one parameter per address', {
		rawQueries: [encoded.map((email) => `email=${email}`).join('&')],
	}),
	verifyBulkRow('comma list (4.8)', {
		settings: { bulkVerifierQuery: 'comma' },
		variants: { verifyBulkQuery: 'comma' },
		requests: [get('/v3/verify_bulk', { email: distinct.join(',') })],
	}),
	verifyBulkRow('the other path (4.8)', {
		settings: { bulkVerifierPath: '/api/v2/find_bulk' },
		variants: { verifyBulkPath: '/api/v2/find_bulk' },
		requests: [get('/api/v2/find_bulk', { email: distinct })],
	}),
	verifyBulkRow('comma list at the other path', {
		settings: { bulkVerifierPath: '/api/v2/find_bulk', bulkVerifierQuery: 'comma' },
		variants: { verifyBulkPath: '/api/v2/find_bulk', verifyBulkQuery: 'comma' },
		requests: [get('/api/v2/find_bulk', { email: distinct.join(',') })],
	}),
	verifyBulkRow('rows in another order', {
		fault: { rows: 'shuffled', on: { operation: 'verifyBulk' } },
	}),
	verifyBulkRow('line breaks in the message (2.10)', {
		items: [{ mail: valid.email }],
		variants: { verifyMessageLineBreaks: true },
		requests: [get('/v3/verify_bulk', { email: valid.email })],
		output: [
			item(0, {
				...verified(valid.email),
				message: 'Mail to this address arrives. Checked just now.',
			}),
		],
		credits: 1,
	}),
	verifyBulkRow('each status, and a plus sign', {
		items: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'].map((mail) => ({
			mail,
		})),
		requests: [
			get('/v3/verify_bulk', {
				email: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'],
			}),
		],
		output: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'].map(
			(email, index) => item(index, verified(email)),
		),
		credits: 5,
	}),
	verifyBulkRow('nothing but malformed addresses', {
		items: [{ mail: 'nobody' }, { mail: 'two words@engine.example' }],
		requests: [],
		output: [
			item(0, malformed('nobody', null)),
			item(1, malformed('two words@engine.example', 'engine.example')),
		],
		credits: 0,
	}),
	verifyBulkRow('input fields before those of the result; an empty address is not sent', {
		parameters: { email: '={{ $json.mail }}', includeInputFields: true },
		items: [
			{ crmId: 7, mail: valid.email },
			{ crmId: 8, email: 'kept@address.example' },
		],
		requests: [get('/v3/verify_bulk', { email: valid.email })],
		output: [
			item(0, { crmId: 7, mail: valid.email, ...verified(valid.email) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason: 'missing: Email',
				message: expect.any(String),
				email: 'kept@address.example',
			}),
		],
		credits: 1,
	}),
	verifyBulkRow('not simplified', {
		parameters: { email: '={{ $json.mail }}', simple: false },
		items: distinct.map((mail) => ({ mail })),
		variants: { verifyMessageLineBreaks: true },
		output: ([answer]) => objectsOf(answer).map((result, index) => item(index, result)),
	}),
];

testOperations(service, 'contactDataVerifier', {
	verify: verifyRows,
	verifyBulk: verifyBulkRows,
	estimate: estimateRows({ email: valid.email }),
});
