import type { IDataObject } from 'n8n-workflow';
import { textAt } from './json';
import { cleanText, isPlaceholder, parsedUrl } from './text';

/** What stands between several addresses in one cell. A text that is no address beside them is a typing error. */
const BETWEEN =
	/[,;|]|:::|(?<=@[^\s,;|]{1,99}\s?)[&+]|\s(?:and|und|or|oder|et|ou|y)\s|\s?\/(?=\s?[^\s<@/]+@)|\s(?=[^\s<@]+@)/;

/** The first email in a value that is typed or pasted, without `<…>` and a name before it, or `mailto:`; a text that is none. */
export function toEmail(value: unknown): string {
	// A sheet writes a list as `["ada@acme.com"]`.
	const text = cleanText(value).replace(/^\[(.*)\]$/, '$1');
	// Of "Lovelace, Ada <ada@acme.com> (work)" what is in the angle brackets.
	const inBrackets = text.match(/<[^<>]*>/g)?.map((one) => one.slice(1, -1));
	const parts = inBrackets ?? [text.replace(/\([^()]*\)/g, '')];
	const emails = parts
		.flatMap((part) => part.split(BETWEEN))
		.map(withoutSigns)
		.filter((part) => part !== '' && !isPlaceholder(part));
	if (emails.length > 0 && emails.every(canBeEmail)) return emails[0];
	return withoutSigns(text.replace(/^<([^<>]*)>$/, '$1'));
}

function withoutSigns(text: string): string {
	const address = text.trim().replace(/^(["']?)(.*?)\.?\1$/, '$2');
	return address.replace(/^\s*(?:mailto|smtp):\s*<?([^?>]*).*/i, '$1').trim();
}

/** What an email consists of: no white space, comma or semicolon (several addresses), bracket, or half of a character. */
const SIGN = String.raw`[^\s,;@<>[\]"\uFFFD]`;
const LABEL = String.raw`[^\s,;@<>[\]".\uFFFD]+`;
const EMAIL = new RegExp(`^(?:${SIGN}+|"[^\\s,;\\uFFFD]+")@${LABEL}(?:\\.${LABEL})+$`);

/** Whether a text can be an email address: it has something before its `@` and a domain with a dot after it. */
export function canBeEmail(text: string): boolean {
	return EMAIL.test(text) && !isPlaceholder(text);
}

/** The email that the service sends in a result; a text that cannot be one, such as `not found`, says that there is none. */
export function emailAt(result: IDataObject): string | null {
	const text = textAt(result, 'email');
	return text !== null && canBeEmail(text) ? text : null;
}

/** Whether there is an email in a value that is typed or pasted. */
export function holdsEmail(value: unknown): boolean {
	return canBeEmail(toEmail(value));
}

/** Signs of other text beside an email. `ada lovelace@acme.com` and `a;b@x.com` have none: they are typing errors. */
const BESIDE = /[,;|/]\s|@[^\s,;|、，]{1,99}[,;|、，]|\s[-–—,;|/]|[:<>()[\]"]|@\S{1,99}\s|\s\S+\s/;

/** Whether a text is no email, but holds one and something else. */
export function isMixed(text: string): boolean {
	const holdsOne = () => text.split(/[\s,;、，:|/<>()[\]"']+/).some(canBeEmail);
	return BESIDE.test(text) && !holdsEmail(text) && holdsOne();
}

/** Whether two texts are the same email. */
export function isSameEmail(one: unknown, other: unknown): boolean {
	return comparableEmail(toEmail(one)) === comparableEmail(toEmail(other));
}

/** The form in which email addresses compare: in lower case, with the domain in Punycode. */
export function comparableEmail(text: string): string {
	const email = text.normalize('NFC').toLowerCase();
	const at = email.lastIndexOf('@') + 1;
	const domain = email.slice(at);
	// `URL` would drop a pasted port, path or query as no part of the domain.
	const isBareForeign = /[^\0-\x7f]/.test(domain) && !/[/?#:\\]/.test(domain);
	return isBareForeign
		? email.slice(0, at) + (parsedUrl(`http://${domain}`)?.hostname ?? domain)
		: email;
}

/** The words of the current vocabulary and of earlier ones (interface specification 3). */
const STATUSES = new Map([
	['valid', 'valid'],
	['catch-all', 'catch-all'],
	['invalid', 'invalid'],
	['unknown', 'unknown'],
	['ok', 'valid'],
	['nok', 'invalid'],
	['oka', 'catch-all'],
]);

/** The verification status in the current vocabulary; `undefined` for any other value. */
export function knownStatus(value: unknown): string | undefined {
	const word = cleanText(value).toLowerCase();
	// Other tools, from which the status of an item may come, write `catch_all`, `catch all` or `catchall`.
	return STATUSES.get(word.replace(/^catch[\s_]?all$/, 'catch-all'));
}

/** The verification status in the current vocabulary (interface specification 3); any other value as sent. */
export function toEmailStatus(sent: string | null): string | null {
	return knownStatus(sent) ?? sent;
}
