import { expect, it } from 'vitest';

import { itemWith } from '../../nodes/shared/output/shape';

it('a result of a tool has nothing of the item of its agent', () => {
	const earlier = { status: 'found', name: 'Agent Corp', credits: 7 };
	const asked = { keyword: 'acme.example' };
	const place = { includesInput: false, isTool: true, resultField: 'companyData', asked };
	const miss = { fields: { status: 'not_found' }, columns: ['status', 'name'], credits: 0 };
	const { json } = itemWith({ json: { chat: 'Hi', companyData: earlier } }, 0, place, miss);
	const companyData = { status: 'not_found', name: null, credits: 0 };
	expect(json).toEqual({ ...asked, companyData });
});

it.each([
	[['status', 'email'], 'found', { jobId: null, jobRow: null }],
	// A miss of another provider is no result of the job that is paid for.
	[['status', 'email'], 'not_found', { jobId: '9001', jobRow: 1 }],
	// A company is no result of the Finder.
	[['status', 'name'], 'found', { jobId: '9001', jobRow: 1 }],
])('a result with %j, %s, leaves of a pending job %j', (columns, status, job) => {
	const held = { status: 'pending', email: null, jobId: '9001', jobRow: 1, credits: null };
	const place = { includesInput: true, isTool: false, resultField: 'lookup' };
	const replaces = columns.includes('name');
	const finds = replaces ? ('companyData' as const) : ('email' as const);
	const result = { fields: { status }, columns, finds, credits: 1, replaces };
	const { json } = itemWith({ json: { lookup: held } }, 0, place, result);
	expect(json.lookup).toMatchObject({ status, ...job });
});
