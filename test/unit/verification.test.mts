/** @file What cannot be an address is answered here, and everything that might be one is not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { simplifyVerification, verifyLocally } from '../../nodes/Verifier/verification.ts';

const MESSAGE = 'Not sent, so it cost no credit: this is not the form of an email address';

describe('verifyLocally', () => {
	it.each([
		['no @', 'ada.acme.com', ''],
		['no domain', 'ada@', ''],
		['no domain after the last @', 'ada@acme.com@', ''],
		['a space', 'ada lovelace@acme.com', 'acme.com'],
		['a line break', 'ada\n@acme.com', 'acme.com'],
		['a tab in the domain', 'ada@acme\t.com', 'acme\t.com'],
		['a space that does not break', 'ada\u00a0lovelace@acme.com', 'acme.com'],
	])('answers an address with %s', (_, email, domain) => {
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
			domain: domain || null,
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

	it('leaves every address to the service', () => {
		fc.assert(fc.property(fc.emailAddress(), (email) => !verifyLocally(email)));
	});

	it('answers any text without an @, or with white space inside', () => {
		const noAt = fc.string({ minLength: 1 }).filter((text) => !text.includes('@'));
		const space = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u3000');
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
