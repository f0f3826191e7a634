import { parsedUrl, toText } from './text';

/**
 * Whether a text can be an email address: it has an `@` and a domain, and no white space, comma (several
 * addresses) or U+FFFD, which stands for half of a character.
 */
export function canBeEmail(text: string): boolean {
	return /^[^\s,\uFFFD]*@[^\s,\uFFFD@]+$/.test(text);
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

/** Earlier vocabularies of the verification status (interface specification 3). */
const EARLIER_WORDS = new Map([
	['ok', 'valid'],
	['nok', 'invalid'],
	['oka', 'catch-all'],
]);

const CURRENT_WORDS = ['valid', 'catch-all', 'invalid', 'unknown'];

/** The verification status in the current vocabulary; `undefined` for any other value. */
export function knownStatus(value: unknown): string | undefined {
	// Other tools, from which the status of an item may come, write `catch_all`, `catch all` or `catchall`.
	const word = toText(value)
		.toLowerCase()
		.replace(/^catch[\s_]?all$/, 'catch-all');
	return CURRENT_WORDS.includes(word) ? word : EARLIER_WORDS.get(word);
}

/**
 * A verification status in the current vocabulary (`valid`, `catch-all`, `invalid`, `unknown`; interface
 * specification 3), from any vocabulary in any letter case. Any other value is returned as sent.
 */
export function toEmailStatus(sent: string | null): string | null {
	return knownStatus(sent) ?? sent;
}
