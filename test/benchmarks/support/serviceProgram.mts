import { parseArgs } from 'node:util';

import { startService, type Service } from '../../service/service.mts';
import { questionSchema, type Books, type Question } from './serviceMessages.mts';

// The emulated service in a process of its own: its work takes no time from those who are measured.

const { values } = parseArgs({ options: { latency: { type: 'string', default: '0' } } });
const service = await startService({ latencyMs: Number(values.latency) });

const answers: Record<Question, () => unknown> = {
	reset: () => {
		service.reset();
		return null;
	},
	books: () => booksOf(service),
	bodies: () => service.requests.map(({ body }) => body),
};

function booksOf({ requests, ledger, violations }: Service): Books {
	const count: Record<string, number> = {};
	for (const { operation, status } of requests) {
		const kind = `${operation} ${status}`;
		count[kind] = (count[kind] ?? 0) + 1;
	}
	return {
		answers: count,
		paid: ledger.charges.flatMap(({ subject, credits }) => Array<string>(credits).fill(subject)),
		violations: violations.map((violation) => JSON.stringify(violation)),
	};
}

process.on('message', (message) => process.send?.(answers[questionSchema.parse(message)]()));
process.once('disconnect', () => void service.close());
process.send?.({ baseUrl: service.baseUrl });
