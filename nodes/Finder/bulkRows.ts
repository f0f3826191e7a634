import type { IDataObject } from 'n8n-workflow';

import { objectsIn } from '../shared/request/answer';
import { isObject, textAt } from '../shared/values/json';
import type { Person } from './person';

/** The most rows of one request (interface specification 8). */
export const MAX_ROWS = 100;

/** Where an answer may hold its rows, when it is no bare list. */
const ROW_KEYS = ['results', 'people', 'data', 'rows'];

/** The rows of a bulk request (2.8). Their `tId` counts from 1 within the request. */
export function toRows(people: Person[]): IDataObject[] {
	return people.map(({ fullName, ...person }, index) => ({
		tId: index + 1,
		...person,
		...(fullName !== undefined && { name: fullName }),
	}));
}

/** The rows of an answer, or nothing when it has none: the job is not finished. */
export function rowsIn(answer: object): IDataObject[] | undefined {
	if (Array.isArray(answer)) return objectsIn(answer, 'rows');
	if (!isObject(answer)) return undefined;
	const key = ROW_KEYS.find((name) => Array.isArray(answer[name]));
	return key === undefined ? undefined : objectsIn(answer[key], 'rows');
}

/**
 * The rows in the order of the request, by their `tId` and never by their position: the service may
 * leave rows out, repeat them or add others, and may send the `tId` as a number or as text.
 */
export function matchRows(rows: IDataObject[], sent: number): Array<IDataObject | undefined> {
	const byId = new Map<string | null, IDataObject>();
	for (const row of rows) {
		const id = textAt(row, 'tId');
		if (!byId.has(id)) byId.set(id, row);
	}
	return Array.from({ length: sent }, (_, index) => byId.get(String(index + 1)));
}
