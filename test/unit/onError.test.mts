/** @file What becomes of an item without a result, by On Error. */

import { type INode } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { OnError } from '../../nodes/shared/output/onError.ts';
import { type Problem } from '../../nodes/shared/failures/failure.ts';
import { ourNodes } from '../support/node/engine.mts';
import { soleNode } from '../support/node/soleNode.mts';

const { node } = soleNode(ourNodes.contactDataFinder);

const failed: Problem = {
	status: 'failed',
	reason: 'rate_limited',
	message: 'What happened',
	description: 'What to do.',
	httpCode: 429,
};

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
])('On Error at %j means %s, for a tool %s', (settings, onError, ofTool) => {
	expect(settingOf(settings)).toBe(onError);
	expect(settingOf({ ...settings, type: 'contactDataFinderTool' })).toBe(ofTool);
});
