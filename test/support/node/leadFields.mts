import type { INodeParameters } from 'n8n-workflow';

/** The fields of each node that Lead Fields shows, as references to what items of this package have there. */
const chosenFields: Record<string, INodeParameters> = {
	contactDataFinder: {
		...{ fullName: '={{ $json.fullName }}', firstName: '={{ $json.firstName }}' },
		...{ lastName: '={{ $json.lastName }}', domain: '={{ $json.domain }}' },
		...{ company: '={{ $json.company }}', existingEmail: '={{ $json.email }}' },
	},
	contactDataVerifier: { email: '={{ $json.email }}', existingStatus: '={{ $json.emailStatus }}' },
	contactDataCompany: {
		keyword: '={{ $json.domain }}',
		...{ companyWebsite: '={{ $json.domain }}', companyName: '={{ $json.company }}' },
	},
};

/** A test that fills in one of these fields has set Lead Fields to Choose Below, and the others as they are above. */
export function withLeadFields(type: string, parameters: INodeParameters = {}): INodeParameters {
	const fields = chosenFields[type] ?? {};
	const isChosen = Object.keys(fields).some((name) => name in parameters);
	return isChosen ? { leadFields: 'manual', ...fields, ...parameters } : parameters;
}
