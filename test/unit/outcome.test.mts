/** @file What becomes of an item without an answer: its status, its error item, its exception. */

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { readAnswer } from '../../nodes/shared/request/answer.ts';
import { connectionError } from '../../nodes/shared/request/connectionError.ts';
import { NotProcessed } from '../../nodes/shared/request/notProcessed.ts';
import {
	errorItem,
	InvalidInput,
	JobPending,
	missingInput,
	onErrorOf,
	problemOf,
	statusFields,
	stopError,
	type Problem,
} from '../../nodes/shared/request/outcome.ts';
import { thrownBy } from './thrown.mts';

const node: INode = {
	id: '1',
	name: 'Find',
	type: 'contactDataFinder',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

function refusal(statusCode: number, body: object): unknown {
	return thrownBy(() => readAnswer({ statusCode, headers: {}, body }));
}

const FILL =
	'Fill the field, or check that its expression finds a value in this item of the input.';

describe('onErrorOf', () => {
	it.each([
		[{}, 'stop'],
		[{ onError: 'stopWorkflow' as const }, 'stop'],
		[{ onError: 'continueRegularOutput' as const }, 'continue'],
		[{ onError: 'continueErrorOutput' as const }, 'errorOutput'],
		[{ continueOnFail: true }, 'continue'],
		[{ continueOnFail: false }, 'stop'],
		[{ onError: 'stopWorkflow' as const, continueOnFail: true }, 'stop'],
	])('reads %j as %s', (settings, onError) => {
		expect(onErrorOf({ ...node, ...settings })).toBe(onError);
	});
});

describe('problemOf', () => {
	it('names the fields that an item lacks', () => {
		const expected = {
			status: 'invalid_input',
			reason: 'missing: domain or company',
			message: 'Not sent: the item has no domain or company',
			description: FILL,
		};
		expect(missingInput('domain or company')).toEqual(expected);
		expect(problemOf(new InvalidInput('domain or company'))).toEqual(expected);
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
	])('says why an item was not processed: %s', (reason, message, description) => {
		expect(problemOf(new NotProcessed(reason))).toEqual({
			status: 'not_processed',
			reason,
			message,
			description,
		});
	});

	it('says of a pending job how to collect it', () => {
		expect(problemOf(new JobPending('12'))).toMatchObject({
			status: 'pending',
			jobId: '12',
			description: 'Nothing is lost: collect the results later with Get Bulk Job.',
		});
	});

	it('says of an item that the service refused for its credits that it can be sent again', () => {
		expect(problemOf(refusal(402, { message: 'None left', remaining: 0 }))).toEqual({
			status: 'not_processed',
			reason: 'out_of_credits',
			message: 'The service asks for more credits (0 remaining): None left',
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
			message: 'The connection was lost before the answer came',
			description: 'Run the item again later (ECONNRESET).',
			httpCode: null,
		});
	});

	it('passes on what is a fault in the code', () => {
		const fault = new TypeError('a fault in the code');
		expect(thrownBy(() => problemOf(fault))).toBe(fault);
	});
});

describe('the items', () => {
	const failed: Problem = {
		status: 'failed',
		reason: 'rate_limited',
		message: 'What happened',
		description: 'What to do.',
		httpCode: 429,
	};

	it('for the error branch have only the keys that n8n routes by', () => {
		expect(errorItem(failed, 3)).toEqual({
			json: {
				error: {
					status: 'failed',
					reason: 'rate_limited',
					httpCode: 429,
					message: 'What happened',
				},
				message: 'What to do.',
			},
			pairedItem: { item: 3 },
		});
	});

	it('for the output tell status and question, and have no error', () => {
		const query = { fullName: 'Ada Lovelace', domain: 'acme.com' };
		expect(statusFields(failed, query)).toEqual({
			status: 'failed',
			reason: 'rate_limited',
			httpCode: 429,
			message: 'What happened. What to do.',
			fullName: 'Ada Lovelace',
			domain: 'acme.com',
		});
		expect(statusFields(missingInput('email'), { email: '' })).toEqual({
			status: 'invalid_input',
			reason: 'missing: email',
			message: `Not sent: the item has no email. ${FILL}`,
			email: '',
		});
	});
});

describe('stopError', () => {
	it('of an item that lacks a field is about the operation', () => {
		const thrown = stopError(node, missingInput('email'), 3);
		expect(thrown).toBeInstanceOf(NodeOperationError);
		expect([thrown.message, thrown.description, thrown.context.itemIndex]).toEqual([
			'Not sent: the item has no email [item 3]',
			FILL,
			3,
		]);
	});

	it.each([
		['out of credits', refusal(402, { message: 'None left', remaining: 0 }), '402'],
		['a wrong key', refusal(401, {}), '401'],
		['a service that is down', refusal(503, {}), '503'],
		['a lost connection', connectionError({ code: 'ECONNRESET' }), null],
		['a service out of reach', connectionError({ code: 'ECONNREFUSED' }), null],
		['an unknown host', connectionError({ code: 'ENOTFOUND' }), null],
		['the words of the service', refusal(503, { message: 'upstream ECONNREFUSED' }), '503'],
		['an item that was not sent', new NotProcessed('credit_limit'), null],
	])('names item, what happened and what to do: %s', (_, failure, httpCode) => {
		const problem = problemOf(failure);
		const thrown = stopError(node, problem, 3);
		if (!(thrown instanceof NodeApiError)) throw new TypeError('Not a NodeApiError');
		expect([thrown.message, thrown.description, thrown.httpCode, thrown.context.itemIndex]).toEqual(
			[`${problem.message} [item 3]`, problem.description, httpCode, 3],
		);
	});
});
