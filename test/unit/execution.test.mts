/** @file Which jobs are the same. What becomes of them, test/engine/jobs.test.mts sees. */

import { expect, it } from 'vitest';

import { Ledger } from '../../nodes/shared/credits/ledger.ts';
import { AnswerStore } from '../../nodes/shared/execution/answers.ts';
import { PendingJobs } from '../../nodes/shared/execution/execution.ts';
import { connectionOf } from '../../nodes/shared/http/connection.ts';

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
