/** @file Which jobs are the same. What becomes of them, test/engine/jobs.test.mts sees. */

import { afterEach, expect, it, vi } from 'vitest';

import { Ledger } from '../../nodes/shared/credits/ledger.ts';
import { AnswerStore } from '../../nodes/shared/execution/answers.ts';
import { PendingJobs } from '../../nodes/shared/execution/execution.ts';
import { connectionOf } from '../../nodes/shared/http/connection.ts';

afterEach(() => void vi.useRealTimers());

const DAY = 24 * 60 * 60_000;

const accountOf = (apiKey: string) => connectionOf({ baseUrl: 'https://api.example.com', apiKey });
const context = {
	executionId: '1',
	signal: undefined,
	logger: { warn() {} },
	customData: () => undefined,
};

it('accounts that number their jobs alike have none in common', () => {
	const jobs = new PendingJobs({}, new AnswerStore({}), new Ledger({}, context));
	const keys = ['the key', 'another key'];
	for (const key of keys) {
		jobs.expect({ id: '9001', row: 1 }, `Ada by ${key}`, accountOf(key));
		jobs.expect({ id: '9001', row: 2 }, `Ida by ${key}`, accountOf(key));
	}
	const [one, other] = keys.map((key) => jobs.of(`Ada by ${key}`));
	const questions = ['Ada by another key', 'Ida by another key'];
	expect(other).toMatchObject({ id: '9001', questions });
	expect(one).not.toBe(other);
	expect(jobs.of('Ida by another key')).toBe(other);
});

it('a job that is not collected is known for a week, by every execution', () => {
	vi.useFakeTimers();
	const connection = accountOf('key').id;
	const pending = () => new PendingJobs({}, new AnswerStore({}), new Ledger({}, context));
	const paidBy = { node: 'Find', executionId: '1' };
	const job = { id: '9001', connection, questions: ['Ada'], over: [], credits: 1, ...paidBy };
	pending().remember(job);
	vi.advanceTimersByTime(6.9 * DAY);
	expect(pending().of('Ada')).toBe(job);
	vi.advanceTimersByTime(0.2 * DAY);
	expect(pending().of('Ada')).toBeUndefined();
});

it('a row of a job that items bring along answers the first question that claims it', () => {
	const jobs = new PendingJobs({}, new AnswerStore({}), new Ledger({}, context));
	for (const key of ['Ada', 'Ida']) jobs.expect({ id: '9001', row: 1 }, key, accountOf('key'));
	expect(jobs.of('Ada')).toMatchObject({ questions: ['Ada'] });
	expect(jobs.of('Ida')).toBeUndefined();
});

it('what the rest of a job costs is counted when it is collected, and what was collected is not again', () => {
	const ledger = new Ledger({}, context);
	const jobs = new PendingJobs({}, new AnswerStore({}), ledger);
	const paidBy = { node: 'Find', executionId: context.executionId };
	const connection = accountOf('key');
	const questions = ['Ada', 'Ida'];
	const job = { id: '9001', connection: connection.id, questions, over: [], credits: 2, ...paidBy };
	ledger.post('Find', 2, { certain: 0, uncertain: 2 });
	jobs.remember(job);
	const found = [{ email: 'one@example.com' }];
	jobs.ended(job, connection, [found, undefined]);
	expect(ledger.total).toEqual({ certain: 1, uncertain: 1 });
	expect(job.over).toEqual([0]);
	jobs.ended(job, connection, [undefined, found], { certain: 1, uncertain: 0 }, 0);
	expect(ledger.total).toEqual({ certain: 2, uncertain: 0 });
	// Nor is it known to another execution.
	const later = new PendingJobs({}, new AnswerStore({}), new Ledger({}, context));
	for (const all of [jobs, later])
		expect(questions.map((key) => all.of(key))).toEqual([undefined, undefined]);
});
