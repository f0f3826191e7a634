/**
 * @file Texts, domains and numbers of the service, of users and of expressions, as they can be sent. A domain comes out
 * bare, whatever form it is pasted in.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	cleanText,
	comparableDomain,
	isPlaceholder,
	isSocialPage,
	numberOf,
	plainSigns,
	toDomain,
	toText,
	withScheme,
} from '../../nodes/shared/values/text.ts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

describe('toText', () => {
	it.each([
		['  Ada Lovelace\r\n', 'Ada Lovelace'],
		[0, '0'],
		[12n, '12'],
		[undefined, ''],
		[true, ''],
		[{ name: 'Ada' }, ''],
		[['Ada'], ''],
		['👩\ud83d👩', `👩${NO_CHARACTER}👩`],
	])('%o is %o', (value, text) => {
		expect(toText(value)).toBe(text);
	});
});

describe('cleanText', () => {
	it.each([
		['  Ada \t\r\n Lovelace ', 'Ada Lovelace'],
		['\ufeffA\u200bd\u200ca\u200d\u2060', 'Ada'],
		['Love\u00adlace', 'Lovelace'],
		['Zoe\u200b\u0308', 'Zoë'],
		// Windows-1252, read as Latin1.
		['\u008eu\u009ei\u0107 L\u0092Or\u00e9al', 'Žužić L’Oréal'],
		['O’Brien-Łukasz, Jr. 👩', 'O’Brien-Łukasz, Jr. 👩'],
		[['Ada'], ''],
	])('%j is %j', (value, text) => {
		expect(cleanText(value)).toBe(text);
	});

	it('is clean already when it is cleaned, whatever it was', () => {
		const unit = fc.oneof(
			fc.constantFrom(' ', '\u200b', '\u00ad', '\u0308', '\n', '\ud83d', '\ufeff', '\0'),
			fc.string({ unit: 'binary', maxLength: 2 }),
		);
		fc.assert(
			fc.property(fc.array(unit), (units) => {
				const once = cleanText(units.join(''));
				expect(cleanText(once)).toBe(once);
				expect(once).not.toMatch(/\s\s|^\s|\s$|[^\S ]|\p{Cc}|\p{Default_Ignorable_Code_Point}/u);
				expect(once).toBe(once.normalize('NFC'));
				expect(once.isWellFormed()).toBe(true);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('isPlaceholder', () => {
	const nothing = `n/a|N/A|#N/A|n.a.|None.|(none)|<null>|undefined|-|--|–|.|…|?|NaN|nan|#REF!|#DIV/0!|#ÜBERLAUF!|(blank)|TBD|
		#¡REF!|#¿NOMBRE?|#NOM ?|#N/D|#N/B|Loading...|Wird geladen…|Cargando...|rec0aB1cD2eF3gH4i|0015g00000Q1w2E|
		1A2B3C4D111122223333444455556666|not available|email_not_unlocked@domain.com|- / -|keine Angabe|k.A.|n.v.t.|selbstständig|Autônomo|Independant|NA`;

	// Eventbrite says that an info was requested of a guest whom nobody has named.
	it.each([...nothing.split(/\|\s*/), 'Info Requested'])('is %j', (text) => {
		expect(isPlaceholder(text)).toBe(true);
	});

	const somebody =
		'na|Na|Nan|Blank|#paid|#1|Nullsoft|3|X|李|acme.com|Available||Loading|Laden|recruitmentagency|1800contacts.com';
	const somethingElse = 'Jane None|Unknown Worlds|Stealth|Confidential Records Inc';

	it.each([...somebody.split('|'), ...somethingElse.split('|')])('is not %j', (text) => {
		expect(isPlaceholder(text)).toBe(false);
	});
});

