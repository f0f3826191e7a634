import type { IDataObject } from 'n8n-workflow';

import { Prng } from '../../emulator/prng.mts';
import { numbers, type Bulk } from './lookups.mts';

/** What a list of leads is made of. */
export interface Leads {
	items: IDataObject[];
	/** For each item the number of its question; null for a malformed one. */
	asks: Array<number | null>;
	distinct: number[];
	malformed: number;
}

const junk: IDataObject[] = [
	{ first: 'Ada', last: 'Lovelace', email: 'ada' },
	{ first: 'Ada', domain: 'c1.bulk.example', email: 'ada lovelace@c1.bulk.example' },
	{ email: 'ada@' },
	{},
];

/**
 * A list as it comes out of a CRM: a fifth are duplicates, a twentieth are malformed.
 * @param twin makes the duplicate of a lead
 */
export function crmLeads(
	{ item }: Pick<Bulk, 'item'>,
	size: number,
	twin: (number: number) => IDataObject = item,
): Leads {
	const malformed = size / 20;
	const distinct = numbers(size - size / 5 - malformed);
	const twins = distinct.slice(0, size / 5);
	const leads = new Prng(1).shuffle([
		...distinct.map((asks) => ({ item: item(asks), asks })),
		...twins.map((asks) => ({ item: twin(asks), asks })),
		...numbers(malformed).map((index) => ({ item: junk[index % junk.length] ?? {}, asks: null })),
	]);
	return {
		items: leads.map(({ item }) => item),
		asks: leads.map(({ asks }) => asks),
		distinct,
		malformed,
	};
}
