/** @file Which jobs are the same. What becomes of them, test/engine/jobs.test.mts sees. */

import { expect, it } from 'vitest';

import { Ledger } from '../../nodes/shared/credits/ledger.ts';
import { AnswerStore } from '../../nodes/shared/execution/answers.ts';
import { PendingJobs } from '../../nodes/shared/execution/execution.ts';
import { connectionOf } from '../../nodes/shared/http/connection.ts';

const account = connectionOf({ baseUrl: 'https://api.example.com', apiKey: 'the key' });
const context = {
	executionId: '1',
	signal: undefined,
	logger: { warn() {} },
	customData: () => undefined,
};

it('endpoints that number their jobs alike have none in common', () => {
	const jobs = new PendingJobs({}, new AnswerStore({}), new Ledger({}, context));
	for (const endpoint of ['/emails', '/phones']) {
		jobs.expect({ endpoint, id: '9001', row: 1 }, `Ada by ${endpoint}`, account);
		jobs.expect({ endpoint, id: '9001', row: 2 }, `Ida by ${endpoint}`, account);
	}
	const [emails, phones] = ['/emails', '/phones'].map((endpoint) => jobs.of(`Ada by ${endpoint}`));
	const questions = ['Ada by /phones', 'Ida by /phones'];
	expect(phones).toMatchObject({ endpoint: '/phones', id: '9001', questions });
	expect(emails).not.toBe(phones);
	expect(jobs.of('Ida by /phones')).toBe(phones);
});
