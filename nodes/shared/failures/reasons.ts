/** Every status and every reason of an item, with its words for the summary of a run. */

/** The statuses of an item that has its result, or needs none. */
const COMPLETE = ['found', 'verified', 'known', 'skipped', 'not_found'] as const;

/** The statuses of an item without a result: On Error decides what becomes of it. */
export const INCOMPLETE = ['invalid_input', 'not_processed', 'failed', 'pending'] as const;

export const WITHOUT_RESULT = new Set<unknown>(INCOMPLETE);

/** The names of the fields that say why an item has no result. */
export const PROBLEM_FIELDS = ['reason', 'message', 'httpCode'];

/** Every status that a node of this package gives an item. */
export const STATUSES = new Set<unknown>([...COMPLETE, ...INCOMPLETE]);

/** The statuses of items that are passed on with all that they came with, without an answer of the service. */
export const PASSED_ON = new Set<unknown>(['known', 'skipped']);

/** The reason of an item that is skipped as it does not meet the condition of Look Up Only If. */
export const UNMET = 'condition';

/** The reason of an item that is skipped as Search Company has not found its company. */
export const UNKNOWN_COMPANY = 'company_not_found';

/** The reason of an email that is not verified itself, as another one has shown that its domain is catch-all. */
export const CATCH_ALL_DOMAIN = 'catch_all_domain';

/** Why nothing can be sent for an item: it lacks something, or a field cannot be meant. */
export const INVALID = {
	missing_name: 'without a name',
	missing_company: 'without a company',
	missing_keyword: 'without a company',
	missing_list: 'without a list',
	missing_job: 'without a job',
	invalid_value: 'with a value that is not valid',
	unevaluated_expression: 'with an expression that was not evaluated',
	failing_expression: 'with an expression that cannot be evaluated',
	no_leads: 'without leads',
};

export type InvalidReason = keyof typeof INVALID;

/** With these reasons a bulk job is over: it has failed, or the service does not know it. */
export const JOB_OVER = new Set<unknown>(['job_failed', 'not_found']);

/** Why a run failed, in n8n's words: so its poller waits as long as that makes sense. */
const AGAIN_LATER = 'temporarily-unavailable';
const CONFIGURATION = 'configuration-invalid';

/** Why a run sends no more, where the service is the cause: in short words, and what to do before the rest is run again. */
export const BY_SERVICE = {
	out_of_credits: ['out of credits', 'Add credits to the account', 'quota-exhausted'],
	unauthorized: [
		'API key not accepted',
		'Check the API Key of the credential',
		'credential-invalid',
	],
	rate_limited: [
		'rate limit still exceeded',
		'Raise Max Rate Limit Wait, or check the rate limit of your plan',
		'rate-limited',
	],
	unexpected_answer: [
		'incomplete response',
		'Check your plan with your provider, or run Check API of Contact Data Account',
		AGAIN_LATER,
	],
	forbidden: ['not included in your plan', 'Check your plan with your provider', CONFIGURATION],
	redirected: ['Base URL redirects', 'Check the Base URL of the credential', CONFIGURATION],
	not_the_service: [
		'not a response of the service',
		'Check the Base URL of the credential',
		// Mostly a page for the time of an outage: a Base URL that is wrong fails at activation.
		AGAIN_LATER,
	],
	bad_request: [
		'not accepted by the service',
		'Check the fields of the node, or run Check API of Contact Data Account',
		CONFIGURATION,
	],
	service_down: ['service not responding', 'Wait until the service responds', AGAIN_LATER],
	account_unreadable: [
		'account not readable',
		'Check why, or remove Leave Credits in Account',
		null,
	],
} satisfies Record<string, [short: string, todo: string, cause: string | null]>;

/** All reasons why an item was not sent: short words, and what to do before it is run again. */
export const NOT_SENT = {
	...BY_SERVICE,
	credit_limit: ['Max Credits reached', 'Raise Max Credits in the options'],
	credit_floor: [
		'Leave Credits in Account reached',
		'Add credits to the account, or lower Leave Credits in Account',
	],
	manual_limit: [
		'Max Items in Manual Runs reached',
		'Raise Max Items in Manual Runs (0 means all)',
	],
	cancelled: ['execution stopped', 'Check why it was stopped'],
	run_time_over: [
		'the time of this execution is over',
		'Raise Timeout Workflow in the settings of the workflow (or EXECUTIONS_TIMEOUT of this n8n), or pass fewer items at once',
	],
	stopped: ['another item stopped the workflow', 'Check the item that stopped it'],
};

export type NotSentReason = keyof typeof NOT_SENT;

/** Why one item failed, where a run goes on: n8n did not send its request, or it brought no usable result. */
export const FAILED = {
	refused_base_url: ['Base URL not usable', CONFIGURATION],
	not_found: ['not found', CONFIGURATION],
	conflict: ['conflict with another request', AGAIN_LATER],
	service_unavailable: ['service unavailable', AGAIN_LATER],
	connection: ['connection lost', AGAIN_LATER],
	unknown_outcome: ['connection lost, outcome unknown', null],
	job_failed: ['bulk job failed', null],
	refused_by_n8n: ['not sent by n8n', null],
	unexpected: ['unexpected', 'node-defect'],
} satisfies Record<string, [short: string, cause: string | null]>;

/** The reasons of a failed request. */
export type FailedReason =
	| keyof typeof FAILED
	| Exclude<keyof typeof BY_SERVICE, 'service_down' | 'account_unreadable'>;

/** Why a result is not there yet. */
export const PENDING = { job_not_finished: 'waiting for a bulk job' };

export type PendingReason = keyof typeof PENDING;
