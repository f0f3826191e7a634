/** Every status and every reason of an item, with its words for the summary of a run. */

/** The statuses of an item that has its result, or needs none. */
export const COMPLETE = ['found', 'verified', 'known', 'skipped', 'not_found'] as const;

/** The statuses of an item without a result: On Error decides what becomes of it. */
export const INCOMPLETE = ['invalid_input', 'not_processed', 'failed', 'pending'] as const;

/** Why nothing can be sent for an item: it lacks something, or a field cannot be meant. */
const INVALID = {
	missing_name: 'without a name',
	missing_company: 'without a company',
	missing_keyword: 'without a company',
	missing_list: 'without a list',
	invalid_value: 'with a value that is not valid',
	unevaluated_expression: 'with an expression that was not evaluated',
	failing_expression: 'with an expression that cannot be evaluated',
	no_leads: 'without leads',
};

export type InvalidReason = keyof typeof INVALID;

interface NotSent {
	short: string;
	/** What to do before the remaining items are run again. */
	first: string;
	/** Whether the service caused it, and no setting and no person. */
	isCausedByService?: true;
}

/** Why an item was not sent. */
export const NOT_SENT = {
	out_of_credits: {
		short: 'out of credits',
		first: 'Add credits to the account',
		isCausedByService: true,
	},
	credit_limit: { short: 'Max Credits reached', first: 'Raise Max Credits in the options' },
	credit_floor: {
		short: 'Keep Credits reached',
		first: 'Add credits to the account, or lower Keep Credits',
	},
	manual_limit: {
		short: 'Max Items in Manual Runs reached',
		first: 'Raise Max Items in Manual Runs (0 means all)',
	},
	cancelled: { short: 'execution stopped', first: 'Check why it was stopped' },
	unauthorized: {
		short: 'API key not accepted',
		first: 'Check the API Key of the credential',
		isCausedByService: true,
	},
	service_down: {
		short: 'service not responding',
		first: 'Wait until the service responds',
		isCausedByService: true,
	},
	rate_limited: {
		short: 'rate limit still exceeded',
		first: 'Wait, or check the rate limit of your plan',
		isCausedByService: true,
	},
	account_unreadable: {
		short: 'account not readable',
		first: 'Check why, or remove Keep Credits',
		isCausedByService: true,
	},
	stopped: { short: 'another item stopped the workflow', first: 'Check the item named there' },
} satisfies Record<string, NotSent>;

export type NotSentReason = keyof typeof NOT_SENT;

/** Why an item failed: n8n did not send its request, or the request brought no usable result. */
const FAILED = {
	refused_base_url: 'Base URL not usable',
	bad_request: 'not accepted by the service',
	unauthorized: 'API key not accepted',
	forbidden: 'not included in your plan',
	not_found: 'not found',
	conflict: 'conflict with another request',
	rate_limited: 'rate limit still exceeded',
	service_unavailable: 'service unavailable',
	connection: 'connection lost',
	redirected: 'Base URL redirects',
	not_the_service: 'not a response of the service',
	unexpected_answer: 'incomplete response',
	unknown_outcome: 'connection lost, outcome unknown',
	job_failed: 'bulk job failed',
	refused_by_n8n: 'not sent by n8n',
	unexpected: 'unexpected',
};

/** The request that met the end of the credits was refused: its item is `not_processed`. */
export type FailedReason = keyof typeof FAILED | 'out_of_credits';

/** An item without a result, in a few words that can be counted. */
export function shortOf({ status, reason }: { status: string; reason: string }): string {
	const words: Record<string, string> = { ...FAILED, ...INVALID };
	if (status === 'pending') return 'waiting for a bulk job';
	if (status === 'not_processed') return `not sent (${notSent(reason)?.short ?? reason})`;
	return status === 'failed' ? `failed (${words[reason] ?? reason})` : (words[reason] ?? reason);
}

/** Whether the service caused that an item was not sent. */
export function isCausedByService(reason: string): boolean {
	return notSent(reason)?.isCausedByService ?? false;
}

function notSent(reason: string): NotSent | undefined {
	return new Map<string, NotSent>(Object.entries(NOT_SENT)).get(reason);
}
