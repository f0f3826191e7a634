import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { expect } from 'vitest';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Items of lookups without what every run has of its own: what they cost, and when the service answered. */
export function withoutCosts(items: INodeExecutionData[]): {
	items: INodeExecutionData[];
	/** What the items come to; `null` where one of them does not know. */
	credits: number | null;
} {
	let credits: number | null = 0;
	const strip = (fields: IDataObject): IDataObject => {
		const { lookupCredits, companyCredits: cost = lookupCredits, ...said } = fields;
		const { checkedAt, companyCheckedAt: at = checkedAt, ...json } = said;
		if (cost === null) credits = null;
		else if (credits !== null) credits += Number(cost ?? 0);
		if (at !== undefined && at !== null) expect(at).toMatch(ISO);
		return json;
	};
	const bare = items.map(({ json, ...rest }) => ({ ...rest, json: strip(json) }));
	return { items: bare, credits };
}
