import { NO_CHARACTER } from './text';
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
