/** @file No text that anybody types or sends takes longer than its length is worth. */

import { it } from 'vitest';

import { toKeywords } from '../../nodes/shared/api/company.ts';
import { LeadReader } from '../../nodes/shared/lead/reader.ts';
import { referenceIn } from '../../nodes/shared/input/parameters.ts';
import { checkedBaseUrl } from '../../nodes/shared/http/connection.ts';
import { canBeEmail, isMixed, knownStatus, toEmail } from '../../nodes/shared/values/email.ts';
import { momentOf } from '../../nodes/shared/values/moment.ts';
import {
	cleanText,
	isPlaceholder,
	isSocialPage,
	toDomain,
	toText,
} from '../../nodes/shared/values/text.ts';

/** What a text may repeat. */
const PARTS = [
	...[' ', '\n\t', '\u200b', ' \u200b', '\ud83d', '\udc69 ', 'e\u0308', '. ', 'a ', '1 ', ', '],
	...'. - -a / : @ .@ ? < > + { (( +01: a 1 1. www. http:// a:/ 1:// mailto: /api'.split(' '),
	...'/v3x//api// 2026-11-21T10:30:00 .a [" ["a"] [\' {{'.split(' '),
	...['1 2026', 'Nov '],
];

const LENGTH = 100_000;

const leadIn = (item: object) => new LeadReader([item]).read(item);

it.each<[string, (text: string) => unknown, start?: string]>([
	['toText', toText],
	['cleanText', cleanText],
	['isPlaceholder', isPlaceholder],
	['toDomain', toDomain],
	['toDomain of a URL', toDomain, 'https://www.'],
	['isSocialPage', isSocialPage],
	['isSocialPage of a page', isSocialPage, 'https://linkedin.com'],
	['a lead', (text) => leadIn({ name: text, firstName: text, website: text })],
	['the name of a field', (text) => leadIn({ [text]: 'Ada' })],
	['toEmail', toEmail],
	['toEmail of a link', toEmail, '<mailto:'],
	['canBeEmail', canBeEmail],
	['isMixed', isMixed],
	['knownStatus', knownStatus],
	['momentOf', momentOf],
	['momentOf a time', momentOf, '2026-11-21T10:30:00.'],
	['toKeywords', (text) => [toKeywords(text, 'all'), toKeywords(text, 'any')]],
	['checkedBaseUrl', checkedBaseUrl],
	['checkedBaseUrl of a host', checkedBaseUrl, 'https://api.example.com'],
	['referenceIn', (text) => [referenceIn(`={{ ${text}`), referenceIn(`={{ $json${text} }}`)]],
	// What takes time by the square takes half a minute and more.
])('%s takes time by the length of the text', { timeout: 20_000 }, (_, read, start = '') => {
	for (const part of PARTS) {
		for (const end of ['', 'x', '@ ']) {
			const text = start + part.repeat(LENGTH / part.length) + end;
			try {
				read(text);
			} catch {
				// It may refuse it, too.
			}
		}
	}
});
