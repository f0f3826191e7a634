import Table from 'cli-table3';
import { expect, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { answerIn, findBulk, numbers, subjectsOf } from '../support/bulk.mts';
import { runNode } from '../support/engine.mts';
import { find } from '../support/lookups.mts';
import { report } from '../support/report.mts';
import { KEY } from '../support/service.mts';
import { percent, usedRate } from './support/figures.mts';
import { ServiceProcess } from './support/serviceProcess.mts';
import { versions } from './support/versions.mts';

// How much of a rate limit, which nobody is told of, Find Email uses, in n8n's engine. What is judged are the
// results and what they cost: the figures are printed.

const SECONDS = 60;
const WARM_UP_MS = 10_000;
const JITTER = 0.25;

test('a rate limit that nobody is told of', { timeout: 60 * 60_000 }, async () => {
	const table = new Table({
		head: ['allowed per second', 'latency', 'at once', 'could use', 'used of it', 'refused'],
		colAligns: Array<'right'>(6).fill('right'),
		style: { head: [], border: [], compact: true },
	});
	for (const perSecond of [20, 50, 100]) {
		for (const latencyMs of [20, 150]) {
			for (const atOnce of [5, 20]) {
				// So many requests at once may not be enough for the limit.
				const possible = Math.min(perSecond, (1_000 * atOnce) / latencyMs);
				const wanted = numbers(Math.round(SECONDS * possible));
				// A service of its own: the nodes have already learned the limits of the others.
				await using service = await ServiceProcess.start();
				await service.reset({ latencyMs, jitter: JITTER, perSecond });
				const { json, error } = await runNode({
					node: find.node,
					parameters: { ...find.parameters, options: { maxConcurrency: atOnce } },
					items: wanted.map(find.item),
					credential: { baseUrl: service.baseUrl, apiKey: KEY },
				});
				expect(error).toBeUndefined();
				expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
				const { admitted, answers, paid } = await service.books();
				expect(paid.toSorted()).toEqual(subjectsOf(findBulk, wanted).toSorted());
				const later = admitted.filter((at) => at >= WARM_UP_MS);
				const refused = answers['find 429'] ?? 0;
				table.push([
					perSecond,
					`${latencyMs} ms`,
					atOnce,
					possible.toFixed(0),
					percent(usedRate(later, possible) ?? Number.NaN),
					percent(refused / (refused + admitted.length)),
				]);
			}
		}
	}
	report(
		`Find Email for ${SECONDS} seconds, used from the tenth second on (target ≥ 95 %)\n${table.toString()}`,
	);
	report(await versions(`n8n-core ${manifest.devDependencies['n8n-core']}`));
});
