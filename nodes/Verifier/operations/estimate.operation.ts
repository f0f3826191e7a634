import { ACCOUNT_PATH } from '../../shared/credits/account';
import { notForTools, optionsField } from '../../shared/description/fields';
import { estimateOperation } from '../../shared/description/operation';
import { emailAsking, emailField, existingStatusField, verifierOptions } from '../verification';

/**
 * Estimate Cost of Verify Email and Verify Emails in Bulk: every email that is sent costs 1 credit
 * (interface specification 8).
 */
export const estimate = estimateOperation({
	...emailAsking,
	option: {
		name: 'Estimate Cost',
		value: 'estimate',
		action: 'Estimate cost',
		description:
			'Count what verifying the emails of all input items would cost at most. Verifies nothing and costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
		displayOptions: notForTools,
	},
	fields: [emailField, existingStatusField, optionsField(verifierOptions)],
});
