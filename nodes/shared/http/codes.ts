import type { Problem } from '../failures/failure';
import { type Reason, REASONS, type Row } from '../failures/reasons';

/** The reason of a refusal, and what is its own beside the row of that reason. */
type Meaning = Partial<Problem> & { reason: Reason };

/** The status codes that mean something of their own (interface specification 7). */
const MEANINGS: Array<[codes: number[], Meaning]> = [
	// One of several questions may be what the service refuses.
	[[400, 413, 414, 422, 431], { reason: 'bad_request', next: 'parts' }],
	[[401], { reason: 'unauthorized' }],
	[[402], { reason: 'out_of_credits' }],
	[[403], { reason: 'forbidden' }],
	[[404], { reason: 'not_found', next: 'miss', isPath: true }],
	[[405], { reason: 'bad_request', isPath: true }],
	// A gateway gave up, after it had sent the request on.
	[[408, 502, 504, 524], { reason: 'service_unavailable', mayBeCharged: true }],
	[[409], { reason: 'conflict' }],
	[[410], { reason: 'not_found', message: 'The list or job does not exist any more' }],
	[[420, 429, 430], { reason: 'rate_limited' }],
	[[421, 425, 500, 503], { reason: 'service_unavailable' }],
	// The service lacks what the request needs, so that another try would not help.
	[[501, 505], { reason: 'bad_request' }],
];

/** Every one of these codes by itself. */
export const CODES = new Map(
	MEANINGS.flatMap(([codes, meaning]) => codes.map((code) => [code, meaning] as const)),
);

/** The status codes that services send for whatever they refuse. */
const IN_WORDS = [400, 403, 422];

/** What the words beside them mean. They may quote a lead: `Credit Suisse`, `newbalance.com`, `Corporate Limited`. */
const SPOKEN: Array<[said: RegExp, meant: number]> = [
	[/\brate[ _-]?limit|too many requests|throttl/i, 429],
	[
		/\b(?:insufficient|enough|no|out of|all|more|additional|any|0)[ _](?:\w+ ){0,2}(?:credits|quota)\b(?![-@]|\.\w)/i,
		402,
	],
	[
		/\b(?:credits|quota|(?:credit|account|your) (?:balance|limit))\b(?![-@]|\.\w)(?: \w+){0,2} (?:exceeded|exhausted|insufficient|low|used|up|depleted|expired|required|reached)\b/i,
		402,
	],
	[
		/\b(?:invalid|wrong|incorrect|missing|revoked|expired|unknown|no) (?:api|access)[ _-]?key\b/i,
		401,
	],
	[
		/\b(?:api|access)[ _-]?key (?:\w+ ){0,2}(?:invalid|incorrect|wrong|missing|revoked|expired|disabled|required|not (?:valid|found))\b(?! \w+ \w)/i,
		401,
	],
];

/** What a status code means, or the words beside it. Any other from 500 is an outage, and any other refusal one of the request. */
export function meaningOf(status: number, said = ''): Meaning & Pick<Problem, 'message' | 'next'> {
	const words = IN_WORDS.includes(status) ? said : '';
	const [, meant = status] = SPOKEN.find(([spoken]) => spoken.test(words)) ?? [];
	const other: Meaning = { reason: meant >= 500 ? 'service_unavailable' : 'bad_request' };
	const meaning = CODES.get(meant) ?? other;
	const { message = '', next = 'end' }: Row = REASONS[meaning.reason];
	return { message, next, ...meaning };
}

/** What the test of a credential says of status codes. */
export function testMessages(): Array<{ value: number; message: string }> {
	return [...CODES].flatMap(([value, { reason }]) => {
		const { onTest: message }: Row = REASONS[reason];
		return message === undefined ? [] : [{ value, message }];
	});
}
