import { isDeepStrictEqual } from 'node:util';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { formOf, mainVariants, type Variants } from '../../emulator/variants.mts';

/** Services that somebody could run, in which each variant has each of its values, but for those that fail. */
export const emulatorForms = [0, 1, 2, 3, 4].map(
	(index): Variants => ({
		...formOf(index),
		bulkAnswer: index === 0 ? 'rows' : 'job',
		jobOutcome: 'completed',
		// Without both, there are no lists.
		listIndex: index === 1 ? 'missing' : 'available',
		accountShape: index === 2 ? 'credits' : 'full',
	}),
);

/** One point in which a service may differ from the main form. */
export interface Deviation {
	name: keyof Variants;
	value: unknown;
	form: Variants;
}

/** Every other value of every variant, alone. */
export const deviations = variantNames().flatMap((name): Deviation[] => {
	const values = [0, 1, 2, 3, 4].map((index) => formOf(index)[name]);
	return values
		.filter((value, at) => values.findIndex((one) => isDeepStrictEqual(one, value)) === at)
		.slice(1)
		.map((value) => ({ name, value, form: { ...mainVariants(), [name]: value } }));
});

function variantNames(): Array<keyof Variants> {
	const main = mainVariants();
	return Object.keys(main).filter((name): name is keyof Variants => name in main);
}

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
