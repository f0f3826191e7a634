import { parseArgs } from 'node:util';

import { startService } from './service.mts';

const { values } = parseArgs({
	options: { port: { type: 'string', default: '8055' }, seed: { type: 'string', default: '1' } },
});

const service = await startService({ port: Number(values.port), seed: Number(values.seed) });
const [account] = service.fixtures.accounts;
console.log(`Contact data service: ${service.baseUrl}`);
console.log(`Access key: ${account?.key}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => void service.close());
}
