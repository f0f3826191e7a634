/** @file What cannot be an email is answered here; one question is told from another. */

import { describe, expect, it } from 'vitest';

import { verify } from '../../nodes/Verifier/operations/verify.operation.ts';
import { emailLookup, hasStatus } from '../../nodes/Verifier/verification.ts';
import { valuesOf } from './fieldsOf.mts';

describe('the question of an email', () => {
	const questionOf = (fields: Record<string, unknown>) =>
		emailLookup.prepare(valuesOf(verify, fields));

	it.each([
		[' Ada@Acme.com\n', 'Ada@Acme.com'],
		['mailto:ada@acme.com?subject=Hi', 'ada@acme.com'],
		[' \u00ad', ''],
		[undefined, ''],
		// No request can carry half of a character: it is answered here.
		['ada\ud83d@acme.com', 'ada\uFFFD@acme.com'],
		['ada@acme.com;charles@acme.com', 'ada@acme.com;charles@acme.com'],
	])('of %j is %j', (typed, email) => {
		const { query, isEmpty, answer } = questionOf({ email: typed });
		expect([query, isEmpty]).toEqual([{ email }, email === '']);
		expect(answer !== undefined).toBe(!/^[\w.]+@[\w.]+$/.test(email));
	});

	it('is another one by its email and by what else is asked, never by its letter case', () => {
		const identity = (email: string, enrich?: true) =>
			JSON.stringify(emailLookup.identity({ email, ...(enrich && { enrich }) }));
		expect(identity('Ada@Acme.COM')).toBe(identity('ada@acme.com'));
		expect(identity('ada@acme.com')).not.toBe(identity('ida@acme.com'));
		expect(identity('ada@acme.com')).not.toBe(identity('ada@acme.com', true));
	});
});

it.each([
	[{ email_status: 'valid' }, true],
	[{ email_status: '' }, false],
	[{ email_status: null }, false],
	[{ email: 'ada@acme.com' }, false],
])('a verification needs a status: %j', (result, isComplete) => {
	expect(hasStatus(result)).toBe(isComplete);
});
