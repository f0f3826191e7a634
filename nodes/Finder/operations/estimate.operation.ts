import { ACCOUNT_PATH } from '../../shared/credits/account';
import { estimateBuilderHint, estimateNotice, optionsField } from '../../shared/editor/fields';
import { estimateOperation } from '../../shared/editor/operation';
import { personFields, personLookup, personOptions } from '../person';

/**
 * Estimate Cost of Find Email and Find Emails in Bulk: an email found costs 1 credit (interface
 * specification 8), so as many credits as there are people to look up, at most.
 */
export const estimate = estimateOperation({
	option: {
		name: 'Estimate Cost',
		value: 'estimate',
		action: 'Estimate cost',
		description:
			'Estimate the most credits that finding the emails of all input items can use. Nothing is looked up. Costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
		builderHint: estimateBuilderHint,
	},
	fields: [...personFields, estimateNotice, optionsField(personOptions)],
	...personLookup,
});
