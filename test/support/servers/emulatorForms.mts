import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { formOf, mainVariants, variantValues, type Variants } from '../../emulator/variants.mts';

/** Services that somebody could run, in which each variant has each of its values, but for those that fail. */
export const emulatorForms = [0, 1, 2, 3, 4].map(
	(index): Variants => ({
		...formOf(index),
		bulkAnswer: index === 0 ? 'rows' : 'job',
		jobOutcome: 'completed',
		// Without both, there are no lists.
		listIndex: index === 1 ? 'missing' : 'available',
		accountShape: ([, , 'credits', 'flat'] as const)[index] ?? 'full',
	}),
);

/** Every other value of every variant, alone: each is a point in which a service may differ from the main form. */
export const deviations = Object.entries(variantValues).flatMap(([name, values]) =>
	values.slice(1).map((value) => ({
		name: name as keyof Variants,
		value,
		form: { ...mainVariants(), [name]: value },
	})),
);

/** What a credential for such a service says of its requests. */
export function settingsFor(form: Variants): ICredentialDataDecryptedObject {
	return {
		bulkFinderBody: form.bulkBody,
		bulkVerifierPath: form.verifyBulkPath,
		bulkVerifierQuery: form.verifyBulkQuery,
		companySearchPath: form.companySearchPath,
		companyNameParameter: form.finderCompanyParameter,
		listPageSize: form.leadsMaxSize,
	};
}
