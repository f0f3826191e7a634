import type { IDataObject } from 'n8n-workflow';

import type { Answers } from '../shared/lookups/lookup';
import { textAt } from '../shared/values/json';
import { hasEmail } from './foundEmail';
import type { Person } from './person';

/** The path of the bulk finder and of its jobs (interface specification 4.6). */
export const BULK_PATH = '/api/v2/find_bulk';

/** The most rows of one request (interface specification 8). */
export const MAX_ROWS = 100;

/** The rows of a bulk request (2.8). Their `tId` counts from 1 within the request. */
export function toRows(people: Person[]): IDataObject[] {
	return people.map(({ fullName, ...person }, index) => ({
		tId: index + 1,
		...person,
		...(fullName !== undefined && { name: fullName }),
	}));
}

/** Rows by their `tId`, the first of each: the service may repeat rows, and send the `tId` as text. */
export function rowsById(rows: IDataObject[]): Map<string | null, IDataObject> {
	const byId = new Map<string | null, IDataObject>();
	for (const row of rows) {
		const id = textAt(row, 'tId');
		if (!byId.has(id)) byId.set(id, row);
	}
	return byId;
}

/**
 * The answers in the order of the request, by the `tId` of their rows and never by their position: the
 * service may leave rows out, or add others.
 */
export function matchRows(
	{ rows, jobId }: { rows: IDataObject[]; jobId?: string },
	people: number,
): Answers {
	const byId = rowsById(rows);
	const results = Array.from({ length: people }, (_, index) => {
		const row = byId.get(String(index + 1));
		return row && (hasEmail(row) ? [row] : []);
	});
	return { results, jobId };
}
