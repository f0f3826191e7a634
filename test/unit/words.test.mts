/** @file What to do about items without a result, in the summary of a run. */

import { expect, it } from 'vitest';

import { adviceOn, NotProcessed, problemOf } from '../../nodes/shared/failures/failure.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { noName, thrownBy } from './thrown.mts';

const refused = (statusCode: number) =>
	thrownBy(() => readResponse({ statusCode, headers: {}, body: {} }));

it.each<[string, thrown: unknown[], advice: string]>([
	[
		'a refusal, and what was not sent because of it',
		[refused(401), new NotProcessed('unauthorized')],
		'Check the API Key of the credential, then run again: what was found is free for a day. A rotated key stops working at once',
	],
	[
		'three causes: two of them, those of the service first',
		[noName, refused(403), new NotProcessed('credit_limit')],
		'Check your plan with your provider. Raise Max Credits in the options, then run again: what was found is free for a day',
	],
])('%s: each sentence once', (_, thrown, advice) => {
	expect(adviceOn(thrown.map(problemOf)).join('. ')).toBe(advice);
});
