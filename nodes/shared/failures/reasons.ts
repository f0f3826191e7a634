/** Every status and every reason of an item: the one table of why it has no result. */

/** The statuses of an item that has its result, or needs none. */
type Complete = 'found' | 'verified' | 'known' | 'skipped' | 'not_found';

/** The statuses of an item without a result: On Error decides what becomes of it. */
export const INCOMPLETE = ['invalid_input', 'not_processed', 'failed', 'pending'] as const;

export const WITHOUT_RESULT = new Set<unknown>(INCOMPLETE);

/** The statuses of items that have a result of the service. */
export const ANSWERED = new Set<unknown>(['found', 'verified'] satisfies Complete[]);

/** The statuses of items that are passed on with all that they came with, without an answer of the service. */
export const PASSED_ON = new Set<unknown>(['known', 'skipped'] satisfies Complete[]);

/** The reason of an item that is skipped as it does not meet the condition of Look Up Only If. */
export const UNMET = 'condition';

/** The reason of an item that is skipped as Search Company has not found its company. */
export const UNKNOWN_COMPANY = 'company_not_found';

/** With these reasons a bulk job is over for an item: it has failed, the service does not know it, or its row says nothing. */
export const JOB_OVER = new Set<unknown>(['job_failed', 'not_found', 'unexpected_answer']);

/** The process remembers what was charged. */
export const FREE_FOR_A_DAY = 'what was found is free for a day';

/** What to do once a cause is gone. */
export const THEN_AGAIN = `, then run again: ${FREE_FOR_A_DAY}`;

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
	| 'end'
	/** It was never sent, and cost nothing. */
	| 'unsent';

/** A reason in words, and what follows from it. */
export interface Row {
	/** Short enough to be counted by. */
	short: string;
	todo?: string;
	/** Why a run failed, in n8n's words: so its poller waits as long as that makes sense. */
	cause?: string;
	/** What happened, where no more is known: whatever the service says stands behind it. */
	message?: string;
	/** That of items that are neither invalid nor failed. */
	status?: 'not_processed' | 'pending';
	next?: Next;
	/** Whether the service may have charged the request. */
	mayBeCharged?: boolean;
	/** What the test of the credential says. */
	onTest?: string;
}

const AGAIN_LATER = 'temporarily-unavailable';
const CONFIGURATION = 'configuration-invalid';
const CHECK_API = 'run Check API of Contact Data Account';
const CHECK_PLAN = 'Check your plan with your provider';
const CHECK_URL = 'Check the Base URL of the credential';
const NO_PLAN = 'Your plan does not include API access. Check your plan.';

/** Why nothing can be sent for an item: it lacks something, or a field cannot be right. */
export const INVALID = {
	missing_name: { short: 'without a name' },
	missing_company: { short: 'without a company' },
	missing_list: { short: 'without a list' },
	missing_job: { short: 'without a job' },
	invalid_value: { short: 'with a value that is not valid' },
	unevaluated_expression: { short: 'with an expression that was not evaluated' },
	failing_expression: { short: 'with an expression that cannot be evaluated' },
	no_leads: { short: 'without leads' },
} satisfies Record<string, Row>;

