/** @file Which of the problems of a run its summary says what to do about. */

import { expect, it } from 'vitest';

import { Failure, problemOf, worstOf } from '../../nodes/shared/failures/failure.ts';
import { readResponse } from '../../nodes/shared/http/response.ts';
import { noName, thrownBy } from './thrown.mts';

const refused = (statusCode: number) =>
	thrownBy(() => readResponse({ statusCode, headers: {}, body: {} }));
const noCompany = new Failure('missing_company', {
	message: 'Not sent: no company',
	description: 'Fill in Company Name.',
});
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
		'two causes',
		[noName, noName, refused(403), refused(403), noCompany],
		'Fill in Full Name. Check your plan with your provider.',
	],
	['none', [], ''],
])('%s', (_, thrown, advice) => {
	expect(
		worstOf(thrown.map(problemOf))
			.map(({ description }) => description)
			.join(' '),
	).toBe(advice);
});
