/** @file What can be an email address at all, and the status of its verification in one vocabulary. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	canBeEmail,
	comparableEmail,
	emailsIn,
	isMixed,
	knownStatus,
	toEmail,
	toEmailStatus,
} from '../../nodes/shared/values/email.ts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

/** Emails that people have: an asterisk is allowed, and masks the letters of an email that is sold. */
const anyEmail = fc
	.emailAddress()
	.filter((email) => !email.includes('*') && /^[\p{L}\p{N}_+]/u.test(email));

describe('toEmail', () => {
	const ways = `MailTo: ada@acme.com ¦ mailto:ada@acme.com?subject=Hello&body=? ¦ < ada@acme.com > ¦ 'ada@acme.com' ¦
		Ada Lovelace <ada@acme.com> ¦ "Lovelace, Ada" <mailto:ada@acme.com> ¦ <mailto:ada@acme.com|ada@acme.com> ¦
		"ada@acme.com." ¦ \`ada@acme.com\` ¦ ada@acme.com/ ¦ ada @acme.com ¦ ada @ acme.com ¦ 'ada@acme.com ¦
		ada＠acme.com ¦ 1. ada@acme.com ¦ 12) ada@acme.com ¦ _ada@acme.com_ ¦ **ada@acme.com** ¦ =ada@acme.com ¦
		-ada@acme.com ¦ ada@acme.com* ¦ ada@acme.com… ¦ 'ada@acme.com' ¦ ~ada@acme.com`;
	// Of several the first. A sheet writes a list so, and Exchange has a protocol before each.
	const several = `<ada@acme.com>, <ida@acme.com> ¦ Ada <ada@acme.com>; Ida <ida@acme.com> ¦
		ada@acme.com ::: ida@acme.com ¦ ada@acme.com and ida@acme.com ¦ ada@acme.com & ida+b@acme.com ¦
		ada@acme.com (work), ida@acme.com (home) ¦ ada@acme.com; n/a ¦ ["ada@acme.com","ida@acme.com"] ¦
		Lovelace, Ada <ada@acme.com>; Rhodes, Ida <ida@acme.com> ¦ SMTP:ada@acme.com smtp:ada@home.com ¦
		ada@acme.com、ida@acme.com ¦ ada@acme.com，ida@acme.com ¦ ada@acme.com<br>ida@acme.com ¦
		ada@acme.com,ida@acme.com ¦ ada@acme.com|ida@acme.com ¦ ada@acme.com/ida@acme.com ¦ ada@acme.com&ida@acme.com`;
	// Other text beside it, where a sign divides the two.
	const beside = `Ada Lovelace (ada@acme.com) ¦ [ada@acme.com](mailto:ada@acme.com) ¦ “ada@acme.com” ¦ E-mail: ada@acme.com ¦
		<a href="mailto:ada@acme.com?subject=Hi">Mail</a> ¦ ada&#64;acme.com ¦ &lt;ada@acme.com&gt; ¦ ada%40acme.com ¦
		ada@acme.com, Bo ¦ Ada Lee; ada@acme.com ¦ ada@acme.com – Bo ¦ ada@acme.com | 030 1234 ¦
		{"site":"https://acme.com/@x","email":"ada@acme.com"} ¦ https://acme.com/?to=ida@acme.com ada@acme.com ¦
		Work: ada@acme.com ¦ mail:ada@acme.com ¦ ada@acme.com : Bo ¦ , ada@acme.com ¦ • ada@acme.com ¦
		ada@acme.com · Bo ¦ ,ada@acme.com ¦ Private E-mail:ada@acme.com`;

	it.each(`${ways} ¦ ${several} ¦ ${beside}`.split(/ ¦\s+/))('makes ada@acme.com of %j', (text) => {
		expect(toEmail(text)).toBe('ada@acme.com');
	});

	it.each([
		['ada@acme.com\nida@acme.com', 'ada@acme.com'],
		// The rest is left to canBeEmail.
		['ada,lovelace@acme.com', 'ada,lovelace@acme.com'],
		['call ida@acme.com', 'call ida@acme.com'],
		['"ada lovelace"@acme.com', '"ada lovelace"@acme.com'],
		['ADA@Acme.com', 'ADA@Acme.com'],
		['mailto:ada%2Bcrm@acme.com?subject=Hi', 'ada+crm@acme.com'],
		['o’brien@acme.com', "o'brien@acme.com"],
		['https://acme.com/?to=ada@acme.com', 'https://acme.com/?to=ada@acme.com'],
		['mailto:', ''],
		['<>', ''],
		[['ada@acme.com'], ''],
	])('makes %j %j', (value, email) => {
		expect(toEmail(value)).toBe(email);
	});
});

describe('canBeEmail', () => {
	const odd = [
		'ADA+notes@acme.co.uk',
		'"ada@home"@acme.com',
		'ädä@bücher.de',
		'_ada_@acme.com',
		'+ada@acme.com',
		'ada@acme.xn--p1ai',
	];

	it.each(odd)('says yes to %j: the service knows more', (text) => {
		expect(canBeEmail(text)).toBe(true);
	});

	it('says yes to every email, and no with anything inside that no email has', () => {
		const inside = fc.constantFrom(...' \t\n\u00a0\u3000,;<>[]"', NO_CHARACTER);
		fc.assert(
			fc.property(anyEmail, inside, fc.nat(), (email, sign, at) => {
				expect(canBeEmail(email)).toBe(true);
				const place = at % (email.length + 1);
				expect(canBeEmail(email.slice(0, place) + sign + email.slice(place))).toBe(false);
			}),
			{ numRuns: 300 },
		);
	});

	// Apollo writes the last one where it has an email that it does not show.
	const none = `ada.acme.com @acme.com ada@ ada@acme.com@ @ a@b.com|c@b.com ada@acme ada@acme..com ada@.acme.com
		.ada@acme.com ada.@acme.com ada..l@acme.com ada@acme.123 ada@acme.com/about
		a(b@acme.com a)b@acme.com a\\b@acme.com ada@ac/me.com ada@ac{me.com ada@ac~me.com ada@ac'me.com
		a***@acme.com email_not_unlocked@domain.com ada@-acme.com ada@acme-.com ada@acme_x.com 👩@acme.com`;

	it.each(['', ...none.split(/\s+/)])('says no to %j', (text) => {
		expect(canBeEmail(text)).toBe(false);
	});
});

