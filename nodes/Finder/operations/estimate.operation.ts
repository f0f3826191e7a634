import { ACCOUNT_PATH } from '../../shared/credits/account';
import { ageOptions, notForTools, optionsField } from '../../shared/description/fields';
import { estimateOperation } from '../../shared/description/operation';
import { countryOption, existingEmailField, personAsking, personFields } from '../person';

/**
 * Estimate Cost of Find Email and Find Emails in Bulk: an email found costs 1 credit (interface
 * specification 8), so as many credits as there are people to look up, at most.
 */
export const estimate = estimateOperation({
	...personAsking,
	option: {
		name: 'Estimate Cost',
		value: 'estimate',
		action: 'Estimate cost',
		description:
			'Count what finding the emails of all input items would cost at most. Looks nothing up and costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
		displayOptions: notForTools,
	},
	fields: [...personFields, existingEmailField, optionsField([...ageOptions, countryOption])],
});
