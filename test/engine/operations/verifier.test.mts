/** @file The operations of the Verifier node: what goes over the wire, the whole output, and the credits. */

import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';

import { verified } from '../../support/leads/expected.mts';
import {
	company,
	estimateRow,
	invalid,
	ofEachStatus,
	valid,
} from '../../support/node/operationCases.mts';
import { get, testOperations, type Row } from '../../support/node/operationRow.mts';

const plus = 'ada+lists@engine.example';
const various = [...ofEachStatus.map(({ email }) => email), plus];

/** An address that has not the form of one: answered without a request. */
const malformed = (email: string): IDataObject => ({
	...{ lookupStatus: 'verified', email, emailStatus: 'invalid', mailboxType: null },
});
const malformedOnes = ['no-at-sign.example', 'b@example;c@', 'ada l@engine.example', 'ada@engine'];

/** Items with the email in a field of their own. */
const mails = (...emails: string[]): Partial<Row> => ({
	parameters: { email: '={{ $json.mail }}' },
	items: emails.map((mail) => ({ mail })),
});

/** One email, on which something depends. */
const verifyRow = (title: string, email = valid.email, more: Partial<Row> = {}): Row => ({
	title,
	parameters: { email },
	requests: [get('/v3/verify', { email })],
	output: [verified(email)],
	credits: 1,
	...more,
});

/** The same with Include Person Data. */
const personRow = (title: string, email: string, json: IDataObject, more: Partial<Row> = {}): Row =>
	verifyRow(title, email, {
		parameters: { email, options: { enrich: true } },
		requests: [get('/v3/verify', { email, enrich: 'true' })],
		output: [json],
		...more,
	});

const personData = {
	...{ firstName: valid.first, lastName: valid.last, title: valid.title },
	...{ company: company.name, result: 'deliverable' },
};
const nobody = { firstName: null, lastName: null, title: null, company: null };
const otherCase = { ...verified(valid.email), email: valid.email.toUpperCase() };

const verifyRows: Row[] = [
	verifyRow('each status, and a plus sign that is no space', '', {
		...mails(...various),
		requests: various.map((email) => get('/v3/verify', { email })),
		output: various.map((email) => verified(email)),
		credits: 5,
	}),
	...['webmail freemail', 'temporary throwaway'].map((kind) => {
		const [mailboxType, domain] = kind.split(' ');
		const email = `ada@${domain}.example`;
		return verifyRow(`mailbox type ${mailboxType}`, email, {
			output: [verified(email, mailboxType)],
		});
	}),
	personRow('person data', valid.email, { ...verified(valid.email), personData }),
	personRow('person data, but nobody is known', 'nobody@freemail.example', {
		...verified('nobody@freemail.example', 'webmail'),
		personData: { ...nobody, result: expect.any(String) },
	}),
	personRow(
		'person data of a malformed address',
		'nobody',
		{ ...malformed('nobody'), personData: null },
		{ requests: [], credits: 0 },
	),
	verifyRow('of several addresses the first one', valid.email, {
		...mails(`${valid.email}; c@d.example`, `Ada <${valid.email}>, c@d.example`),
		output: [verified(valid.email), verified(valid.email)],
	}),
	verifyRow('malformed addresses are answered here', valid.email, {
		...mails(...malformedOnes, valid.email),
		output: [...malformedOnes.map(malformed), verified(valid.email)],
	}),
];

/** Two distinct addresses, one of them twice, and one that is malformed. */
const distinct = [valid.email, invalid.email];

const verifyBulkRow = (title: string, more: Partial<Row> = {}): Row => ({
	title,
	...mails(valid.email, 'nobody@', invalid.email, otherCase.email),
	requests: [get('/v3/verify_bulk', { email: distinct })],
	output: [verified(valid.email), malformed('nobody@'), verified(invalid.email), otherCase],
	credits: 2,
	...more,
});

const verifyBulkRows: Row[] = [
	verifyBulkRow('main form: one parameter per address'),
	verifyBulkRow('each status, and a plus sign', {
		...mails(...various),
		requests: [get('/v3/verify_bulk', { email: various })],
		output: various.map((email) => verified(email)),
		credits: 5,
	}),
	verifyBulkRow('nothing but malformed addresses', {
		...mails(...malformedOnes),
		requests: [],
		output: malformedOnes.map(malformed),
		credits: 0,
	}),
];

testOperations('contactDataVerifier', {
	verify: verifyRows,
	verifyBulk: verifyBulkRows,
	estimate: [estimateRow({ email: valid.email })],
});
