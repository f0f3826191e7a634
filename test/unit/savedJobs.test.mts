/** @file Pending jobs that n8n stores with an execution, so that what they cost is not lost. */

import fc from 'fast-check';
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { savedJobs, saveJobs, type SavedJob } from '../../nodes/shared/execution/execution.ts';

const NAME = 'contactDataJobs';

function jobs(many: number): SavedJob[] {
	return Array.from({ length: many }, (_, index) => ({
		id: `job ${index}`,
		connection: 'of the account',
		questions: [`${index} a`, `${index} b`],
		credits: 2,
		node: 'Find',
		executionId: '7',
	}));
}

/** The jobs as n8n has them again, after it has stored the record. */
function loaded(record: IContextObject): SavedJob[] {
	return savedJobs(JSON.parse(JSON.stringify(record)));
}

describe('the jobs that are saved', () => {
	it('come back as they were, in their order', () => {
		const record: IContextObject = { other: 1 };
		saveJobs(record, jobs(3));
		expect(loaded(record)).toEqual(jobs(3));
		expect(record.other).toBe(1);
	});

	it('are those of the last time', () => {
		const record: IContextObject = {};
		saveJobs(record, jobs(3));
		saveJobs(record, jobs(1));
		expect(loaded(record)).toEqual(jobs(1));
	});

	it('leave no trace where there are none', () => {
		const record: IContextObject = { other: 1 };
		saveJobs(record, []);
		expect(record).toEqual({ other: 1 });
		saveJobs(record, jobs(3));
		saveJobs(record, []);
		expect(record).toEqual({ other: 1 });
		expect(loaded(record)).toEqual([]);
	});

	it('are a thousand at most: the oldest go', () => {
		const record: IContextObject = {};
		saveJobs(record, jobs(1_234));
		expect(loaded(record)).toEqual(jobs(1_234).slice(234));
	});

	it('do not change with those that they were made of', () => {
		const record: IContextObject = {};
		const list = jobs(2);
		saveJobs(record, list);
		list.pop();
		expect(loaded(record)).toEqual(jobs(2));
	});
});

describe('what somebody else wrote there', () => {
	const [job] = jobs(1);

	it.each([
		['nothing', null],
		['a text', JSON.stringify(jobs(1))],
		['a number', 5],
		['one job', job],
		['a list of something else', [null, 5, 'x', [], {}, true]],
		['a job without an ID', [{ ...job, id: undefined }]],
		['a job whose ID is a number', [{ ...job, id: 12 }]],
		['a job with a question that is no text', [{ ...job, questions: ['a', 5] }]],
		['a job of no account', [{ ...job, connection: null }]],
		['a job of no node', [{ ...job, node: undefined }]],
		['a job of no execution', [{ ...job, executionId: 7 }]],
		['a job of no known cost', [{ ...job, credits: '2' }]],
		['a job without questions', [{ ...job, questions: undefined }]],
		['a job whose questions are a text', [{ ...job, questions: 'a' }]],
		['a job whose questions are none', [{ ...job, questions: [5, null, {}] }]],
	])('is no job where it is %s', (_, value) => {
		expect(loaded({ [NAME]: value })).toEqual([]);
	});

	it('does not take away the jobs beside it', () => {
		expect(loaded({ [NAME]: [null, ...jobs(2), { id: 'x' }] })).toEqual(jobs(2));
	});

	it('never makes it fail, and is replaced', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const record: IContextObject = { [NAME]: value };
				expect(Array.isArray(savedJobs(record))).toBe(true);
				saveJobs(record, jobs(1));
				expect(loaded(record)).toEqual(jobs(1));
			}),
		);
	});
});
