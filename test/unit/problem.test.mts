/** @file What an exception means for the item that it came for. */

import { describe, expect, it } from 'vitest';

import {
	InvalidInput,
	invalidValue,
	JobFailed,
	JobPending,
	missing,
	problemOf,
} from '../../nodes/shared/output/problem.ts';
import { FailingExpression } from '../../nodes/shared/host/parameters.ts';
import {
	connectionError,
	NotProcessed,
	ServiceError,
	unexpectedAnswer,
} from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { thrownBy } from './thrown.mts';

function refusal(statusCode: number, body: object): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body }));
}

const FILL =
	'Fill in the field, or check that its expression finds a value in this item of the input.';

describe('problemOf', () => {
	it.each([
		[['Email'], 'Email'],
		[
			['Full Name (or First Name and Last Name)', 'Company Domain (or Company Name)'],
			'Full Name (or First Name and Last Name) and Company Domain (or Company Name)',
		],
	])('names the fields that an item lacks by their labels: %j', (labels, fields) => {
		const lacking = missing(...labels);
		expect(lacking).toBeInstanceOf(InvalidInput);
		expect(problemOf(lacking)).toEqual({
			status: 'invalid_input',
			reason: `missing: ${fields}`,
			message: `Not sent: this item is missing ${fields}`,
			description: FILL,
		});
	});

	it.each([
		[new Error('Referenced node is unexecuted'), 'Referenced node is unexecuted'],
		['as said', 'as said'],
	])('names the field whose expression fails, with what n8n says of it', (thrown, said) => {
		expect(problemOf(new FailingExpression('Full Name', thrown))).toEqual({
			status: 'invalid_input',
			reason: 'expression: Full Name',
			message: `Not sent: the expression of Full Name cannot be evaluated for this item (${said})`,
			description: 'Check the expression of the field with the data of this item.',
		});
	});

	it('names the field that holds what cannot be meant, with the rule', () => {
		const rule = 'Limit must be a whole number of 1 or more';
		expect(problemOf(invalidValue('Limit', rule))).toEqual({
			status: 'invalid_input',
			reason: 'invalid: Limit',
			message: 'Not sent: Limit must be a whole number of 1 or more',
			description: 'Check the field Limit.',
		});
	});

	it.each([
		[
			'out_of_credits' as const,
			'Not sent: the account is out of credits',
			'Add credits to the account, then run the remaining items again.',
		],
		[
			'credit_limit' as const,
			'Not sent: the node has spent what Max Credits allows',
			'Raise Max Credits in the options, then run the remaining items again.',
		],
		['cancelled' as const, 'Not sent: the execution was stopped', 'Run the remaining items again.'],
		[
			'unauthorized' as const,
			'Not sent: the service did not accept the API key',
			'Check the API Key of the credential, then run the remaining items again.',
		],
		[
			'service_down' as const,
			'Not sent: the service did not respond to the last requests',
			'Run the remaining items again when the service responds.',
		],
		[
			'rate_limited' as const,
			'Not sent: the service refused the last requests for its rate limit, after all retries',
			'Run the remaining items later. If it happens each time, check with your provider how many requests your plan allows.',
		],
		[
			'stopped' as const,
			'Not sent: another item stopped the workflow',
			'See the item named there.',
		],
	])('says why an item was not processed: %s', (reason, message, description) => {
		const status = 'not_processed';
		expect(problemOf(new NotProcessed(reason))).toEqual({ status, reason, message, description });
		expect(problemOf(new NotProcessed(reason, new Error('None left')))).toEqual({
			status,
			reason,
			message: `${message} (None left)`,
			description,
		});
	});

	it('says of a pending job how to collect it', () => {
		expect(problemOf(new JobPending('12'))).toEqual({
			status: 'pending',
			reason: 'job_not_finished',
			message: 'The bulk job 12 is not finished',
			description: 'Nothing is lost: collect the results later with Get Bulk Job.',
			jobId: '12',
		});
	});

	it('says of a job that failed which one it was, and why', () => {
		const failed = new JobFailed('12', unexpectedAnswer('a result for this item'));
		// Not even an undefined row.
		expect(problemOf(failed)).toStrictEqual({
			status: 'failed',
			reason: 'unexpected_answer',
			message: 'The service sent a response without a result for this item',
			description:
				'Run the item again later. If it happens each time, check Customize API Requests in the credential.',
			httpCode: null,
			jobId: '12',
		});
		expect(problemOf(failed.at(3))).toMatchObject({ jobId: '12', jobRow: 3 });
	});

	it('says of an item that the service refused for its credits that it can be sent again', () => {
		expect(problemOf(refusal(402, { message: 'None left', remaining: 0 }))).toEqual({
			status: 'not_processed',
			reason: 'out_of_credits',
			message: 'Not enough credits (0 remaining): None left',
			description: 'Add credits to the account, then run the remaining items again.',
			httpCode: 402,
		});
	});

	it('says of any other item that was sent that it failed', () => {
		expect(problemOf(refusal(400, { message: 'No such country' }))).toEqual({
			status: 'failed',
			reason: 'bad_request',
			message: 'The service did not accept the values of this request: No such country',
			description: 'Check the fields of the node for this item.',
			httpCode: 400,
		});
		expect(problemOf(connectionError({ code: 'ECONNRESET' }))).toEqual({
			status: 'failed',
			reason: 'connection',
			message: 'The connection was lost before a response arrived',
			description: 'Run the item again later (ECONNRESET).',
			httpCode: null,
		});
	});

	it('takes what is a fault in the code for the failure of this item, and of no other', () => {
		const expected = {
			status: 'failed',
			reason: 'unexpected',
			message: 'a fault in the code',
			description: 'Run the item again. If it happens each time, please report it.',
			httpCode: null,
		};
		expect(problemOf(new TypeError('a fault in the code'))).toEqual(expected);
		expect(problemOf('a fault in the code')).toEqual(expected);
	});

	it('says no more of a failure than what users are to know', () => {
		const details = { message: 'A', description: 'B', retryAfter: 5, remaining: 3 };
		expect(Object.keys(problemOf(new ServiceError('conflict', details))).toSorted()).toEqual([
			'description',
			'httpCode',
			'message',
			'reason',
			'status',
		]);
	});
});
