import { once } from 'node:events';
import { styleText } from 'node:util';
import { openHost } from '../hosts/open.mts';
import { isFree } from '../machine/ports.mts';
import { owner } from '../hosts/rest.mts';
import { startService } from '../service/service.mts';
import { runCommand } from './command.mts';
import { runExample } from './example.mts';
import { Failure } from '../machine/failure.mjs';
import { leadTable } from './leadTable.mts';
import { readOptions } from './options.mts';
import { step } from './step.mts';

const API_KEY = 'test-key';
const EDITOR_PORT = 5678;

await runCommand(async (signal) => {
	const { once: endAfterRun, port } = readStartOptions();
	if (port !== undefined) await checkPort(port);

	await using resources = new AsyncDisposableStack();
	const service = await step('Start the service emulator', async () => await startService());
	resources.defer(async () => await service.close());
	const opened = resources.use(
		await openHost({ step, signal, ...(port !== undefined && { port }) }),
	);
	const { workflowUrl, leads } = await step(
		'Run the example workflow',
		async () => await runExample(opened, { baseUrl: service.baseUrl, apiKey: API_KEY }),
	);

	console.log(`\n${leadTable(leads)}`);
	const { ledger } = service;
	console.log(
		`${leads.length} leads, ${ledger.total()} credits spent: ` +
			`${ledger.total('findBulk')} to find, ${ledger.total('verifyBulk')} to verify`,
	);
	if (endAfterRun) return 0;

	console.log(`
${styleText('bold', 'n8n')}       ${workflowUrl}
           email ${owner.email}, password ${owner.password}
${styleText('bold', 'Emulator')}  ${service.baseUrl}
           API key ${API_KEY}

Ctrl-C ends both.`);
	if (!signal.aborted) await Promise.race([once(signal, 'abort'), opened.host.exited.then(ended)]);
	return 0;

	function ended(code: number): never {
		throw new Failure(`n8n ended by itself with code ${code}.`, { log: opened.host.log });
	}
});

function readStartOptions(): { once: boolean; port: number | undefined } {
	const { once: endAfterRun, port } = readOptions('npm start', {
		once: { type: 'boolean', default: false },
		port: { type: 'string' },
	});
	if (port !== undefined) return { once: endAfterRun, port: toPort(port) };
	// With --once nobody opens the editor, so any free port will do.
	return { once: endAfterRun, port: endAfterRun ? undefined : EDITOR_PORT };
}

function toPort(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new Failure(`"${text}" is no port number.`, { remedy: 'Use e.g. `--port 5700`.' });
}

async function checkPort(port: number): Promise<void> {
	if (await isFree(port)) return;
	throw new Failure(`Port ${port} is in use.`, {
		remedy: `End what uses it, or take another one: \`npm start -- --port ${port + 1}\`.`,
	});
}
