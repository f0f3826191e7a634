import type { NodeContext } from '../../nodes/shared/host/context.ts';
import { loadOptionsContext } from './loadOptions.mts';

function notHere(): never {
	throw new TypeError('Not here');
}

/** What n8n gives a node, as far as it concerns the credential of its items. */
export function credentialContext(credential: NodeContext['credential']): NodeContext {
	const n8n = loadOptionsContext('contactDataFinder', {});
	return {
		n8n,
		node: n8n.getNode(),
		inputs: [],
		executionId: '1',
		logger: n8n.logger,
		isManual: false,
		signal: undefined,
		json: notHere,
		parameter: notHere,
		credential,
		memory: notHere,
		customData: notHere,
		hint: notHere,
	};
}
