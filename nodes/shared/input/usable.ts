import { InvalidInput } from '../failures/failure';
import type { InvalidReason } from '../failures/reasons';
import type { Meaning } from '../lead/columnNames';
import { isMixed } from '../values/email';
import { cleanText, hasExpressionLeft } from '../values/text';

/** Half of a character, and what a wrong encoding makes of letters: `JosÃ©` is José, `â€™` an apostrophe. */
const LOST_LETTERS =
	/\uFFFD|â€.?|Â(?=\s)|[ÂÃÄÅÐÑ](?:[\x80-\x9f¡-¿€‚ƒ„…†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ]|[–—‘’“”](?=\p{L}))|(?<=\p{Ll})Ã/u;

/** A letter of a name that its file had no sign for: `Ren?e`, `Andr? Lee`, `?ukasz`. */
const LOST_IN_NAME = /(?<=\p{L})\?(?= ?\p{L})|(?<!\S)\?(?=\p{Ll})/u;

/** What JavaScript writes into a text where a value is missing, or is an object. */
const LEFTOVERS =
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|\[object \w+\]|^\s*[[{]\s*\{?\s*"[^"]*":/u;

/** What a value is for, and what a refusal calls its field. */
interface Use {
	meanings?: Meaning[];
	label: () => string;
	/** What to do about an expression that n8n did not evaluate. */
	onBraces: string;
}

/**
 * Returns the value. Throws {@link InvalidInput} if letters were lost in a wrong encoding, an expression was not evaluated,
 * or left its own words, or an email stands beside other text.
 */
export function usable(value: unknown, { meanings = [], label, onBraces }: Use): unknown {
	if (typeof value !== 'string') return value;
	const refuse = (what: string, description: string, reason: InvalidReason = 'invalid_value') => {
		throw new InvalidInput({ reason, message: `Not sent: ${label()} ${what}`, description });
	};
	const isEmail = meanings.includes('email');
	const isName = meanings.length > 0 && !isEmail && !meanings.includes('domain');
	const lostIn = isName ? [LOST_LETTERS, LOST_IN_NAME] : [LOST_LETTERS];
	const [lost] = lostIn.flatMap((letters) => letters.exec(value) ?? []);
	if (lost) {
		const advice = 'Set the Encoding of the file where it is read, e.g. in Extract from File.';
		refuse(`has lost letters (${lost})`, advice);
	}
	if (isEmail && isMixed(cleanText(value))) {
		refuse('holds an email and other text: leave only the email', `Check the field ${label()}.`);
	}
	if (hasExpressionLeft(value)) {
		refuse('holds an expression that n8n did not evaluate', onBraces, 'unevaluated_expression');
	}
	const [leftover] = LEFTOVERS.exec(value) ?? [];
	if (leftover) {
		const advice = 'Check the expression or the code that has put the text together.';
		refuse(`holds ${leftover.trim()}, which stands for no text`, advice);
	}
	return value;
}
