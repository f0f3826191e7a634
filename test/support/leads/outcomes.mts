import type { IDataObject } from 'n8n-workflow';

/** The statuses of items without a result. */
const PROBLEMS = ['invalid_input', 'not_processed', 'pending', 'failed'];

/** The statuses of the package's items. */
export const STATUSES = ['found', 'verified', 'known', 'skipped', 'not_found', ...PROBLEMS];

/** The fields that say why an item has no result, and which bulk job has it. */
export const WHY = ['lookupReason', 'lookupMessage'];
export const JOB = ['lookupJobId', 'lookupJobRow'];

export const isOurs = ({ lookupStatus }: IDataObject) => STATUSES.includes(String(lookupStatus));
export const isProblem = ({ lookupStatus }: IDataObject) => PROBLEMS.includes(String(lookupStatus));

/** The fields of an object whose names are, or are not, among these. */
export function picked(fields: IDataObject, names: string[], isWanted = true): IDataObject {
	const isPicked = ([name]: [string, unknown]) => names.includes(name) === isWanted;
	return Object.fromEntries(Object.entries(fields).filter(isPicked));
}

export function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** The items without the moment of their answer, which differs from run to run. */
export function timeless(items: IDataObject[]): IDataObject[] {
	const text = JSON.stringify(items);
	return JSON.parse(text.replaceAll(/(heckedAt":)"20\d\d-[^"]+Z"/g, '$1"then"'));
}
