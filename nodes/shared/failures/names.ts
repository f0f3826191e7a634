import type { IDataObject } from 'n8n-workflow';

/** The names under which an item says what came of a lookup. Only an earlier lookup has written fields with these names. */
function namesOf(lookup: string) {
	return {
		status: `${lookup}Status`,
		reason: `${lookup}Reason`,
		message: `${lookup}Message`,
		credits: `${lookup}Credits`,
		jobId: `${lookup}JobId`,
		jobRow: `${lookup}JobRow`,
		response: `${lookup}Response`,
		checkedAt: `${lookup}CheckedAt`,
	};
}

export type Names = ReturnType<typeof namesOf>;

/** Those of a Finder or a Verifier, which share the date of the email. */
export const OF_LOOKUP: Names = { ...namesOf('lookup'), checkedAt: 'checkedAt' };

/** Those of Search Company: it stands beside an email. */
export const OF_COMPANY = namesOf('company');

const SAID = Object.keys(OF_LOOKUP) as Array<keyof Names>;

/** What an item says of a lookup, under its names. What has no name there, the status code, is left out. */
export function named(
	said: Partial<Record<keyof Names, IDataObject[string]>>,
	names: Names,
): IDataObject {
	const fields: IDataObject = {};
	for (const name of SAID) if (name in said) fields[names[name]] = said[name];
	return fields;
}
