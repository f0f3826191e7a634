import type { IDataObject } from 'n8n-workflow';
import { textAt } from './json';
import {
	cleanText,
	comparableDomain,
	HOST,
	isPlaceholder,
	plainSigns,
	withoutPercents,
} from './text';

/** In front of the `@` no white space, comma or semicolon (several emails), bracket, mask (`a***@`) or half of a character. */
const WORD = String.raw`[^\s,;:*•●…@<>()[\]\\".\uFFFD]+`;

/** An email begins with a letter, a digit, `_` or `+`, and ends with a host. */
const EMAIL = new RegExp(
	`^(?:(?=[\\p{L}\\p{N}_+])${WORD}(?:\\.${WORD})*|"[^\\s,;\\uFFFD]+")@${HOST}$`,
	'iu',
);

/** Whether a text can be an email address: it has something before its `@` and a domain with a dot after it. */
export function canBeEmail(text: string): boolean {
	return EMAIL.test(text) && !isPlaceholder(text);
}

/** What parts an email from other text. */
const DIVIDERS = new RegExp(
	[
		// A URL, whose `@` is none of an email.
		String.raw`[a-z]{1,20}:\/\/[^\s"]*`,
		// Behind a domain, also what an email may have in front of its `@`: `ada@acme.com/ida@acme.com`, `?subject=`.
		String.raw`(?<=@[\p{L}\p{M}\p{N}._-]{1,99})(?:[,;|/&+](?=[^\s@]{1,99}@)|\?.*)`,
		// A label or a number: `Work: ada@acme.com`, `mailto:ada@acme.com`, `1. ada@acme.com`.
		String.raw`(?<![^\s"<([,;|])(?:[\p{L}-]{1,20}:(?=\s)|\d{1,3}\.(?=\s)|(?:mailto|smtp|e?-?mail|correo|courriel|work|home|business|privat|private):)`,
		// Brackets, the comma of Chinese, bullets, quotes around words.
		String.raw`[<>()[\]{}、•·]|(?<![\p{L}\p{N}.])["']+|["']+(?![\p{L}\p{N}@.])`,
		// Other signs, alone between blanks or at an end of a word.
		String.raw`(?<!\S)[^\p{L}\p{N}\s@]+(?!\S)|(?<!\S)[,;]+|[,;|]+(?!\S)`,
	].join('|'),
	'giu',
);

/** The signs around an email. Those that mask letters in front of it stay, unless they are behind it as well. */
const PAIRED = /^([_*~]{1,3})(.*)\1$/;
const AROUND = /^[^\p{L}\p{N}_+.*•●…@"]+|(?<![^\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]+$/gu;

/** What people have in front of an `@`. Beside other text, other signs are of that text: `?email=ada@acme.com`. */
const USUAL = /^[\p{L}\p{M}\p{N}.'+_-]+@/u;

/** The emails in a text, as they stand there but for their signs; none if anything else in it has an `@`. */
export function emailsIn(value: unknown): string[] {
	const text = cleanText(value);
	// Nearly all texts hold no sign that is an `@` or may become one, and the rest takes ten times as long.
	if (!/[@＠]|%40|&#/.test(text)) return [];
	const isEncoded = /mailto:/i.test(text) || !text.includes('@');
	const decoded = plainSigns(isEncoded ? withoutPercents(text) : text);
	// A blank beside the only `@` is none of two words: `ada @acme.com`.
	const plain = decoded.replace(/^(\S+) ?@ ?(\S+)$/, '$1@$2');
	if (canBeEmail(plain)) return [plain];
	// Of "Lovelace, Ada <ada@acme.com> (work)" what is in the angle brackets.
	const inBrackets = plain.match(/<[^<>]*>/g)?.filter((one) => one.includes('@'));
	const pieces = (inBrackets?.join('\n') || plain)
		.replace(DIVIDERS, '\n')
		.split('\n')
		.filter((piece) => piece.includes('@'))
		.map((piece) => piece.split(' ').map((word) => word.replace(PAIRED, '$2').replace(AROUND, '')))
		.map((words) => words.filter((word) => word !== '' && !isPlaceholder(word)))
		.filter((words) => words.length > 0);
	const isEmail = (word = '') => USUAL.test(word) && canBeEmail(word);
	const isWhole = (words: string[]) => isEmail(words[0]) && isEmail(words.at(-1));
	return pieces.every(isWhole) ? pieces.flat().filter((word) => isEmail(word)) : [];
}

/** The first email in a value that is typed or pasted; a text that holds none as it is. */
export function toEmail(value: unknown): string {
	const text = cleanText(value);
	return emailsIn(text)[0] ?? text.replace(/^<?(?:mailto:)?>?$/i, '');
}

/** The email that the service sends in a result; a text that holds none, such as `not found`, says that there is none. */
export function emailAt(result: IDataObject): string | null {
	const text = textAt(result, 'email') ?? '';
	// In another spelling than that of the user, it stays as it is.
	return canBeEmail(text) ? text : (emailsIn(text)[0] ?? null);
}

/** Whether there is an email in a value that is typed or pasted. */
export function holdsEmail(value: unknown): boolean {
	return emailsIn(value).length > 0;
}

/** One word before an address: `ada lovelace@acme.com` and `a;b@x.com` are typing errors. */
const TYPING_ERROR = /^[^\s@]{1,99} ?[^\s@]{1,99}@[^\s@,;|]+$/;

/** Whether a text is no email, but holds one and something else. */
export function isMixed(text: string): boolean {
	const holdsOne = () => text.split(/[^\p{L}\p{M}\p{N}.@'+_-]+/u).some(canBeEmail);
	return text.includes('@') && !TYPING_ERROR.test(text) && !holdsEmail(text) && holdsOne();
}

/** Whether two texts are the same email. */
export function isSameEmail(one: unknown, other: unknown): boolean {
	return one === other || comparableEmail(toEmail(one)) === comparableEmail(toEmail(other));
}

/** The form in which email addresses compare: in lower case, with the domain in Punycode. */
export function comparableEmail(text: string): string {
	const email = text.normalize('NFC').toLowerCase();
	const at = email.lastIndexOf('@') + 1;
	return email.slice(0, at) + comparableDomain(email.slice(at));
}

/** The words of the current vocabulary, of earlier ones (interface specification 3) and of the trade, each in one word. */
const STATUSES = new Map(
	Object.entries({
		valid: 'valid ok good deliverable',
		'catch-all': 'catchall oka acceptall risky',
		invalid: 'invalid nok bad undeliverable bounce bounced',
		unknown: 'unknown unverifiable unverified',
	}).flatMap(([status, words]) => words.split(' ').map((word) => [word, status])),
);

/** The verification status in the current vocabulary; `undefined` for any other value. */
export function knownStatus(value: unknown): string | undefined {
	const word = cleanText(value).toLowerCase();
	return STATUSES.get(word.replace(/[-\s_]/g, ''));
}

/** The verification status in the current vocabulary (interface specification 3): a word that nobody knows is `unknown`. */
export function toEmailStatus(sent: string | null): string | null {
	return sent === null ? null : (knownStatus(sent) ?? 'unknown');
}