describe('emailsIn', () => {
	const usual = fc.oneof(
		fc.stringMatching(
			/^[a-z][a-z0-9]{0,5}([.+_'-][a-z0-9]{1,5})?@[a-z]{2,8}(-[a-z]{2,5})?\.(com|co\.uk|de)$/,
		),
		fc.constantFrom(
			"o'brien@acme.com",
			'ada+crm@acme.com',
			'ädä@bücher.de',
			'ada@xn--bcher-kva.de',
		),
	);
	const around = fc.constantFrom(
		...[
			'%',
			'(%)',
			'<%>',
			'Ada <%>',
			'"%"',
			'“%”',
			'[%](mailto:%)',
			'E-mail: %',
			'mailto:%',
			'% (work)',
			'%, Bo',
			'- %',
		],
	);

	it('finds what people use in all that they write around it', () => {
		fc.assert(
			fc.property(usual, around, (email, text) => {
				expect(new Set(emailsIn(text.replaceAll('%', email)))).toEqual(new Set([email]));
			}),
		);
	});

	it('leaves every email alone, and invents none', () => {
		fc.assert(fc.property(anyEmail, (email) => void expect(emailsIn(email)).toEqual([email])));
		const part = fc.constantFrom(
			...'ada@acme.com ida l@ @ , ; | / & < > ( ) : " \' %40 %2B &#64; http:// ?a='.split(' '),
			' ',
		);
		let found = 0;
		fc.assert(
			fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
				const text = parts.join('');
				const decoded = text.replaceAll('%40', '@').replaceAll('%2B', '+').replaceAll('&#64;', '@');
				for (const email of emailsIn(text)) {
					found++;
					expect(canBeEmail(email)).toBe(true);
					expect([text, decoded].some((one) => one.includes(email))).toBe(true);
					expect(emailsIn(email)).toEqual([email]);
				}
			}),
			{ numRuns: 3_000 },
		);
		expect(found).toBeGreaterThan(50);
	});
});

describe('a text', () => {
	const mixed = `a@b.example; c@ ¦ a@b.example;c@ ¦ ada@acme.com,Bo ¦ ada@acme.com Bo ¦ Ada Lee ada@acme.com ¦
		@ada, ada@acme.com ¦ ada@gmail.co m`;

	it.each(mixed.split(/ ¦\s+/))('holds an email and something else: %j', (text) => {
		expect(isMixed(text)).toBe(true);
	});

	const none = `ada@@acme.com ¦ work: ada@acme ¦ ***da@acme.com ¦ Ada: not found ¦ ¦ : a***@acme.com email_not_unlocked@domain.com`;
	const typingErrors = 'ada lovelace@acme.com ¦ a;b@x.com';
	const emails =
		'ada@acme.com ¦ Ada <ada@acme.com> ¦ ada@acme.com; ida@acme.com ¦ mailto:ada@acme.com';

	it.each(`${none} ¦ ${typingErrors} ¦ ${emails}`.split(/ ¦\s*/))('does not: %j', (text) => {
		expect(isMixed(text)).toBe(false);
	});
});

describe('comparableEmail', () => {
	it.each([
		['Ada@ACME.com', 'ada@acme.com', true],
		['ada@MÜLLER.example', 'ada@xn--mller-kva.example', true],
		['ada@1.2', 'ada@1.0.0.2', false],
		['ada@müller.example', 'ada@muller.example', false],
		['a@é b', 'a@e b', false],
	])('%j is the same as %j: %s', (one, other, isSame) => {
		expect(comparableEmail(one) === comparableEmail(other)).toBe(isSame);
	});
});

describe('an email status', () => {
	it.each([
		['valid', 'valid'],
		['catch-all', 'catch-all'],
		['invalid', 'invalid'],
		['unknown', 'unknown'],
		['ok', 'valid'],
		['nok', 'invalid'],
		['oka', 'catch-all'],
		// As other tools write it.
		['catch_all', 'catch-all'],
		['Catch All', 'catch-all'],
		['catchall', 'catch-all'],
		['deliverable', 'valid'],
		['accept_all', 'catch-all'],
		['Accept-All', 'catch-all'],
		['risky', 'catch-all'],
		['undeliverable', 'invalid'],
		['bounce', 'invalid'],
		['unverifiable', 'unknown'],
		['unverified', 'unknown'],
		['good', 'valid'],
		['bad', 'invalid'],
		['bounced', 'invalid'],
	])('of %s is %s, in any letter case, with blanks around it', (sent, status) => {
		for (const spelling of [sent, sent.toUpperCase(), ` ${sent}\n`, `\u200b${sent}\u00ad`]) {
			expect([knownStatus(spelling), toEmailStatus(spelling)]).toEqual([status, status]);
		}
	});

	const others = ['', 'do_not_mail', 'call', 'okay', 'constructor', '__proto__'];

	it.each(others)('of %j is not known, so that it comes out as unknown', (sent) => {
		expect([knownStatus(sent), toEmailStatus(sent)]).toEqual([undefined, 'unknown']);
	});
});