describe('numberOf', () => {
	it.each([
		[-1.5, -1.5],
		[' 90\n', 90],
		['1e3', 1000],
		[Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
	])('%o is %d', (value, number) => {
		expect(numberOf(value)).toBe(number);
	});

	const texts = ['', '90 days', '1,000', 'Infinity', Number.POSITIVE_INFINITY];
	const others: unknown[] = [null, true, [[90]], { valueOf: () => 5 }, new Date(90)];

	it.each([...texts, ...others])('%o is no number', (value) => {
		expect(numberOf(value)).toBeUndefined();
	});
});

it.each([
	['www.example.com/in/ada', 'https://www.example.com/in/ada'],
	['example.com/?u=https://other.org', 'https://example.com/?u=https://other.org'],
	['example.com:8443/in/ada', 'https://example.com:8443/in/ada'],
	[null, null],
])('the URL %j with a scheme is %j', (url, complete) => {
	expect(withScheme(url)).toBe(complete);
});

describe('toDomain', () => {
	/** Domains of two or three parts. */
	const domain = fc
		.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9](\.[a-z]{2,5}){1,2}$/)
		.filter((name) => !name.startsWith('www.'));

	/** Texts that look much like domains. */
	const pasted = fc
		.array(fc.constantFrom('www.', 'a', '.', ':', '/', '@', '?', ' ', '8', 'http://'), {
			maxLength: 8,
		})
		.map((parts) => parts.join(''));

	const acme = `
		//www.acme.com/about https://acme.com:8443/about HTTPS://WWW.ACME.COM/ABOUT ftp://acme.com/files
		https://www.acme.com/a/b/c.html?x=1&y=https://other.org/#top https://www.acme.com/@ada
		https://ada:secret@www.acme.com/ ada@acme.com mailto:ada@acme.com acme.com. s3://acme.com
		https://www.acme.com./about acme.com:8443 acme.com:8443/about www.acme.com:443 acme.com:`;

	const spaced = ['  acme.com\n', 'https:// www.acme.com', 'Website: acme.com', 'Acme (acme.com)'];
	const inSigns = [
		...[
			"'acme.com'",
			'acme.com*',
			'acme.com…',
			'-acme.com',
			"'https://acme.com'",
			'ａｃｍｅ．ｃｏｍ',
			'`acme.com`',
		],
		'[acme.com](https://acme.com)',
		'(acme.com)',
		'“acme.com”',
		'acme.com | acme.org',
	];
	const decoded = [
		'https%3A%2F%2Facme.com',
		'<a href="https://acme.com/x">Acme</a>',
		'acme.com (DE)',
	];

	it.each([...acme.trim().split(/\s+/), ...spaced, ...inSigns, ...decoded])(
		'%j is acme.com',
		(pasted) => {
			expect(toDomain(pasted)).toBe('acme.com');
		},
	);

	it.each([
		['https://mail.acme.co.uk/inbox', 'mail.acme.co.uk'],
		['https://wwwacme.com', 'wwwacme.com'],
		['https://www.bücher.de/', 'bücher.de'],
		['xn--bcher-kva.de', 'xn--bcher-kva.de'],
	])('%j is %j', (pasted, domain) => {
		expect(toDomain(pasted)).toBe(domain);
	});

	const none = `:8443|Acme Inc.|localhost:3000|N/A|...|.acme.com|acme .com|acme.com or acme.org|[::1]|
		https://acme.com other.com/about|Acme (S.A)|50% off|acme_x.com|acme-.com|16.000|1.2.3.4|e.V`;

	it.each(['', ...none.split(/\|\s*/)])('%j is none', (pasted) => {
		expect(toDomain(pasted)).toBe('');
	});

	it('finds the domain in every way to write a URL of it', () => {
		const upper = fc.boolean();
		const scheme = fc.constantFrom('', 'http://', 'https://', '//');
		const path = fc.constantFrom('', '/', '/about', '/a/b?c=d:e@f#g', '?x=/', '#y');
		fc.assert(
			fc.property(scheme, fc.constantFrom('', 'www.'), domain, path, upper, (a, b, name, c, up) => {
				const written = `${a}${b}${name}${c}`;
				expect(toDomain(up ? written.toUpperCase() : written)).toBe(name);
			}),
		);
	});

	it('leaves the domain that it made of any text as it is', () => {
		fc.assert(
			fc.property(fc.oneof(pasted, fc.string()), (text) => {
				const once = toDomain(text);
				expect(toDomain(once)).toBe(once);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('isSocialPage', () => {
	const nobodys = `gmail.com ada@gmail.com https://www.yahoo.co.uk web.de hotmail.fr proton.me https://t.co/abc
		https://www.eventbrite.de/o/acme-1 https://www.wlw.de/de/firma/acme pagesjaunes.fr/pros/1 https://www.facebook.com/acme
		booking.com/hotel/de/x.html google.de/maps/x https%3A%2F%2Flinkedin.com%2Fcompany%2Facme notion.site/acme
		yahoo.com.br hotmail.co.uk apply.workable.com/acme acme.jobs.personio.de amazon.de/stores/acme acme.github.io
		acme.blogspot.co.uk acme.business.site tinyurl.com/acme beacons.ai/acme www.example.org`;

	it.each(nobodys.split(/\s+/))("%j is nobody's website", (text) => {
		expect(isSocialPage(text)).toBe(true);
	});

	const websites =
		'booking.com wlw.de t.co trust.co airbnb.com linkedin.com acme.com acme.com/gmail.com gmail.acme.com mygmail.com web.com wix.com aws.amazon.com myexample.com example.de';

	it.each(websites.split(' '))('%j may be a company', (text) => {
		expect(isSocialPage(text)).toBe(false);
	});
});

it.each([
	['O’Brien', "O'Brien"],
	['O&#x2019;Brien', "O'Brien"],
	['‘Ada’ ʼ ´ ′ ＇', "'Ada' ' ' ' '"],
	['“Ada” „ « » ‹ › ＂', '"Ada" " " " " " "'],
	['Ada—Sales―x', 'Ada - Sales - x'],
	['&LT;a&gt; &quot;b&apos;&nbsp;c', '<a> "b\' c'],
	['Acme &amp; Sons', 'Acme & Sons'],
	['AT&T; &unknown; &#99999999;', 'AT&T; &unknown; &#99999999;'],
])('%j in one spelling is %j', (text, plain) => {
	expect(plainSigns(text)).toBe(plain);
});

it.each([
	['bücher.de', 'xn--bcher-kva.de'],
	['acme.com', 'acme.com'],
	['bücher.de:80', 'bücher.de:80'],
])('the domain %j compares as %j', (domain, comparable) => {
	expect(comparableDomain(domain)).toBe(comparable);
});
