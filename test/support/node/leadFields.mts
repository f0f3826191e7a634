import type { INodeParameters } from 'n8n-workflow';

/** The fields of each node that stand in its Lead Fields, as references to what items of this package have there. */
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

/**
 * A test that fills in one of these fields has added all of them under Lead Fields, the others as they are above; with
 * `leadFields: 'auto'` it has added none.
 */
export function withLeadFields(type: string, parameters: INodeParameters = {}): INodeParameters {
	const fields = chosenFields[type] ?? {};
	const { leadFields = fields, ...all } = parameters;
	const entries = Object.entries(all);
	const [added, others] = [true, false].map((isOfLead) =>
		Object.fromEntries(entries.filter(([name]) => name in fields === isOfLead)),
	);
	if (leadFields === 'auto' || Object.keys(added).length === 0) {
		return { ...others, ...(leadFields !== 'auto' && leadFields !== fields && { leadFields }) };
	}
	return { ...others, leadFields: { ...(leadFields as INodeParameters), ...added } };
}
