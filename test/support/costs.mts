import type { INodeExecutionData } from 'n8n-workflow';
import { expect } from 'vitest';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Items of lookups without what every run has of its own: what they cost, and when the service answered.
 * Each that has a status is to tell its cost.
 */
export function withoutCosts(items: INodeExecutionData[]): {
	items: INodeExecutionData[];
	/** What the items come to; `null` where one of them does not know. */
	credits: number | null;
} {
	let credits: number | null = 0;
	const bare = items.map(({ json: { credits: cost, checkedAt, ...json }, ...rest }) => {
		if (cost === null) credits = null;
		else if (credits !== null) credits += Number(cost ?? 0);
		if (checkedAt !== undefined && checkedAt !== null) expect(checkedAt).toMatch(ISO);
		return { ...rest, json };
	});
	return { items: bare, credits };
}
