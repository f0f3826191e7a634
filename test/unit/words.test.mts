/** @file In which order a run says what to do about the causes of its problems. */

import { expect, it } from 'vitest';

import { causesOf, Failure, notSent, problemOf } from '../../nodes/shared/failures/failure.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { noName, thrownBy } from './thrown.mts';

const refused = (statusCode: number) =>
	thrownBy(() => readResponse({ statusCode, headers: {}, body: {} }));
const noCompany = new Failure('missing_company', {
	message: 'Not sent: no company',
	description: 'Fill in Company Name.',
});
const untried = notSent('manual_limit');
const lost = new Failure('unknown_outcome', { description: 'Check the credits.' });

it.each<[string, thrown: unknown[], advice: string]>([
	[
		'the most frequent first',
		[noCompany, noName, noName],
		'Fill in Full Name. Fill in Company Name.',
	],
	[
		'what may have cost something before all',
		[noName, noName, lost],
		'Check the credits. Fill in Full Name.',
	],
	[
		'each cause once',
		[noName, noName, refused(403), refused(403), noCompany],
		'Fill in Full Name. Check your plan with your provider. Fill in Company Name.',
	],
	[
		'what a manual run leaves last',
		[untried, untried, noName],
		'Fill in Full Name. Raise Max Items in Manual Runs (0 means all), then run again: what was found is free for a day.',
	],
	['none', [], ''],
])('%s', (_, thrown, advice) => {
	expect(
		causesOf(thrown.map(problemOf))
			.map(({ description }) => description)
			.join(' '),
	).toBe(advice);
});
