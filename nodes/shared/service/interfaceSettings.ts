import type { IDataObject } from 'n8n-workflow';

import { toText } from '../values/text';

/**
 * The request-side variants of the interface specification: one setting each, as the credential
 * stores it, with the main form as its default.
 */
export const INTERFACE_DEFAULTS = {
	/** 4.6: `array` (a bare list of rows) or `people` (an object that holds them). */
	bulkFinderBody: 'array',
	/** 4.8: `repeat` (`email=a&email=b`) or `comma` (`email=a,b`). */
	bulkVerifierQuery: 'repeat',
	/** 4.8: the path of the bulk verifier. */
	bulkVerifierPath: '/v3/verify_bulk',
	/** 4.10: the path of the company search. */
	companySearchPath: '/company/search',
	/** 4.5: the finder's parameter for a company name, `company` or `companyName`. */
	companyNameParameter: 'company',
	/** 4.3: the most leads that the service gives per page. */
	listPageSize: 500,
};

export type InterfaceSettings = typeof INTERFACE_DEFAULTS;

/** The settings of a credential: the defaults, unless its switch "Customize API Requests" is on. */
export function interfaceSettings(credentials: IDataObject): InterfaceSettings {
	if (credentials.customizeInterface !== true) return INTERFACE_DEFAULTS;
	const text = (name: keyof InterfaceSettings & string) => toText(credentials[name]);
	return {
		bulkFinderBody: text('bulkFinderBody') || INTERFACE_DEFAULTS.bulkFinderBody,
		bulkVerifierQuery: text('bulkVerifierQuery') || INTERFACE_DEFAULTS.bulkVerifierQuery,
		bulkVerifierPath: text('bulkVerifierPath') || INTERFACE_DEFAULTS.bulkVerifierPath,
		companySearchPath: text('companySearchPath') || INTERFACE_DEFAULTS.companySearchPath,
		companyNameParameter: text('companyNameParameter') || INTERFACE_DEFAULTS.companyNameParameter,
		listPageSize: Math.max(
			1,
			Math.floor(Number(text('listPageSize'))) || INTERFACE_DEFAULTS.listPageSize,
		),
	};
}
