import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import type { Host } from '../hosts/host.mts';
import { leadOf, numbers, requestsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { known } from '../support/expected.mts';
import { LeadQueue, QUEUE_TIMEOUT_MS } from '../support/leadQueue.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { percent, usedRate } from './support/figures.mts';
import { versions } from './support/versions.mts';

// How much of a request rate, which nobody is told of, several worker processes use that do not know
// of each other. What is judged are the results and what they cost: the figures are printed.

const WORKERS = 3;
const CONCURRENCY = 5;
const LEADS = 250;
const EXECUTIONS = numbers(40);
const LATENCY_MS = 50;
const PER_SECOND = 25;

/** The executions that a worker started, as its log tells. */
async function executedBy(worker: Host): Promise<Set<string>> {
	const log = await readFile(worker.log, 'utf8');
	return new Set(Array.from(log.matchAll(/started execution (\d+)/gu), ([, id = '']) => id));
}

const service = useService();
const leadQueue = useComponent(
	async () =>
		await LeadQueue.open(service(), { workers: WORKERS, concurrency: CONCURRENCY, leads: LEADS }),
);

test(
	`${EXECUTIONS.length} executions of ${LEADS} leads at ${PER_SECOND} requests per second`,
	async () => {
		Object.assign(service().options, {
			latencyMs: LATENCY_MS,
			rateLimit: { perSecond: PER_SECOND },
		});
		const ended = await leadQueue().execute(EXECUTIONS);
		const complete = ended.map((execution) => leadQueue().expectComplete(execution));
		expect(complete.toSorted((a, b) => a - b)).toEqual(EXECUTIONS);
		const paid = service().ledger.charges.map(({ subject }) => subject);
		expect(paid.toSorted()).toEqual(leadQueue().paidFor(EXECUTIONS).toSorted());

		const requests = requestsOf(service(), 'find');
		const answered = requests.filter(({ status }) => status !== 429);
		const usedBy = (sent: WireRequest[]) =>
			percent(
				usedRate(
					sent.map(({ startedAt }) => startedAt),
					PER_SECOND,
				) ?? Number.NaN,
			);
		const lastStart = Math.max(...ended.map(({ startedAt }) => startedAt.getTime()));
		const whileQueued = answered.filter(({ startedAt }) => startedAt <= lastStart);
		const shareOf = async (worker: Host) => {
			const ids = await executedBy(worker);
			const own = complete.filter((_, index) => ids.has(known(ended[index]).id));
			const leads = own.flatMap((execution) => leadQueue().leadsOf(execution));
			const names = new Set(leads.map((lead) => leadOf(lead).first));
			const sent = whileQueued.filter(({ query }) => names.has(Object(query).firstName));
			return sent.length / whileQueued.length;
		};
		const shares = await Promise.all(leadQueue().queue.workers.map(shareOf));
		expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1);
		report(
			`${WORKERS} workers with ${CONCURRENCY} executions each, ${PER_SECOND} requests per second allowed: ` +
				`${usedBy(whileQueued)} used while executions were waiting (target ≥ 92 %), ` +
				`${usedBy(answered)} to the end; ` +
				`${percent(1 - answered.length / requests.length)} of the requests refused; ` +
				`the workers had ${shares.map(percent).join(', ')}`,
		);
		report(await versions(leadQueue().queue.versions));
	},
	QUEUE_TIMEOUT_MS,
);
