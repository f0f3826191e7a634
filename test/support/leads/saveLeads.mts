import type { LeadList } from '../../emulator/fixtures.mts';
import { fixtures, known } from './expected.mts';

/** No lead of the fixtures has so high an id; an id is never given twice, also after a deletion. */
let lastId = 1_000_000;

/** Saves new leads in a list, with ever higher ids, and gives these, oldest first. */
export function saveLeads(list: LeadList, count: number): number[] {
	const example = known(fixtures.list(101)?.leads[0]);
	const ids = Array.from({ length: count }, () => (lastId += 3));
	for (const id of ids) list.leads.push({ ...example, id });
	return ids;
}
