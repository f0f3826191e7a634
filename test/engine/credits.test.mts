/**
 * @file What items say of `credits`, and executions of their costs, is what the service has charged: in random lines of
 * lookups, over the days for rows that are kept, and over Waits, retries and loops.
 */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedVerification } from '../emulator/addresses.mts';
import type { Effect } from '../emulator/faults.mts';
import {
	chain,
	emits,
	looksUp,
	outputOf,
	runOverWaits,
	spentText,
	toldBy,
	waits,
} from '../support/node/chains.mts';
import { runWorkflow, type TestNode } from '../support/node/engine.mts';
import {
	addressOf,
	findBulk,
	leadOf,
	lookups,
	numbers,
	runInLoop,
	subjectsOf,
	takeOneJob,
	verifyBulk,
	type Lookup,
} from '../support/leads/lookups.mts';
import { objectOf } from '../support/node/operationRow.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, openAccount, useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock();

const HOUR = 60 * 60_000;

/** A node of a line, with the field into which it puts its result. */
interface Link {
	lookup: Pick<Lookup, 'node' | 'parameters' | 'credits'>;
	field: string;
	parameters?: INodeParameters;
	options?: INodeParameters;
}

/** Runs a line over these items; gives what leaves it. */
async function runLine(
	links: Link[],
	items: IDataObject[],
	apiKey?: string,
): Promise<IDataObject[]> {
	const nodes = links.map(({ lookup, field, parameters, options }, index) => {
		const own = {
			...{ ...lookup.parameters, includeInputFields: true, existingEmail: '', existingStatus: '' },
			// By the quick clock an answer takes its time.
			requestOptions: { timeout: 3_600_000 },
			...parameters,
		};
		const all = { jobTimeout: 0, ...options, resultField: field };
		return looksUp(`Node ${index}`, { ...lookup, parameters: own }, all);
	});
	const credential = { ...credentialFor(service()), ...(apiKey && { apiKey }) };
	const line = [emits('Start', items), ...nodes];
	const run = await runWorkflow(chain(line, credential));
	expect(run.data.resultData.error).toBeUndefined();
	return outputOf(run, line[line.length - 1].name);
}

/** What an item says that it has cost, in each of these fields. */
function costsOf(json: IDataObject, fields: string[]): unknown[] {
	const targets = [...new Set(fields)].map((field) =>
		field === '' ? json : objectOf(json[field]),
	);
	return targets.map(({ credits = 0 }) => credits);
}

/** What the service has charged for a lead. */
function chargedFor(number: number): number {
	return service().ledger.bySubject().get(addressOf(number)) ?? 0;
}

const sum = (costs: unknown[]) => costs.reduce<number>((all, cost) => all + Number(cost), 0);

describe('a random line of lookups', () => {
	const email = '={{ $json.found?.email || $json.email }}';
	const link = fc
		.tuple(fc.constantFrom(...lookups), fc.boolean(), fc.boolean(), fc.nat(1))
		.map(([lookup, isApart, takesKnown, maxRetries]): Link => {
			const field = !isApart ? '' : lookup.credits === 'email' ? 'found' : 'checked';
			const status = `={{ $json${isApart ? '.checked?' : ''}.emailStatus }}`;
			const known = takesKnown ? { existingEmail: email, existingStatus: status } : {};
			return { lookup, field, parameters: { email, ...known }, options: { maxRetries } };
		});
	const status = fc.constantFrom('valid', 'unknown', '', null);
	const item = fc
		.record({
			number: fc.nat(12),
			twin: fc.boolean(),
			kind: fc.constantFrom('fresh', 'fresh', 'brought', 'kept', 'nobody'),
			emailStatus: status,
		})
		.map(({ number, twin, kind, emailStatus }): IDataObject => {
			if (kind === 'nobody') return { number: 99_999, first: 'Ann' };
			const lead = { number, ...(twin ? findBulk.twin(number) : leadOf(number)) };
			if (kind === 'fresh') return lead;
			const brought = { ...lead, email: addressOf(number), emailStatus };
			return kind === 'brought' ? brought : { ...brought, status: 'found', credits: 3 };
		});
	const effect = fc.constantFrom<Effect>(
		...[400, 402, 404, 500].map((status) => ({ status })),
		...(['before-charge', 'after-charge'] as const).map((reset) => ({ reset })),
		{ body: 'truncated', charge: true },
		{ rows: 'missing' },
	);
	const given = fc.record({
		links: fc.array(link, { minLength: 2, maxLength: 5 }),
		items: fc.array(item, { minLength: 1, maxLength: 12 }),
		faults: fc.array(fc.tuple(effect, fc.integer({ min: 1, max: 10 })), { maxLength: 4 }),
	});

	test('says what each lead has cost', { timeout: 100_000 }, async () => {
		const seen = { charged: 0, unknown: 0 };
		const property = fc.asyncProperty(given, async ({ links, items, faults }) => {
			service().reset();
			for (const [fault, nth] of faults) service().faults.add({ ...fault, on: { nth } });
			const output = await runLine(links, items, openAccount(service()));
			expect(output.map(({ number }) => number)).toEqual(items.map(({ number }) => number));
			const fields = ['', ...links.map(({ field }) => field)];
			/** Whether a request that asked for a lead met such a fault. */
			const met = (number: number, ...kinds: string[]) =>
				service()
					.requests.filter(({ faults: [fault = {}] }) => kinds.some((kind) => kind in fault))
					.map(({ rawQuery, body }) => `${rawQuery} ${JSON.stringify(body)}`.toLowerCase())
					.some((text) => text.includes(leadOf(number).first.toLowerCase()));
			for (const number of new Set(items.map(({ number }) => Number(number)))) {
				const rows = output.filter((row) => row.number === number);
				const costs = rows.flatMap((row) => costsOf(row, fields));
				const before = items.filter((row) => row.number === number).map((row) => row.credits ?? 0);
				const spent = sum(costs) - sum(before);
				// Nobody can tell what a lost connection, half an answer or a missing row did cost.
				const isUnknown = costs.includes(null);
				if (met(number, 'reset')) expect(isUnknown).toBe(true);
				else if (isUnknown) expect(met(number, 'body', 'rows')).toBe(true);
				if (isUnknown) expect(spent).toBeLessThanOrEqual(chargedFor(number));
				else expect(spent).toBe(chargedFor(number));
				seen[isUnknown ? 'unknown' : 'charged'] += 1;
			}
		});
		await fc.assert(property, { numRuns: 150, interruptAfterTimeLimit: 60_000 });
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
	});
});

