import { once } from 'node:events';
import { styleText } from 'node:util';

import { Failure } from '../machine/failure.mjs';
import { startService, type Service } from '../service/service.mts';
import { mainVariants, type Variants } from '../service/variants.mts';
import { runCommand } from './command.mts';
import { readOptions } from './options.mts';

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
	const service = await startService({
		port: toNumber('port', given.port),
		latencyMs: toNumber('latency', given.latency),
		...(given.rate !== undefined && { rateLimit: { perSecond: toNumber('rate', given.rate) } }),
		...(given.credits !== undefined && {
			creditsLeft: allKinds(toNumber('credits', given.credits)),
		}),
		variants: { ...variantsOf(given.variant), ...(given.jobs && { bulkAnswer: 'job' }) },
	});
	if (given.fail !== undefined) {
		service.faults.add({ status: toNumber('fail', given.fail), on: { every: FAIL_EVERY } });
	}
	tell(service);
	if (!signal.aborted) await once(signal, 'abort');
	console.log(`${service.requests.length} requests, ${service.ledger.total()} credits`);
	await service.close();
	return 0;
});

/** Prints where it is, and every request that comes. */
function tell(service: Service): void {
	const [account] = service.fixtures.accounts;
	console.log(`${styleText('bold', 'Base URL')}  ${service.baseUrl}
${styleText('bold', 'API key')}   ${account?.key}

People to look up: ${somePeople(service)}. Lists: ${service.fixtures.lists.map(({ id }) => id).join(', ')}.
Ctrl-C ends it.
`);
	service.onRequest(({ method, path, rawQuery }) =>
		console.log(`${method} ${path}${rawQuery && `?${rawQuery}`}`),
	);
}

function somePeople({ fixtures }: Service): string {
	const found = fixtures.people.filter(({ email }) => email !== null).slice(0, 3);
	return found.map(({ full, company }) => `${full} at ${company.domain}`).join(', ');
}

function allKinds(credits: number) {
	return { email: credits, verifier: credits, search: credits };
}

function toNumber(option: string, text: string): number {
	const number = Number(text);
	if (text.trim() !== '' && Number.isInteger(number) && number >= 0) return number;
	throw refused(`"${text}" is no number for --${option}.`);
}

/** The variants that are named, each as the type of the main form. */
function variantsOf(texts: string[]): Partial<Variants> {
	const main: object = mainVariants();
	const given = texts.map((text) => {
		const [name = '', value = ''] = text.split(/=(.*)/s, 2);
		const byDefault: unknown = Object.hasOwn(main, name) ? Reflect.get(main, name) : undefined;
		if (byDefault === undefined || value === '') throw refused(`There is no variant "${text}".`);
		if (typeof byDefault === 'number') return [name, toNumber('variant', value)];
		if (typeof byDefault === 'boolean') return [name, value === 'true'];
		return [name, Array.isArray(byDefault) ? value.split(',') : value];
	});
	return Object.fromEntries(given);
}

function refused(message: string): Failure {
	return new Failure(message, {
		remedy: `See \`npm run service -- --help\`. Variants: ${Object.keys(mainVariants()).join(', ')}.`,
	});
}
