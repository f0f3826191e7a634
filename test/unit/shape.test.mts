import { expect, it } from 'vitest';

import { OF_COMPANY } from '../../nodes/shared/failures/names.ts';
import { itemWith } from '../../nodes/shared/output/shape.ts';

it('a result of a tool has nothing of the item of its agent', () => {
	const json = {
		...{ chat: 'Hi', companyStatus: 'found', companyCredits: 7 },
		companyData: { name: 'Agent Corp' },
	};
	const asked = { keyword: 'acme.example' };
	const place = { includesInput: false, isTool: true, asked, subject: [], names: OF_COMPANY };
	const columns = ['companyStatus', 'companyData'];
	const miss = { fields: { companyStatus: 'not_found' }, columns, credits: 0 };
	expect(itemWith({ json }, 0, place, miss).json).toEqual({
		...asked,
		...{ companyStatus: 'not_found', companyData: null, companyCredits: 0 },
	});
});
