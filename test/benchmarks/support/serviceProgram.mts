import { startService, type Service } from '../../service/service.mts';
import { known } from '../../support/expected.mts';
import { saveLeads } from '../../support/saveLeads.mts';
import { questionSchema, type Books, type Circumstances, type Sent } from './serviceMessages.mts';

// The emulated service in a process of its own: its work takes no time from those who are measured.

const LIST = 101;

const service = await startService();

function reset(circumstances: Circumstances): void {
	const { moreLeads = 0, morePeople = 0, failing = 0, perSecond, ...latency } = circumstances;
	service.reset();
	Object.assign(service.options, latency, perSecond && { rateLimit: { perSecond } });
	if (failing > 0) service.faults.add({ status: 503, on: { every: Math.round(1 / failing) } });
	const { fixtures } = service;
	const list = fixtures.list(LIST);
	if (list && moreLeads > 0) saveLeads(list, moreLeads);
	const [someone] = fixtures.peopleOf(known(fixtures.companies[0]));
	for (let number = 0; number < morePeople; number++) {
		fixtures.people.push({ ...known(someone), full: `Someone ${number}` });
	}
}

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
		admitted: requests
			.filter(({ status }) => status !== 429)
			.map(({ startedAt }) => startedAt - (requests[0]?.startedAt ?? 0)),
	};
}

function sent(): Sent[] {
	return service.requests.map(({ method, path, rawQuery, body }) => ({
		method,
		path: rawQuery === '' ? path : `${path}?${rawQuery}`,
		body: body ?? undefined,
	}));
}

function answerTo(message: unknown): unknown {
	const question = questionSchema.parse(message);
	if (question.kind === 'books') return booksOf(service);
	if (question.kind === 'requests') return sent();
	reset(question.circumstances);
	return null;
}

process.on('message', (message) => process.send?.(answerTo(message)));
process.once('disconnect', () => void service.close());
process.send?.({ baseUrl: service.baseUrl });
