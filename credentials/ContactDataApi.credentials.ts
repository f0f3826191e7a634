import { inFull, problemOf } from '../nodes/shared/failures/failure';
import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { testMessages } from '../nodes/shared/http/codes';
import { connectionOf, goesTo, INTERFACE_DEFAULTS } from '../nodes/shared/http/connection';
import { ACCOUNT_PATH } from '../nodes/shared/api/account';

type InterfaceField = Omit<INodeProperties, 'default'> & { name: keyof typeof INTERFACE_DEFAULTS };

/** One field for each request-side variant of the interface specification. */
const interfaceFields: InterfaceField[] = [
	{
		displayName: 'Bulk Finder Body',
		name: 'bulkFinderBody',
		type: 'options',
		options: [
			{ name: 'Array of Rows', value: 'array', description: '[{ … }, { … }]' },
			{ name: 'Object with People', value: 'people', description: '{ "people": [{ … }, { … }] }' },
		],
		description: 'Format of the request body for Find Emails in Bulk',
	},
	{
		displayName: 'Bulk Verifier Path',
		name: 'bulkVerifierPath',
		type: 'string',
		placeholder: 'e.g. /v3/verify_bulk',
		description: 'Path for Verify Emails in Bulk, relative to the Base URL',
	},
	{
		displayName: 'Bulk Verifier Query',
		name: 'bulkVerifierQuery',
		type: 'options',
		options: [
			{ name: 'Comma-Separated (email=a,b)', value: 'comma' },
			{ name: 'Repeated (email=a&email=b)', value: 'repeat' },
		],
		description: 'How Verify Emails in Bulk puts the emails in the query',
	},
	{
		displayName: 'Company Name Parameter',
		name: 'companyNameParameter',
		type: 'options',
		options: [
			{ name: 'Company (company=Acme)', value: 'company' },
			{ name: 'Company Name (companyName=Acme)', value: 'companyName' },
		],
		description: 'Query parameter for the company name in Find Email',
	},
	{
		displayName: 'Company Search Path',
		name: 'companySearchPath',
		type: 'string',
		placeholder: 'e.g. /company/search',
		description: 'Path for Search Company, relative to the Base URL',
	},
	{
		displayName: 'List Page Size',
		name: 'listPageSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		description: 'Max number of leads to request per page in Get List Leads',
	},
];

const REDIRECTS = [301, 302, 303, 307, 308].map((value) => ({
	value,
	message: 'The Base URL redirects. Enter the final URL.',
}));

const statusRules = [...REDIRECTS, ...testMessages()].map((properties) => ({
	type: 'responseCode' as const,
	properties,
}));

/** Every variant of an account has an email; a web page or another service sends none. */
const accountRule = {
	type: 'responseSuccessBody' as const,
	properties: {
		key: 'email',
		value: undefined,
		message: 'The Base URL responded, but not with account data. Check the URL.',
	},
};

/** n8n's dialog of the credential shows the message of an error alone, so it holds the description too. */
function acceptedConnection(credentials: ICredentialDataDecryptedObject) {
	try {
		return connectionOf(credentials);
	} catch (error) {
		throw new Error(inFull(problemOf(error)));
	}
}

/** The address of the service, the key of an account there, and the settings of its interface. */
export class ContactDataApi implements ICredentialType {
	name = 'contactDataApi';
	displayName = 'Contact Data API';

	icon: Icon = {
		light: 'file:../icons/contactData.svg',
		dark: 'file:../icons/contactData.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-contact-data/n8n-nodes-contact-data#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description: "URL of your provider's API. Uses https, except on localhost.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'API key from your account settings. Sent in the X-Access-Key header.',
		},
		{
			displayName: 'Customize API Requests',
			name: 'customizeInterface',
			type: 'boolean',
			default: false,
			description:
				"Whether to change paths and request formats. Turn on only if your provider's API differs from the defaults.",
		},
		...interfaceFields.map((field) => ({
			...field,
			default: INTERFACE_DEFAULTS[field.name],
			displayOptions: { show: { customizeInterface: [true] } },
		})),
	];

	/** Adds the key to a request to the Base URL, which it cleans; throws an error if the request goes elsewhere. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions & { uri?: string },
	): Promise<IHttpRequestOptions> => {
		const { apiKey, baseUrl } = acceptedConnection(credentials);
		// n8n's test of the credential has the Base URL as it was typed.
		const baseURL = request.baseURL === credentials.baseUrl ? baseUrl : request.baseURL;
		// n8n's HTTP Request node uses `uri`.
		if (!goesTo(baseUrl, request.url ?? request.uri, baseURL)) {
			throw new Error(
				'The API key is only sent to the Base URL of the credential, and this request goes elsewhere. Use a URL that starts with the Base URL.',
			);
		}
		const headers = { ...request.headers, 'X-Access-Key': apiKey };
		// A redirect would send the key elsewhere; n8n's HTTP Request node uses the names `follow…`.
		const notRedirected = { followRedirect: false, followAllRedirects: false };
		return { ...request, baseURL, ...notRedirected, disableFollowRedirect: true, headers };
	};

	/** Reads the account, which costs no credits (interface specification 4.1). */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: ACCOUNT_PATH,
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		},
		// n8n applies both kinds of rules; its type allows one kind per list.
		rules: [...statusRules, accountRule] as ICredentialTestRequest['rules'],
	};
}
