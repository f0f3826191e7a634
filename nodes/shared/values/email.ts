import { NO_CHARACTER, toText } from './text';
import { parsedUrl } from './url';

/**
 * Whether a text can be an email address: it has an `@` and a domain, no white space or comma (several
 * addresses) inside, and no half of a character, which no request can carry.
 */
export function canBeEmail(text: string): boolean {
	const at = text.lastIndexOf('@');
	const hasDomain = at >= 0 && at < text.length - 1;
	return hasDomain && !/[\s,]/.test(text) && !text.includes(NO_CHARACTER);
}

/** An address as it compares with others: in small letters, and its domain as the network writes it. */
export function comparableEmail(text: string): string {
	const email = text.normalize('NFC').toLowerCase();
	const at = email.lastIndexOf('@') + 1;
	const domain = email.slice(at);
	// What an email was pasted with, a port or a query, is not a part of the domain.
	const isBareForeign = /[^\0-\x7f]/.test(domain) && !/[/?#:\\]/.test(domain);
	return isBareForeign
		? email.slice(0, at) + (parsedUrl(`http://${domain}`)?.hostname ?? domain)
		: email;
}

/** Earlier vocabularies of the verification status (interface specification 3). */
const EARLIER_WORDS = new Map([
	['ok', 'valid'],
	['nok', 'invalid'],
	['oka', 'catch-all'],
]);

/** How other tools write it: a status that an item brings along may come from them. */
const CATCH_ALL = /^catch[\s_]?all$/;
const CURRENT_WORDS = ['valid', 'catch-all', 'invalid', 'unknown'];

/** A value of any vocabulary in the current one; `undefined` for what is no verification status. */
export function knownStatus(value: unknown): string | undefined {
	const word = toText(value).toLowerCase();
	if (CATCH_ALL.test(word)) return 'catch-all';
	return CURRENT_WORDS.includes(word) ? word : EARLIER_WORDS.get(word);
}

/**
 * A verification status in the current vocabulary (`valid`, `catch-all`, `invalid`, `unknown`),
 * whichever vocabulary and letter case was sent. A value outside all of them is passed on as sent.
 */
export function toEmailStatus(sent: string | null): string | null {
	return knownStatus(sent) ?? sent;
}
