import type { INode } from 'n8n-workflow';

import { outputOf, type Execution } from '../../hosts/execution.mts';
import { ALONE, type Host } from '../../hosts/host.mts';
import { node } from '../../support/realN8n/savedNodes.mts';
import { until } from '../../support/until.mts';

/** Waits for a call; n8n stores the execution and forgets it. The first node tells what to call. */
export function waiting(webhookId: string): INode[] {
	const url = { id: 'url', name: 'url', type: 'string', value: '={{ $execution.resumeUrl }}' };
	const parameters = { assignments: { assignments: [url] }, options: {} };
	const wait = node('Wait', 'n8n-nodes-base.wait', 1.1, { resume: 'webhook', options: {} });
	return [node('Url', 'n8n-nodes-base.set', 3.4, parameters), { ...wait, webhookId }];
}

/** Calls what an execution waits for. */
export async function resume({ url }: Host, execution: Execution): Promise<void> {
	const { pathname, search } = new URL(String(outputOf(execution, 'Url')[0]?.json.url));
	// n8n opens its webhooks some time after it said that it is there.
	const call = async () => (await fetch(`${url}${pathname}${search}`, { headers: ALONE })).ok;
	await until(call);
}
