import { NO_CHARACTER } from './text';

/**
 * Whether a text can be an email address: it has an `@` and a domain, no white space or comma (several
 * addresses) inside, and no half of a character, which no request can carry.
 */
export function canBeEmail(text: string): boolean {
	const at = text.lastIndexOf('@');
	const hasDomain = at >= 0 && at < text.length - 1;
	return hasDomain && !/[\s,]/.test(text) && !text.includes(NO_CHARACTER);
}
