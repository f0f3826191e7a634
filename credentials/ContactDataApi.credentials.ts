import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { ACCOUNT_PATH } from '../nodes/shared/lists';
import { goesTo } from '../nodes/shared/request/baseUrl';
import { connectionOf, type Connection } from '../nodes/shared/request/connection';
import { INTERFACE_DEFAULTS } from '../nodes/shared/request/interfaceSettings';
import { asServiceError, inFull } from '../nodes/shared/request/serviceError';

/** The fields that are one variant of the interface specification each. */
const interfaceFields: INodeProperties[] = [
	{
		displayName: 'Bulk Finder Body',
		name: 'bulkFinderBody',
		type: 'options',
		default: INTERFACE_DEFAULTS.bulkFinderBody,
		options: [
			{ name: 'Array of Rows', value: 'array', description: '[{ … }, { … }]' },
			{ name: 'Object with People', value: 'people', description: '{ "people": [{ … }, { … }] }' },
		],
		description: 'How the rows of Find Emails in Bulk are sent',
	},
	{
		displayName: 'Bulk Verifier Path',
		name: 'bulkVerifierPath',
		type: 'string',
		default: INTERFACE_DEFAULTS.bulkVerifierPath,
		placeholder: 'e.g. /v3/verify_bulk',
		description: 'The path to which Verify Emails in Bulk sends its requests',
	},
	{
		displayName: 'Bulk Verifier Query',
		name: 'bulkVerifierQuery',
		type: 'options',
		default: INTERFACE_DEFAULTS.bulkVerifierQuery,
		options: [
			{ name: 'Comma-Separated (email=a,b)', value: 'comma' },
			{ name: 'Repeated (email=a&email=b)', value: 'repeat' },
		],
		description: 'How the addresses of Verify Emails in Bulk are sent',
	},
	{
		displayName: 'Company Name Parameter',
		name: 'companyNameParameter',
		type: 'options',
		default: INTERFACE_DEFAULTS.companyNameParameter,
		options: [
			{ name: 'Company (company=Acme)', value: 'company' },
			{ name: 'Company Name (companyName=Acme)', value: 'companyName' },
		],
		description: 'The parameter in which Find Email sends the name of the company',
	},
	{
		displayName: 'Company Search Path',
		name: 'companySearchPath',
		type: 'string',
		default: INTERFACE_DEFAULTS.companySearchPath,
		placeholder: 'e.g. /company/search',
		description: 'The path to which Search Company sends its requests',
	},
	{
		displayName: 'List Page Size',
		name: 'listPageSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: INTERFACE_DEFAULTS.listPageSize,
		description: 'Max number of leads that Get List Leads asks for per page',
	},
];

const STATUS_MESSAGES: Array<[statuses: number[], message: string]> = [
	[
		[301, 302, 303, 307, 308],
		'The Base URL redirects elsewhere. Enter the address that the service itself has.',
	],
	[[401], 'The service did not accept the API key. Check it in the settings of your account.'],
	[[402, 403], 'The account has no access to this interface. Check its plan.'],
	[[404], 'There is no account at this Base URL. Check the address.'],
	[[429], 'The service asks for fewer requests. Test again in a minute.'],
	[
		[500, 502, 503, 504],
		'The service is not able to answer at the moment. Test again in a minute.',
	],
];

const statusRules = STATUS_MESSAGES.flatMap(([statuses, message]) =>
	statuses.map((value) => ({ type: 'responseCode' as const, properties: { value, message } })),
);

/** Every form of an account has an email; a web page or another service sends none. */
const accountRule = {
	type: 'responseSuccessBody' as const,
	properties: {
		key: 'email',
		value: undefined,
		message:
			'What answers at this Base URL is not the service: it sent no account. Check the address.',
	},
};

/** The connection; throws what n8n's dialog of the credential shows: the message alone. */
function acceptedConnection(credentials: ICredentialDataDecryptedObject): Connection {
	try {
		return connectionOf(credentials);
	} catch (error) {
		throw new Error(inFull(asServiceError(error)));
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
			description: 'Address of the service, which has to start with https://',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key from the settings of your account. Requests carry it as X-Access-Key.',
		},
		{
			displayName: 'Customize Interface',
			name: 'customizeInterface',
			type: 'boolean',
			default: false,
			description: 'Whether your service differs from the usual one in the points below',
		},
		...interfaceFields.map((field) => ({
			...field,
			displayOptions: { show: { customizeInterface: [true] } },
		})),
	];

	/** Adds the key, after a check that it goes to the service of this credential and nowhere else. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { apiKey, baseUrl } = acceptedConnection(credentials);
		if (!goesTo(baseUrl, request.url, request.baseURL)) {
			throw new Error(
				'The API key is sent to the Base URL of the credential only, and this request goes elsewhere. Use an address that begins with the Base URL.',
			);
		}
		return { ...request, headers: { ...request.headers, 'X-Access-Key': apiKey } };
	};

	/** Reads the account, which costs no credits (interface specification 4.1). */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: ACCOUNT_PATH,
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		},
		// n8n applies both kinds of rules; its type wants a list of one kind.
		rules: [...statusRules, accountRule] as ICredentialTestRequest['rules'],
	};
}
