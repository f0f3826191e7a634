import { Agent, request } from 'undici';

import { KEY } from '../../support/servers/service.mts';
import type { Sent } from './serviceProgram.mts';

/**
 * Sends these requests again, so many at once, and does nothing with the answers but parse them: no
 * client that asks the same can be much faster.
 *
 * @returns the answers, in the order of the requests
 */
export async function replay(
	baseUrl: string,
	requests: readonly Sent[],
	atOnce: number,
): Promise<unknown[]> {
	const agent = new Agent();
	const answers: unknown[] = [];
	const waiting = requests.entries();
	const send = async () => {
		for (const [index, { method, path, body }] of waiting) {
			const answer = await request(`${baseUrl}${path}`, {
				method,
				dispatcher: agent,
				headers: {
					'x-access-key': KEY,
					accept: 'application/json',
					...(body !== undefined && { 'content-type': 'application/json' }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			});
			answers[index] = await answer.body.json();
		}
	};
	try {
		await Promise.all(Array.from({ length: atOnce }, send));
		return answers;
	} finally {
		await agent.close();
	}
}
