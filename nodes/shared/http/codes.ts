import { FREE_FOR_A_DAY } from '../failures/failure';
import type { FailedReason } from '../failures/reasons';

/** What happens after a request that the service did not fulfil. */
export type Next =
	/** It is sent again after a back-off: the same request may succeed later. */
	| 'again'
	/** All requests of the account wait, and it is sent again: it is the account that is refused for now. */
	| 'pause'
	/** Nothing more of the run is sent: the service would refuse it, too. */
	| 'halt'
	/** It is sent again in parts, if it holds several questions: one of them may be what the service refuses. */
	| 'parts'
	/** It has its answer: the service knows nothing of what was asked. */
	| 'miss'
	/** It fails. */
	| 'end';

/** What a status code means (interface specification 7). */
interface Meaning {
	reason: FailedReason;
	next: Next;
	/** What happened, and what to do: whatever the service says besides stands behind the message. */
	message: string;
	advice: string;
	/** What the test of the credential says. */
	onTest?: string;
	/** Whether the service may not have this path. */
	isPath?: true;
	/** Whether the service may have charged the request, as a gateway in front of it gave up. */
	mayBeCharged?: true;
	/** That of the items of the request, if nothing of it was done: they can be sent again. */
	status?: 'not_processed';
	/** What the refusal may say in words, and the status code that it means then. */
	spoken?: Array<[said: RegExp, meant: number]>;
}

const BAD_VALUES: Meaning = {
	reason: 'bad_request',
	next: 'parts',
	message: 'The service did not accept the values of this request',
	advice:
		'Check the fields of the node. If every item fails, run Check API of Contact Data Account.',
};

const BAD_REQUEST: Meaning = {
	reason: 'bad_request',
	next: 'end',
	message: 'The service did not accept this request',
	advice: 'Check the fields of the node, and Customize API Requests in the credential.',
};

const OUTAGE: Meaning = {
	reason: 'service_unavailable',
	next: 'again',
	message: 'The service is temporarily unavailable',
	advice: `Run again later: ${FREE_FOR_A_DAY}.`,
	onTest: 'The service is temporarily unavailable. Try again in a minute.',
};

/** A gateway that gave up, after it had sent the request on. */
const GAVE_UP: Meaning = { ...OUTAGE, mayBeCharged: true };

const RATE_LIMIT: Meaning = {
	reason: 'rate_limited',
	next: 'pause',
	message: 'The service refuses requests for its rate limit',
	advice: 'Run again later, or check the rate limit of your plan.',
	onTest: 'Too many requests. Try again in a minute.',
};

const NO_PLAN = 'Your plan does not include API access. Check your plan.';

/** Every status code that means something of its own; any other from 500 is an outage, and any other refusal one of the request. */
const CODES: Record<number, Meaning> = {
	400: BAD_VALUES,
	401: {
		reason: 'unauthorized',
		next: 'halt',
		message: 'The service did not accept the API key',
		advice: 'Check the API Key of the credential. A rotated key stops working at once.',
		onTest: 'The service did not accept the API key. Check it in the settings of your account.',
	},
	402: {
		reason: 'out_of_credits',
		next: 'halt',
		status: 'not_processed',
		message: 'Not enough credits',
		advice: 'Add credits to the account, then run again: what was found is free for a day.',
		onTest: NO_PLAN,
	},
	403: {
		reason: 'forbidden',
		next: 'end',
		message: 'Your plan does not include this feature',
		advice: 'Check your plan with your provider.',
		onTest: NO_PLAN,
		spoken: [
			[/rate.?limit|too many requests|throttl/i, 429],
			[/credit|quota/i, 402],
		],
	},
	404: {
		reason: 'not_found',
		next: 'miss',
		message: 'The list or job was not found',
		advice: 'Check that it still exists and belongs to the account of the credential.',
		onTest: 'Nothing was found at this Base URL (404). Check the URL.',
		isPath: true,
	},
	405: { ...BAD_REQUEST, isPath: true },
	408: GAVE_UP,
	409: {
		reason: 'conflict',
		next: 'end',
		message: 'The request conflicts with another one',
		advice: 'Try again once the other request finishes.',
	},
	410: {
		reason: 'not_found',
		next: 'end',
		message: 'The list or job does not exist any more',
		advice: 'Check that it still exists and belongs to the account of the credential.',
	},
	413: BAD_VALUES,
	414: BAD_VALUES,
	422: BAD_VALUES,
	420: RATE_LIMIT,
	421: OUTAGE,
	425: OUTAGE,
	429: RATE_LIMIT,
	430: RATE_LIMIT,
	431: BAD_VALUES,
	500: OUTAGE,
	// The service lacks what the request needs, so that another try would not help.
	501: BAD_REQUEST,
	502: GAVE_UP,
	503: OUTAGE,
	504: GAVE_UP,
	505: BAD_REQUEST,
	524: GAVE_UP,
};

/** The status codes that mean something of their own. */
export const STATUS_CODES = Object.keys(CODES).map(Number);

export function meaningOf(status: number): Meaning {
	return CODES[status] ?? (status >= 500 ? OUTAGE : BAD_REQUEST);
}

/** What the test of a credential says of status codes. */
export function testMessages(): Array<{ value: number; message: string }> {
	return Object.entries(CODES).flatMap(([code, { onTest }]) =>
		onTest === undefined ? [] : [{ value: Number(code), message: onTest }],
	);
}
