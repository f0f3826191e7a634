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

/** What stands in the options of a node, and of lookups in their Advanced. */
const OPTIONS = ['includeInputFields', 'simple'];
const ADVANCED = [
	'simple',
	'jobTimeout',
	'incompleteRun',
	'maxConcurrency',
	'maxRetries',
	'maxRateLimitWait',
];
const READS = ['get', 'getAll', 'getLeads', 'exportLeads', 'getBulkJob', 'check'];

/**
 * The parameters of a node where n8n saves them, of a test that names them side by side. One that fills in a field of the lead
 * has added all of them under Lead Fields, the others as they are above; with `leadFields: 'auto'` it has added none.
 */
export function asSaved(type: string, parameters: INodeParameters = {}): INodeParameters {
	const ofLead = chosenFields[type];
	if (!ofLead && !type.startsWith('contactData')) return parameters;
	const { leadFields = {}, options = {}, ...all } = parameters;
	const fields: INodeParameters = { ...(options as INodeParameters) };
	const added: INodeParameters = {};
	const others: INodeParameters = {};
	for (const [name, value] of Object.entries(all)) {
		const target = ofLead && name in ofLead ? added : OPTIONS.includes(name) ? fields : others;
		target[name] = value;
	}
	if (!READS.includes(String(all.operation))) {
		const advanced = ADVANCED.filter((name) => name in fields).map((name) => [name, fields[name]]);
		for (const name of ADVANCED) delete fields[name];
		if (advanced.length > 0) fields.advanced = Object.fromEntries(advanced);
	}
	const lead = leadFields === 'auto' ? {} : (leadFields as INodeParameters);
	const isAdded = leadFields !== 'auto' && Object.keys(added).length > 0;
	return {
		...others,
		...(isAdded || Object.keys(lead).length > 0
			? { leadFields: isAdded ? { ...ofLead, ...lead, ...added } : lead }
			: {}),
		...(Object.keys(fields).length > 0 && { options: fields }),
	};
}
