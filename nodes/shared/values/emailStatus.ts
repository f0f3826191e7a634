/** Earlier vocabularies of the verification status (interface specification 3). */
const EARLIER_WORDS = new Map([
	['ok', 'valid'],
	['nok', 'invalid'],
	['oka', 'catch-all'],
]);
const CURRENT_WORDS = ['valid', 'catch-all', 'invalid', 'unknown'];

/**
 * A verification status in the current vocabulary (`valid`, `catch-all`, `invalid`, `unknown`),
 * whichever vocabulary and letter case was sent. A value outside all of them is passed on as sent.
 */
export function toEmailStatus(sent: string | null): string | null {
	if (sent === null) return null;
	const word = sent.toLowerCase();
	if (CURRENT_WORDS.includes(word)) return word;
	return EARLIER_WORDS.get(word) ?? sent;
}