describe('daily runs over rows that are kept', () => {
	const rows = numbers(40);
	const hits = rows.filter((number) => findBulk.subject(number) !== null);
	const unknown = hits.filter((n) => expectedVerification(addressOf(n)).email_status === 'unknown');
	const [all, due] = [hits.length, unknown.length];

	/** Finder and verifier, which take what they know from these fields. */
	function line(found: string, checked: string): Link[] {
		const [from, to] = [found, checked].map((field) => (field === '' ? '$json' : `$json.${field}`));
		const email = `={{ ${from}.email }}`;
		const at = (target: string) => ({ checkedAt: `={{ ${target}.checkedAt }}`, maxRetries: 0 });
		const existingStatus = `={{ ${to}.emailStatus }}`;
		return [
			{ lookup: findBulk, field: found, parameters: { existingEmail: email }, options: at(from) },
			{
				lookup: verifyBulk,
				field: checked,
				parameters: { email, existingStatus },
				options: at(to),
			},
		];
	}

	const days: Array<[string, string, first: number]> = [
		['', '', all],
		['lookup', 'lookup', all],
		['found', 'checked', 2 * all],
	];
	const bad: Array<Effect | undefined> = [
		undefined,
		...[400, 402, 404, 500].map((status) => ({ status })),
		{ reset: 'before-charge' },
	];

	test.each(days.flatMap((day) => bad.map((effect) => [...day, effect] as const)))(
		'with results in "%s" and "%s", the first for %i credits, and %j on the third',
		async (found, checked, first, effect) => {
			let kept: IDataObject[] = rows.map((number) => ({ number, ...leadOf(number) }));
			const bill: number[] = [];
			for (const day of [1, 2, 3, 4]) {
				service().faults.clear();
				if (effect && day === 3) service().faults.add(effect);
				const before = service().ledger.total();
				kept = await runLine(line(found, checked), kept);
				bill.push(service().ledger.total() - before);
				for (const row of kept) {
					const number = Number(row.number);
					const costs = costsOf(row, [found, checked]);
					if (!costs.includes(null)) expect(sum(costs)).toBe(chargedFor(number));
					else expect(effect).toHaveProperty('reset');
					const target = found === '' ? row : objectOf(row[found]);
					if (!hits.includes(number)) continue;
					const { email_status: emailStatus } = expectedVerification(addressOf(number));
					expect(target).toMatchObject({ email: addressOf(number), emailStatus });
				}
				clock.forward(24 * HOUR - 10 * 60_000);
			}
			// What is unknown is verified again each day; that day was lost.
			expect(bill).toEqual([first, due, effect ? 0 : due, due]);
			expect(due).toBeGreaterThan(0);
		},
	);
});

/** A job is not finished when it is asked for the first time. */
const jobs = { jobPolls: 1, jobResultShape: 'results' } as const;
const pending = { jobTimeout: 0, maxConcurrency: 1, maxRetries: 0 };
const continues = { onError: 'continueRegularOutput' } as const;

/** How many credits these leads cost. */
const costOf = (wanted: number[]) => subjectsOf(findBulk, wanted).length;
const itemsOf = (wanted: number[]) => wanted.map(leadOf);

