/** @file What cannot be an email is answered here, and everything that might be one is not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	emailFields,
	emailIdentity,
	existingStatus,
	hasStatus,
	simplifyVerification,
	toEmailQuestion,
	verifierOptions,
	verifyLocally,
} from '../../nodes/Verifier/verification.ts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

const MESSAGE = 'Not a valid email format. Not sent, no credit used.';

describe('verifyLocally', () => {
	it.each([
		['no @', 'ada.acme.com', ''],
		['no domain', 'ada@', ''],
		['no domain after the last @', 'ada@acme.com@', ''],
		['a space', 'ada lovelace@acme.com', 'acme.com'],
		['a line break', 'ada\n@acme.com', 'acme.com'],
		['a tab in the domain', 'ada@acme\t.com', 'acme\t.com'],
		['a space that does not break', 'ada\u00a0lovelace@acme.com', 'acme.com'],
		['a comma before the @', 'ada,charles@acme.com', 'acme.com'],
		['a comma in the domain', 'ada@acme,com', 'acme,com'],
		['several emails', 'ada@acme.com,charles@acme.com', 'acme.com'],
		['half of a character', `ada${NO_CHARACTER}@acme.com`, 'acme.com'],
		['half of a character in the domain', `ada@ac${NO_CHARACTER}me.com`, `ac${NO_CHARACTER}me.com`],
	])('answers a text with %s', (_, email, domain) => {
		const answer = verifyLocally(email);
		expect(answer).toEqual({
			email,
			domain,
			email_status: 'invalid',
			format: 'invalid',
			message: MESSAGE,
		});
		expect(simplifyVerification(answer ?? {})).toEqual({
			email,
			emailStatus: 'invalid',
			message: MESSAGE,
			result: null,
			format: 'invalid',
			mailboxStatus: null,
			mailboxType: null,
			mailExchange: null,
			emailDomain: domain || null,
		});
	});

	it.each([
		['ada@acme.com'],
		['ADA@ACME.COM'],
		['ada+notes@acme.co.uk'],
		['ada@localhost'],
		['"ada@home"@acme.com'],
		['@acme.com'],
		['ädä@bücher.de'],
	])('leaves %s to the service', (email) => {
		expect(verifyLocally(email)).toBeUndefined();
	});

	it('leaves every email to the service', () => {
		fc.assert(
			fc.property(fc.emailAddress(), (email) => !verifyLocally(email)),
			{ numRuns: 300 },
		);
	});

	it('answers any text without an @, or with white space, a comma or half of a character inside', () => {
		const noAt = fc.string({ minLength: 1 }).filter((text) => !text.includes('@'));
		const space = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u3000', ',', NO_CHARACTER);
		const spaced = fc.tuple(fc.emailAddress(), space, fc.nat()).map(([email, white, at]) => {
			const place = 1 + (at % (email.length - 1));
			return email.slice(0, place) + white + email.slice(place);
		});
		fc.assert(
			fc.property(fc.oneof(noAt, spaced), (email) => {
				expect(verifyLocally(email)).toMatchObject({ email, email_status: 'invalid' });
			}),
		);
	});
});

describe('toEmailQuestion', () => {
	it('asks for the email as it is filled in, trimmed', () => {
		expect(toEmailQuestion({ email: ' Ada@Acme.com\n' })).toEqual({
			query: { email: 'Ada@Acme.com' },
			isEmpty: false,
			missing: undefined,
			answer: undefined,
		});
	});

	it.each([[''], ['  '], [null], [undefined], [{}], [['ada@acme.com']]])(
		'says of %j that the field is empty',
		(field) => {
			expect(toEmailQuestion({ email: field })).toMatchObject({
				query: { email: '' },
				isEmpty: true,
				missing: ['Email'],
			});
		},
	);

	it.each([
		['ada\ud83d@acme.com'],
		['ada@\udc69acme.com'],
		['\ud83d@acme.com'],
		['ada@acme.\ud83d'],
	])('answers %j, with half of a character that no request can carry, here', (field) => {
		const { query, missing, answer } = toEmailQuestion({ email: field });
		expect(query.email).toBe(field.toWellFormed());
		expect(missing).toBeUndefined();
		expect(answer).toMatchObject({ email_status: 'invalid', message: MESSAGE });
		// It can be put into a URL, should anybody try.
		expect(() => encodeURIComponent(query.email)).not.toThrow();
	});

	it.each([[true], [false], ['true'], [undefined]])(
		'asks for more only where %j is true',
		(enrich) => {
			const { query } = toEmailQuestion({ email: 'ada@acme.com', enrich });
			expect(query).toStrictEqual({ email: 'ada@acme.com', ...(enrich === true && { enrich }) });
		},
	);

	it('leaves whole characters beyond the first plane to the service', () => {
		expect(toEmailQuestion({ email: '👩@acme.com' }).answer).toBeUndefined();
	});
});

describe('emailIdentity', () => {
	it('does not tell emails apart by their letter case, but by what else is asked', () => {
		const identity = (email: string) => JSON.stringify(emailIdentity({ email }));
		expect(identity('Ada@Acme.COM')).toBe(identity('ada@acme.com'));
		expect(identity('ada@acme.com')).not.toBe(identity('ida@acme.com'));
		const enriched = JSON.stringify(emailIdentity({ email: 'ada@acme.com', enrich: true }));
		expect(enriched).not.toBe(identity('ada@acme.com'));
	});
});

describe('what a verification says', () => {
	it.each([
		[{ email_status: 'valid' }, true],
		[{ email_status: '' }, false],
		[{ email_status: null }, false],
		[{ email: 'ada@acme.com' }, false],
	])('needs a status: %j', (result, isComplete) => {
		expect(hasStatus(result)).toBe(isComplete);
	});
});

describe('a status that the item already has', () => {
	it.each([
		['valid', 'valid'],
		[' Catch-All ', 'catch-all'],
		['INVALID', 'invalid'],
		['ok', 'valid'],
		['oka', 'catch-all'],
		['nok', 'invalid'],
	])('of %j is %s, and known', (value, emailStatus) => {
		expect(existingStatus.read(value)).toEqual({ fields: { emailStatus }, isUnknown: false });
	});

	it('may be unknown', () => {
		expect(existingStatus.read('Unknown')).toEqual({
			fields: { emailStatus: 'unknown' },
			isUnknown: true,
		});
	});

	it.each([[''], ['verified'], ['risky'], ['constructor'], [null], [undefined], [true], [1], [{}]])(
		'is none in %j, so that the email is verified',
		(value) => {
			expect(existingStatus.read(value)).toBeUndefined();
		},
	);

	it('is read from its parameter, which says nothing to the service, as its options do not', () => {
		expect(existingStatus.parameter).toBe('existingStatus');
		const isSent = emailFields.map(({ name, routing }) => [name, routing !== undefined]);
		expect(isSent).toEqual([
			['email', true],
			['existingStatus', false],
		]);
		for (const field of verifierOptions) expect(field).not.toHaveProperty('routing');
		expect(verifierOptions.map(({ name, default: byDefault }) => [name, byDefault])).toEqual([
			['checkedAt', ''],
			['maxAgeDays', 90],
			['skipEmpty', false],
			['retryUnknownDays', 1],
		]);
	});
});
