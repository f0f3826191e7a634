import { expect, it } from 'vitest';

import { itemWith } from '../../nodes/shared/output/shape';

it('a result of a tool has nothing of the item of its agent', () => {
	const earlier = { status: 'found', name: 'Agent Corp', credits: 7 };
	const asked = { keyword: 'acme.example' };
	const field = { resultField: 'companyData', asked, replaced: new Set<string>() };
	const place = { includesInput: false, isTool: true, ...field };
	const miss = { fields: { status: 'not_found' }, columns: ['status', 'name'], credits: 0 };
	const { json } = itemWith({ json: { chat: 'Hi', companyData: earlier } }, 0, place, miss);
	const companyData = { status: 'not_found', name: null, credits: 0 };
	expect(json).toEqual({ ...asked, companyData });
});
