/** @file Get Company Leads: the keywords that the service filters the people at a company by. */

import { expect, it } from 'vitest';

import { toKeywords } from '../../nodes/shared/api/company.ts';

it.each([
	[' sales , growth   marketing ,', 'any', '{sales,growth marketing}'],
	['sales+manager', 'all', 'sales manager'],
	['{sales,manager}', 'all', 'sales manager'],
	[' , ,', 'any', undefined],
	['{+}', 'any', undefined],
])('the keywords %j (%s) are sent as %j', (text, match, keywords) => {
	expect(toKeywords(text, match)).toBe(keywords);
});
