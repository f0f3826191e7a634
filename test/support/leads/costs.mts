import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { expect } from 'vitest';

import { isRecord } from '../../emulator/values.mts';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const isFields = (value: unknown): value is IDataObject => isRecord(value);

/**
 * Items of lookups without what every run has of its own: what they cost, and when the service answered.
 * @param object the field in which they say both, if it is not the item
 */
export function withoutCosts(
	items: INodeExecutionData[],
	object?: string,
): {
	items: INodeExecutionData[];
	/** What the items come to; `null` where one of them does not know. */
	credits: number | null;
} {
	let credits: number | null = 0;
	const strip = ({ credits: cost, checkedAt, ...json }: IDataObject): IDataObject => {
		if (cost === null) credits = null;
		else if (credits !== null) credits += Number(cost ?? 0);
		if (checkedAt !== undefined && checkedAt !== null) expect(checkedAt).toMatch(ISO);
		return json;
	};
	const bare = items.map(({ json, ...rest }) => {
		const own = object && json[object];
		const told = object && isFields(own) ? { ...json, [object]: strip(own) } : strip(json);
		return { ...rest, json: told };
	});
	return { items: bare, credits };
}
