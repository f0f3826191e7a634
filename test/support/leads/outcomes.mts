import type { IDataObject } from 'n8n-workflow';

/** The statuses of items without a result. */
export const PROBLEMS = ['invalid_input', 'not_processed', 'pending', 'failed'];

/** The statuses of the package's items. */
export const STATUSES = ['found', 'verified', 'known', 'skipped', 'not_found', ...PROBLEMS];

/** What goes with a status of an item without a result, when that is replaced. */
export const STALE = ['reason', 'message', 'httpCode', 'jobId', 'jobRow'];

export function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** The items without the moment of their answer, which differs from run to run. */
export function timeless(items: IDataObject[]): IDataObject[] {
	const text = JSON.stringify(items);
	return JSON.parse(text.replaceAll(/"checkedAt":"20\d\d-[^"]+Z"/g, '"checkedAt":"then"'));
}
