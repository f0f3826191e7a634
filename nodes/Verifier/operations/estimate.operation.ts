import { ACCOUNT_PATH } from '../../shared/credits/account';
import { estimateBuilderHint, estimateNotice, optionsField } from '../../shared/editor/fields';
import { estimateOperation } from '../../shared/editor/operation';
import { emailFields, emailLookup, verifierOptions } from '../verification';

/**
 * Estimate Cost of Verify Email and Verify Emails in Bulk: every email that is sent costs 1 credit
 * (interface specification 8).
 */
export const estimate = estimateOperation({
	option: {
		name: 'Estimate Cost',
		value: 'estimate',
		action: 'Estimate cost',
		description:
			'Estimate the most credits that verifying the emails of all input items can use. Nothing is verified. Costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
		builderHint: estimateBuilderHint,
	},
	fields: [...emailFields, estimateNotice, optionsField(verifierOptions)],
	...emailLookup,
});
