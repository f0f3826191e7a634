import { once } from 'node:events';
import { styleText } from 'node:util';

import { Failure } from '../machine/failure.mjs';
import { peopleToTry } from '../emulator/demo.mts';
import { startService, type Service } from '../emulator/service.mts';
import { variantValues, type Variants } from '../emulator/variants.mts';
import { readOptions, runCommand } from './command.mjs';

const PORT = 8055;
const FAIL_EVERY = 7;

await runCommand(async (signal) => {
	const given = readOptions('npm run service', {
		port: { type: 'string', default: String(PORT) },
		latency: { type: 'string', default: '0' },
		rate: { type: 'string' },
		credits: { type: 'string' },
		jobs: { type: 'boolean', default: false },
		fail: { type: 'string' },
		variant: { type: 'string', multiple: true, default: [] },
	});
	const port = toNumber('port', given.port);
	const credits = toNumber('credits', given.credits ?? '0');
	const service = await startService({
		demo: true,
		port,
		latencyMs: toNumber('latency', given.latency),
		...(given.rate && { rateLimit: { perSecond: toNumber('rate', given.rate) } }),
		...(given.credits && { creditsLeft: { email: credits, verifier: credits, search: credits } }),
		variants: { ...variantsOf(given.variant), ...(given.jobs && { bulkAnswer: 'job' }) },
	});
	if (given.fail !== undefined) {
		service.faults.add({ status: toNumber('fail', given.fail), on: { every: FAIL_EVERY } });
	}
	tell(service);
	if (!signal.aborted) await once(signal, 'abort');
	console.log(`${service.requests.length} requests, ${service.ledger.total()} credits`);
	await service.close();
});

/** Prints where it is, and every request that comes. */
function tell(service: Service): void {
	const { accounts, lists } = service.fixtures;
	console.log(`${styleText('bold', 'Base URL')}  ${service.baseUrl}
${styleText('bold', 'API key')}   ${accounts[0]?.key}

People to look up: ${peopleToTry(service.fixtures)}. Lists: ${lists.map(({ id }) => id).join(', ')}.
Ctrl-C ends it.
`);
	service.onRequest(({ method, path, rawQuery }) =>
		console.log(`${method} ${path}${rawQuery && `?${rawQuery}`}`),
	);
}

function toNumber(option: string, text: string): number {
	const number = Number(text);
	if (text.trim() !== '' && Number.isInteger(number) && number >= 0) return number;
	throw refused(`"${text}" is no number for --${option}.`);
}

function variantsOf(texts: string[]): Partial<Variants> {
	const switches = new Map<string, readonly unknown[]>(Object.entries(variantValues));
	const given = texts.map((text) => {
		const [name = '', value] = text.split(/=(.*)/s, 2);
		const chosen = switches.get(name)?.find((one) => String(one) === value);
		if (chosen === undefined) throw refused(`There is no variant "${text}".`);
		return [name, chosen];
	});
	return Object.fromEntries(given);
}

function refused(message: string): Failure {
	return new Failure(message, {
		remedy: `See \`npm run service -- --help\`. Variants: ${Object.keys(variantValues).join(', ')}.`,
	});
}
