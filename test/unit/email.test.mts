/** @file What can be an email address at all: what cannot is no use to a lookup, and not worth a credit. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canBeEmail, comparableEmail } from '../../nodes/shared/values/email.ts';
import { processorTime } from '../support/processorTime.mts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

describe('canBeEmail', () => {
	it.each([
		['ada@acme.com'],
		['ADA+notes@acme.co.uk'],
		['ada@localhost'],
		['"ada@home"@acme.com'],
		['@acme.com'],
		['ädä@bücher.de'],
		['👩@acme.com'],
	])('says yes to %j: what else is wrong with it, the service knows', (text) => {
		expect(canBeEmail(text)).toBe(true);
	});

	it.each([
		['nothing', ''],
		['no @', 'ada.acme.com'],
		['no domain', 'ada@'],
		['no domain after the last @', 'ada@acme.com@'],
		['the @ alone', '@'],
		['a space', 'ada lovelace@acme.com'],
		['a space that does not break', 'ada\u00a0@acme.com'],
		['a line break', 'ada@acme.com\nida@acme.com'],
		['a tab', 'ada@acme\t.com'],
		['a comma', 'ada@acme.com,ida@acme.com'],
		['half of a character', `ada${NO_CHARACTER}@acme.com`],
	])('says no to a text with %s', (_, text) => {
		expect(canBeEmail(text)).toBe(false);
	});

	it('says yes to every email', () => {
		fc.assert(fc.property(fc.emailAddress(), canBeEmail), { numRuns: 300 });
	});

	it('takes time by the length of the text', () => {
		const used = processorTime();
		for (const part of ['@', 'a', '.@', ' ']) canBeEmail(part.repeat(1_000_000));
		expect(used()).toBeLessThan(1_000);
	});
});

describe('comparableEmail', () => {
	it.each([
		['Ada@ACME.com', 'ada@acme.com'],
		['ada@müller.example', 'ada@xn--mller-kva.example'],
		['ada@MÜLLER.example', 'ada@xn--mller-kva.example'],
		['ada@mu\u0308ller.example', 'ada@xn--mller-kva.example'],
		['zoe\u0308@acme.com', 'zoë@acme.com'],
	])('%j is %j as well', (one, other) => {
		expect(comparableEmail(one)).toBe(comparableEmail(other));
	});

	it.each([
		['ada@acme.com', 'ida@acme.com'],
		['ada@1.2', 'ada@1.0.0.2'],
		['zoë@1.2', 'zoë@1.0.0.2'],
		['ada@müller.example', 'ada@muller.example'],
		['a@é b', 'a@e b'],
	])('%j is not %j', (one, other) => {
		expect(comparableEmail(one)).not.toBe(comparableEmail(other));
	});
});
