/** Why an item was never sent, or `stopped`: another item already stops the workflow. */
export type NotProcessedReason =
	| 'out_of_credits'
	| 'credit_limit'
	| 'credit_floor'
	| 'manual_limit'
	| 'cancelled'
	| 'unauthorized'
	| 'service_down'
	| 'rate_limited'
	| 'account_unreadable'
	| 'stopped';

const MESSAGES: Record<NotProcessedReason, [message: string, description: string]> = {
	out_of_credits: [
		'Not sent: the account is out of credits',
		'Add credits to the account, then run the remaining items again.',
	],
	credit_limit: [
		'Not sent: the node has spent what Max Credits allows',
		'Raise Max Credits in the options, then run the remaining items again.',
	],
	credit_floor: [
		'Not sent: this could take the account below the number of credits in Keep Credits',
		'Add credits to the account, or lower Keep Credits in the options, then run the remaining items again.',
	],
	manual_limit: [
		'Not sent: this manual run has looked up as many items as Max Items in Manual Runs allows',
		'Raise Max Items in Manual Runs in the options, or run the workflow in production, where it does not apply.',
	],
	cancelled: ['Not sent: the execution was stopped', 'Run the remaining items again.'],
	unauthorized: [
		'Not sent: the service did not accept the API key',
		'Check the API Key of the credential, then run the remaining items again.',
	],
	service_down: [
		'Not sent: the service did not respond to the last requests',
		'Run the remaining items again when the service responds.',
	],
	rate_limited: [
		'Not sent: the service refused the last requests for its rate limit, after all retries',
		'Run the remaining items later. If it happens each time, check with your provider how many requests your plan allows.',
	],
	account_unreadable: [
		'Not sent: the account could not be read, which Keep Credits needs',
		'See what the service said, or remove Keep Credits from the options.',
	],
	stopped: ['Not sent: another item stopped the workflow', 'See the item named there.'],
};

/** Thrown instead of sending a request. */
export class NotProcessed extends Error {
	readonly description: string;

	/** @param cause what the service answered to an earlier request */
	constructor(
		readonly reason: NotProcessedReason,
		cause?: Error,
	) {
		const [message, description] = MESSAGES[reason];
		super(cause ? `${message} (${cause.message})` : message);
		this.name = 'NotProcessed';
		this.description = description;
	}
}
