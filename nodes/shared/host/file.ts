import type { IDataObject } from 'n8n-workflow';
import { STATUSES } from '../failures/reasons';

/**
 * Undoes what n8n's conversion to a file does to our fields: it makes columns `lookup.status`, `lookup.email` of a field
 * `lookup`, and reads the byte order mark of a CSV file as part of the first name. Returns any other item as it is, also
 * one whose field for the result is filled in, as that is newer.
 * @param resultField the field for the result; without it, the result is in the item itself
 */
export function asBeforeFile(item: IDataObject, resultField?: string): IDataObject {
	const prefix = resultField === undefined ? '\uFEFF' : `${resultField}.`;
	const held = resultField === undefined ? '' : (item[resultField] ?? '');
	if (held !== '' || !STATUSES.has(item[`${prefix}status`])) return item;
	const ours = Object.keys(item).filter((name) => name.startsWith(prefix));
	const result = Object.fromEntries(ours.map((name) => [name.slice(prefix.length), item[name]]));
	const others = { ...item };
	for (const name of ours) delete others[name];
	return resultField === undefined
		? { ...result, ...others }
		: { ...others, [resultField]: result };
}
