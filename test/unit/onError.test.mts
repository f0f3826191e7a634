/** @file What becomes of an item without a result, by On Error. */

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { connectionError } from '../../nodes/shared/http/errors.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { OnError, stopError } from '../../nodes/shared/output/onError.ts';
import { notSent, type Problem, problemOf } from '../../nodes/shared/failures/failure.ts';
import { ourNodes } from '../support/node/engine.mts';
import { soleNode } from '../support/node/soleNode.mts';
import { noName, thrownBy } from './thrown.mts';

function refusal(statusCode: number, body: object): unknown {
	return thrownBy(() => readResponse({ statusCode, headers: {}, body }));
}

const { node } = soleNode(ourNodes.contactDataFinder);

const failed: Problem = {
	status: 'failed',
	reason: 'rate_limited',
	message: 'What happened',
	description: 'What to do.',
	httpCode: 429,
	next: 'pause',
	mayBeCharged: false,
};

/** What becomes of an item: the setting that the node goes by. */
function settingOf(own: Partial<INode>): string {
	const onError = new OnError({ ...node, ...own });
	if (onError.stops) return 'stop';
	return onError.errorItem(failed, 0, { json: {} }) ? 'errorOutput' : 'continue';
}

it.each<[Partial<INode>, string, ofTool: string]>([
	// An agent is to learn what to do.
	[{}, 'stop', 'continue'],
	[{ onError: 'stopWorkflow' }, 'stop', 'stop'],
	[{ onError: 'continueRegularOutput' }, 'continue', 'continue'],
	[{ onError: 'continueErrorOutput' }, 'errorOutput', 'errorOutput'],
	[{ continueOnFail: true }, 'continue', 'continue'],
	[{ onError: 'stopWorkflow', continueOnFail: true }, 'stop', 'stop'],
])('On Error at %j means %s, for a tool %s', (settings, onError, ofTool) => {
	expect(settingOf(settings)).toBe(onError);
	expect(settingOf({ ...settings, type: 'contactDataFinderTool' })).toBe(ofTool);
});

it.each([
	// What is about the operation is no answer of an API.
	[noName, NodeOperationError, undefined],
	[notSent('credit_limit'), NodeApiError, null],
	[connectionError({ code: 'ECONNREFUSED' }), NodeApiError, null],
	// n8n would replace words that hold such a code.
	[refusal(503, { message: 'upstream ECONNREFUSED' }), NodeApiError, '503'],
])('stops the workflow in our words: %s', (failure, kind, httpCode) => {
	const problem = problemOf(failure);
	const thrown = stopError(node, problem);
	expect(thrown).toBeInstanceOf(kind);
	expect(thrown).toMatchObject({ message: problem.message, description: problem.description });
	expect(stopError(node, problem, 3)).toMatchObject({
		message: `${problem.message} [item 3]`,
		context: { itemIndex: 3 },
	});
	if (!(thrown instanceof NodeApiError)) return;
	const { reason } = problem;
	expect(thrown).toMatchObject({ httpCode, errorResponse: { reason } });
});
