import { request } from 'undici';

import { rowsOf, type BulkRow } from '../../service/operations/bulkFinder.mts';
import { KEY } from '../../support/service.mts';

/**
 * Sends these bodies to the bulk finder, so many at once, and does nothing with the answers but parse
 * them: no client that asks the same can be much faster.
 *
 * @returns the rows of all answers, in the order of the bodies
 */
export async function findAll(
	baseUrl: string,
	bodies: readonly unknown[],
	atOnce: number,
): Promise<BulkRow[]> {
	const answers: BulkRow[][] = [];
	const waiting = bodies.entries();
	const send = async () => {
		for (const [index, rows] of waiting) answers[index] = await find(baseUrl, rows);
	};
	await Promise.all(Array.from({ length: atOnce }, send));
	return answers.flat();
}

async function find(baseUrl: string, rows: unknown): Promise<BulkRow[]> {
	const { statusCode, body } = await request(`${baseUrl}/api/v2/find_bulk`, {
		method: 'POST',
		headers: {
			'x-access-key': KEY,
			accept: 'application/json',
			'content-type': 'application/json',
		},
		body: JSON.stringify(rows),
	});
	const answer = await body.json();
	if (statusCode !== 200) throw new Error(`The service answered ${statusCode}`);
	return rowsOf(answer);
}
