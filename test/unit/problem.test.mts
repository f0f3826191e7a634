/** @file What becomes of an item without a result, by On Error. */

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { connectionError, NotProcessed } from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { OnError, stopError } from '../../nodes/shared/output/onError.ts';
import { missing, problemOf } from '../../nodes/shared/output/problem.ts';
import type { Problem } from '../../nodes/shared/values/failure.ts';
import { thrownBy } from './thrown.mts';

function refusal(statusCode: number, body: object): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body }));
}

const noEmail = missing(['name', 'Full Name'], ['company', 'Company Name']);
const node: INode = {
	id: '1',
	name: 'Find',
	type: 'contactDataFinder',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const failed: Problem = {
	status: 'failed',
	reason: 'rate_limited',
	message: 'What happened',
	description: 'What to do.',
	httpCode: 429,
};

describe('On Error', () => {
	/** What becomes of an item: the setting that the node goes by. */
	function settingOf(own: Partial<INode>): string {
		const onError = new OnError({ ...node, ...own });
		if (onError.stops) return 'stop';
		const { json } = onError.output(failed, 0, { json: {} }, (fields) => ({ json: fields }));
		return 'error' in json ? 'errorOutput' : 'continue';
	}

	it.each<[Partial<INode>, string, ofTool: string]>([
		// An agent is to learn what to do.
		[{}, 'stop', 'continue'],
		[{ onError: 'stopWorkflow' }, 'stop', 'stop'],
		[{ onError: 'continueRegularOutput' }, 'continue', 'continue'],
		[{ onError: 'continueErrorOutput' }, 'errorOutput', 'errorOutput'],
		[{ continueOnFail: true }, 'continue', 'continue'],
		[{ onError: 'stopWorkflow', continueOnFail: true }, 'stop', 'stop'],
	])('at %j means %s, for a tool %s', (settings, onError, ofTool) => {
		expect(settingOf(settings)).toBe(onError);
		expect(settingOf({ ...settings, type: 'contactDataFinderTool' })).toBe(ofTool);
	});

	it.each([
		['a field', noEmail, undefined],
		['a wrong key', refusal(401, {}), '401'],
		['a service out of reach', connectionError({ code: 'ECONNREFUSED' }), null],
		['the words of the service', refusal(503, { message: 'upstream ECONNREFUSED' }), '503'],
		['an item that was not sent', new NotProcessed('credit_limit'), null],
	])('stops the workflow in our words: %s', (_, failure, httpCode) => {
		const problem = problemOf(failure);
		for (const [item, suffix] of [
			[3, ' [item 3]'],
			[undefined, ''],
		] as const) {
			const thrown = stopError(node, problem, item);
			// What is about the operation is no answer of an API.
			expect(thrown).toBeInstanceOf(failure === noEmail ? NodeOperationError : NodeApiError);
			const told = [thrown.message, thrown.description, thrown.context.itemIndex];
			expect(told).toEqual([`${problem.message}${suffix}`, problem.description, item]);
			if (!(thrown instanceof NodeApiError)) continue;
			expect([thrown.httpCode, thrown.errorResponse]).toEqual([
				httpCode,
				{ reason: problem.reason },
			]);
		}
	});
});
