import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { runWorkflow } from '../../support/engine.mts';
import { KEY } from '../../support/service.mts';
import type { Sent } from './serviceMessages.mts';

/**
 * Sends these requests again through n8n's request helper, so many at once, from a node that does nothing
 * else: what no node of n8n can do without.
 *
 * @returns how long it took, in milliseconds
 */
export async function replayInN8n(
	baseUrl: string,
	requests: readonly Sent[],
	atOnce: number,
): Promise<number> {
	const other: INodeType = {
		description: {
			displayName: 'Requests',
			name: 'other',
			group: ['transform'],
			version: 1,
			description: 'Sends the requests of a benchmark',
			defaults: { name: 'Requests' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			const waiting = requests.values();
			const send = async () => {
				for (const { path } of waiting) {
					await this.helpers.httpRequest({
						baseURL: baseUrl,
						url: path,
						headers: { accept: 'application/json', 'x-access-key': KEY },
						ignoreHttpStatusErrors: true,
						returnFullResponse: true,
					});
				}
			};
			await Promise.all(Array.from({ length: atOnce }, send));
			return [this.getInputData()];
		},
	};
	const run = await runWorkflow({
		nodes: [
			{ name: 'Start', type: 'start', parameters: { items: '[{}]' } },
			{ name: 'Requests', type: 'other' },
		],
		connections: ['Start > Requests'],
		credential: { baseUrl, apiKey: KEY },
		types: { other },
	});
	const [task] = run.data.resultData.runData.Requests ?? [];
	if (!task || task.error) throw task?.error ?? new Error('The node did not run');
	return task.executionTime;
}
