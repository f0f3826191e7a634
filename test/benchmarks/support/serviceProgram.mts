/** @file The emulated service in a process of its own: its work takes no time from those who are measured. */

import { z } from 'zod';

import { startService } from '../../emulator/service.mts';
import { saveLeads } from '../../support/leads/saveLeads.mts';

/** How the service is while something is measured. */
export interface Circumstances {
	/** The mean time that a request takes. */
	latencyMs: number;
	/** By how much of it the latency differs at most, more or less; every value is as likely. */
	jitter?: number;
	/** What the service allows, and nobody is told of. */
	perSecond?: number;
	/** One in so many requests fails with a 503. */
	failingEvery?: number;
	/** How many leads are in list 101 beyond those of the fixtures. */
	moreLeads?: number;
}

/** What the wire log and the ledger hold since the last reset. */
export interface Books {
	requests: number;
	/** How many of them were refused for the rate limit. */
	refused: number;
	/** What was paid for, once per credit. */
	paid: string[];
	violations: readonly unknown[];
}

const service = await startService();
const { fixtures } = service;

function reset(circumstances: Circumstances): null {
	const { moreLeads = 0, failingEvery, perSecond, ...latency } = circumstances;
	service.reset();
	Object.assign(service.options, latency, perSecond && { rateLimit: { perSecond } });
	if (failingEvery) service.faults.add({ status: 503, on: { every: failingEvery } });
	const list = fixtures.list(101);
	if (list && moreLeads > 0) saveLeads(list, moreLeads);
	return null;
}

function books(): Books {
	const { requests, ledger, violations } = service;
	return {
		requests: requests.length,
		refused: requests.filter(({ status }) => status === 429).length,
		paid: ledger.charges.flatMap(({ subject, credits }) => Array<string>(credits).fill(subject)),
		violations,
	};
}

/** Asked for its books, or to be reset. */
const questionSchema = z.custom<'books' | Circumstances>();

process.on('message', (message) => {
	const question = questionSchema.parse(message);
	process.send?.(question === 'books' ? books() : reset(question));
});
process.once('disconnect', () => void service.close());
process.send?.(service.baseUrl);
