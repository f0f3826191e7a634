/** @file What becomes of an item without an answer: its error item, its status item, its exception. */

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import {
	errorItem,
	isTool,
	OnError,
	statusFields,
	stopError,
} from '../../nodes/shared/output/onError.ts';
import { JobPending, missing, problemOf, type Problem } from '../../nodes/shared/output/problem.ts';
import { connectionError, NotProcessed } from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { thrownBy } from './thrown.mts';

const node: INode = {
	id: '1',
	name: 'Find',
	type: 'contactDataFinder',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const tool: INode = { ...node, type: 'contactDataFinderTool' };

function refusal(statusCode: number, body: object): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body }));
}

const FILL =
	'Fill in the field, or check that its expression finds a value in this item of the input.';

/** What becomes of an item: the setting that the node goes by. */
function settingOf(own: INode): string {
	const onError = new OnError(own);
	if (onError.stops) return 'stop';
	const problem = problemOf(missing('Email'));
	const { json } = onError.output(problem, 0, { json: {} }, (fields) => ({ json: fields }));
	return 'error' in json ? 'errorOutput' : 'continue';
}

describe('OnError', () => {
	it.each([
		[{}, 'stop'],
		[{ onError: 'stopWorkflow' as const }, 'stop'],
		[{ onError: 'continueRegularOutput' as const }, 'continue'],
		[{ onError: 'continueErrorOutput' as const }, 'errorOutput'],
		[{ continueOnFail: true }, 'continue'],
		[{ continueOnFail: false }, 'stop'],
		[{ onError: 'stopWorkflow' as const, continueOnFail: true }, 'stop'],
		[{ onError: 'continueErrorOutput' as const, continueOnFail: true }, 'errorOutput'],
	])('reads %j as %s', (settings, onError) => {
		expect(settingOf({ ...node, ...settings })).toBe(onError);
	});

	it.each([
		[{}, 'continue'],
		[{ continueOnFail: true }, 'continue'],
		[{ onError: 'stopWorkflow' as const }, 'stop'],
		[{ onError: 'continueRegularOutput' as const }, 'continue'],
		[{ onError: 'continueErrorOutput' as const }, 'errorOutput'],
	])('reads %j of a tool as %s: an agent is to learn what to do', (settings, onError) => {
		expect([isTool(tool), isTool(node)]).toEqual([true, false]);
		expect(settingOf({ ...tool, ...settings })).toBe(onError);
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
		expect(errorItem(failed, 3, { json: {} })).toEqual({
			json: {
				error: {
					status: 'failed',
					reason: 'rate_limited',
					httpCode: 429,
					message: 'What happened',
				},
				message: 'What happened. What to do.',
			},
			pairedItem: { item: 3 },
		});
		const binary = { photo: { data: 'AAAA', mimeType: 'image/png' } };
		expect(errorItem(failed, 3, { json: {}, binary }).binary).toBe(binary);
		expect(errorItem(failed, 3, { json: {} })).not.toHaveProperty('binary');
		const pending = problemOf(new JobPending('12'));
		expect(errorItem(pending, 0, { json: {} }).json.error).toEqual({
			status: 'pending',
			reason: 'job_not_finished',
			message: 'The bulk job 12 is not finished',
			jobId: '12',
		});
	});

	it('name the job, and the row of it, by which it can be collected', () => {
		const pending = problemOf(new JobPending('12', 3));
		expect(statusFields(pending)).toMatchObject({ status: 'pending', jobId: '12', jobRow: 3 });
		expect(errorItem(pending, 0, { json: {} }).json.error).toMatchObject({
			jobId: '12',
			jobRow: 3,
		});
		for (const problem of [problemOf(new JobPending('12')), failed]) {
			expect(statusFields(problem)).not.toHaveProperty('jobRow');
		}
	});

	it('for the output tell status and reason, and have no error', () => {
		expect(statusFields(failed)).toEqual({
			status: 'failed',
			reason: 'rate_limited',
			httpCode: 429,
			message: 'What happened. What to do.',
		});
		expect(statusFields(problemOf(missing('Email')))).toEqual({
			status: 'invalid_input',
			reason: 'missing: Email',
			message: `Not sent: this item is missing Email. ${FILL}`,
		});
	});
});

describe('stopError', () => {
	it('of an item that lacks a field is about the operation', () => {
		const thrown = stopError(node, problemOf(missing('Email')), 3);
		expect(thrown).toBeInstanceOf(NodeOperationError);
		expect([thrown.message, thrown.description, thrown.context.itemIndex]).toEqual([
			'Not sent: this item is missing Email [item 3]',
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
		expect(thrown.errorResponse).toEqual({ reason: problem.reason });
	});

	it('names no item where there is none', () => {
		const problem = problemOf(refusal(503, {}));
		const thrown = stopError(node, problem);
		expect([thrown.message, thrown.context.itemIndex]).toEqual([problem.message, undefined]);
	});
});
