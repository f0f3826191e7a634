import { toText } from './text';

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
