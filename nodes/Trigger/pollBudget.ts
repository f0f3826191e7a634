import { sleep, type IPollFunctions } from 'n8n-workflow';

import type { TimeLimit } from '../shared/reading/pages';

/**
 * How much of its time a poll reads: no page is begun after the first part, none is waited for after the
 * second. The rest is for n8n, which starts the workflow and stores what is remembered.
 */
const BEGINS = 0.6;
const WAITS = 0.8;

/**
 * The time that n8n gives this poll to read, from now on; none with n8n 1, which gives a poll all the
 * time that it takes.
 */
export function pollBudget(context: IPollFunctions): TimeLimit | undefined {
	// n8n 1 has no such method, though the types of n8n 2 say that it is always there.
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : undefined;
	if (budget === undefined || !Number.isFinite(budget)) return undefined;
	const start = Date.now();
	let wait: Promise<void> | undefined;
	return {
		isUp: () => Date.now() - start >= budget * BEGINS,
		up: async () => await (wait ??= sleep(Math.max(0, start + budget * WAITS - Date.now()))),
	};
}