/** A lookup for leads of its own. */
const finds = (name: string, wanted: number[]) => [
	emits(`Leads of ${name}`, itemsOf(wanted)),
	looksUp(name, findBulk, pending),
];
const verifies = (
	name: string,
	length: number,
	...how: [INodeParameters?, TestNode['onError']?]
) => [
	emits(`Emails of ${name}`, numbers(length, 500).map(verifyBulk.item)),
	looksUp(name, verifyBulk, ...how),
];
const line = (...nodes: TestNode[]) =>
	chain([emits('Start', [{}]), ...nodes], credentialFor(service()));

describe('what an execution tells that it has cost', () => {
	const wanted = numbers(150);
	const lose = () => service().faults.add({ reset: 'after-charge', on: { operation: 'findBulk' } });

	test('two jobs that are done one after the other, at each of its Waits and at its end', async () => {
		Object.assign(service().variants, { ...jobs, bulkAnswer: 'job' });
		const ofFirst = wanted.slice(0, 100);
		const runs = await runOverWaits(
			line(
				...[...finds('Find', wanted), waits(), ...finds('First', ofFirst)],
				...[waits('Later'), ...finds('Second', wanted)],
			),
		);
		expect(runs.map(toldBy)).toEqual([
			spentText(0, 150),
			spentText(costOf(ofFirst), costOf(ofFirst) + 50),
			spentText(costOf(wanted)),
		]);
		expect(service().ledger.total()).toBe(costOf(wanted));
	});

	test('a lost connection may have cost, but a retry does not tell what the one before may have spent', async () => {
		lose();
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', nth: 2 } });
		const strict = { incompleteRun: 'fail', maxRetries: 0 };
		const workflow = line(
			...[...finds('Find', wanted.slice(0, 20)), waits(), ...verifies('One', 5)],
			...verifies('Two', 6, strict, 'stopWorkflow'),
			...[waits('Later'), ...verifies('Three', 8)],
		);
		const [waiting, failed] = await runOverWaits(workflow);
		expect([waiting, failed].map(toldBy)).toEqual([spentText(0, 20), spentText(5, 25)]);
		expect(failed.status).toBe('error');
		const again = await runWorkflow({ ...workflow, retryOf: failed });
		const ended = await runWorkflow({ ...workflow, resumes: again });
		expect([again, ended].map(toldBy)).toEqual([spentText(1), spentText(3)]);
		expect(ended.status).toBe('success');
	});
});

describe('Max Credits of a node that has left a job', () => {
	const isHit = (number: number) => costOf([number]) === 1;
	const hits = numbers(400).filter(isHit);
	const misses = numbers(400).filter((number) => !isHit(number));
	const ofJob = [...hits.slice(0, 4), ...misses.slice(0, 6)];
	const second = [...ofJob, ...hits.slice(4, 7)];
	const third = [...second, ...hits.slice(7, 12)];
	const limited = (many: number) => numbers(many).map(() => 'credit_limit');
	const found = (many: number) => numbers(many).map(() => 'found');

	const answers = ofJob.map((number) => findBulk.answer(number).status);
	const waiting = ofJob.map(() => 'pending');

	test.each<[string, jobPolls: number, outputs: unknown[][], certain: number]>([
		// The run that collects the job has no room before it knows what the job has cost.
		[
			'what the job did not cost, once, from the next run on',
			1,
			[
				[...answers, ...limited(3)],
				[...answers, ...found(6), ...limited(2)],
			],
			10,
		],
		[
			'nothing of it as long as the job goes on',
			1_000_000,
			[
				[...waiting, ...limited(3)],
				[...waiting, ...limited(8)],
			],
			0,
		],
	])('has %s', async (_, jobPolls, outputs, certain) => {
		takeOneJob(service());
		Object.assign(service().variants, { ...jobs, jobPolls });
		const leads = [ofJob, second, third].map(itemsOf);
		const options = { ...pending, maxCredits: 10 };
		const { run, rounds } = await runInLoop(findBulk, service(), leads, { options, ...continues });
		expect(rounds[0].summary).toContain('Up to 10 credits used');
		const [, ...later] = rounds.map(({ json }) =>
			json.map(({ reason, status }) => (status === 'pending' ? status : (reason ?? status))),
		);
		expect(later).toEqual(outputs);
		expect(toldBy(run)).toBe(spentText(certain, 10));
		expect(service().ledger.total()).toBe(certain || costOf(ofJob));
	});

	test('does not hold up what it has room for', async () => {
		takeOneJob(service());
		Object.assign(service().variants, { ...jobs, jobPolls: 1_000_000 });
		const sentAt: number[] = [];
		service().onRequest(({ operation }) => {
			if (operation === 'findBulk') sentAt.push(Date.now());
		});
		const first = itemsOf(numbers(100)).map((lead) => ({ ...lead, jobTimeout: 0 }));
		const more = itemsOf(numbers(160)).map((lead) => ({ ...lead, jobTimeout: 3 }));
		const options = { maxCredits: 150, jobTimeout: '={{ $json.jobTimeout }}' };
		await runInLoop(findBulk, service(), [first, more], { options, ...continues });
		expect(sentAt.length).toBeGreaterThanOrEqual(2);
		expect(sentAt[1] - sentAt[0]).toBeLessThan(60_000);
	});
});