/** Why a request, and perhaps the rest of a run, brought nothing, where the service is the cause. */
export const BY_SERVICE = {
	out_of_credits: {
		short: 'out of credits',
		todo: 'Add credits to the account of the credential',
		cause: 'quota-exhausted',
		message: 'Not enough credits',
		status: 'not_processed',
		next: 'halt',
		onTest: NO_PLAN,
	},
	unauthorized: {
		short: 'API key not accepted',
		todo: 'Check the API Key of the credential',
		cause: 'credential-invalid',
		message: 'The service did not accept the API key',
		next: 'halt',
		onTest: 'The service did not accept the API key. Check it in the settings of your account.',
	},
	rate_limited: {
		short: 'rate limit still exceeded',
		todo: 'Raise Max Rate Limit Wait, or check the rate limit of your plan',
		cause: 'rate-limited',
		message: 'The service refuses requests for its rate limit',
		next: 'pause',
		onTest: 'Too many requests. Try again in a minute.',
	},
	unexpected_answer: {
		short: 'incomplete response',
		todo: `${CHECK_PLAN}, or ${CHECK_API}`,
		cause: AGAIN_LATER,
		mayBeCharged: true,
	},
	forbidden: {
		short: 'not included in your plan',
		todo: CHECK_PLAN,
		cause: CONFIGURATION,
		message: 'Your plan does not include this feature',
		onTest: NO_PLAN,
	},
	redirected: {
		short: 'Base URL redirects',
		todo: `Redirects are not followed, so that the API key stays with the service. ${CHECK_URL}`,
		cause: CONFIGURATION,
	},
	// Mostly a page for the time of an outage: a Base URL that is wrong fails at activation.
	not_the_service: {
		short: 'not a response of the service',
		todo: `${CHECK_URL}: a web page, a firewall or a proxy responds there`,
		cause: AGAIN_LATER,
	},
	bad_request: {
		short: 'not accepted by the service',
		todo: `Check the fields of the node, or ${CHECK_API}`,
		cause: CONFIGURATION,
		message: 'The service did not accept this request',
	},
	service_down: {
		short: 'service not responding',
		todo: 'Wait until the service responds',
		cause: AGAIN_LATER,
	},
	account_unreadable: {
		short: 'account not readable',
		todo: 'Check why, or remove Leave Credits in Account',
	},
	refused_base_url: { short: 'Base URL not usable', todo: CHECK_URL, cause: CONFIGURATION },
	not_found: {
		short: 'not found',
		todo: 'Check that it still exists and belongs to the account of the credential',
		cause: CONFIGURATION,
		message: 'The list or job was not found',
		onTest: 'Nothing was found at this Base URL. Check the URL.',
	},
	conflict: {
		short: 'conflict with another request',
		todo: 'Try again once the other request finishes',
		cause: AGAIN_LATER,
		message: 'The request conflicts with another one',
	},
	service_unavailable: {
		short: 'service unavailable',
		todo: 'Run again later',
		cause: AGAIN_LATER,
		message: 'The service is temporarily unavailable',
		next: 'again',
		onTest: 'The service is temporarily unavailable. Try again in a minute.',
	},
	connection: {
		short: 'connection lost',
		todo: 'Run again later',
		cause: AGAIN_LATER,
		next: 'again',
	},
	unknown_outcome: {
		short: 'connection lost, outcome unknown',
		todo: 'The request was not sent again, because it may have been charged. Check the credits of the account, then run again',
		mayBeCharged: true,
	},
	job_failed: { short: 'bulk job failed', todo: 'Run again' },
	refused_by_n8n: {
		short: 'not sent by n8n',
		todo: 'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n',
		message: 'n8n refused the request',
	},
	unexpected: {
		short: 'unexpected',
		todo: 'Run again. If it happens each time, please report it',
		cause: 'node-defect',
		mayBeCharged: true,
	},
} satisfies Record<string, Row>;

/** Every reason; below, why a result is not there yet, and why a run sends no more by its settings. */
export const REASONS = {
	...INVALID,
	...BY_SERVICE,
	job_not_finished: {
		short: 'waiting for a bulk job',
		todo: 'Nothing is lost: run the Finder again later, and it collects what is waiting, for free',
		status: 'pending',
		mayBeCharged: true,
	},
	credit_limit: { short: 'Max Credits reached', todo: 'Raise Max Credits in the options' },
	credit_floor: {
		short: 'Leave Credits in Account reached',
		todo: 'Add credits to the account, or lower Leave Credits in Account',
	},
	manual_limit: {
		short: 'Max Items in Manual Runs reached',
		todo: 'Raise Max Items in Manual Runs (0 means all)',
	},
	cancelled: { short: 'execution stopped', todo: 'Check why it was stopped' },
	run_time_over: {
		short: 'the time of this execution is over',
		todo: 'Raise Timeout Workflow in the settings of the workflow (or EXECUTIONS_TIMEOUT of this n8n), or pass fewer items at once',
	},
	stopped: { short: 'another item stopped the workflow', todo: 'Check the item that stopped it' },
} satisfies Record<string, Row>;

/** Why an item has no result: a code that a workflow can route by. */
export type Reason = keyof typeof REASONS;

export type InvalidReason = keyof typeof INVALID;
