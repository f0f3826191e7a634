import type { IDataObject } from 'n8n-workflow';
import { Failure } from '../failures/failure';
import type { InvalidReason } from '../failures/reasons';
import { objectFrom } from '../values/json';
import { toText } from '../values/text';
import { type Lead, NAMES } from '../lead/lead';
import type { Meaning } from '../lead/columnNames';
import { EMPTY_FIELD } from '../lead/cells';
import type { LeadParameters } from './leadParameters';

/**
 * What lookups need, by the reason given where it is missing: the meanings of fields that may hold it, why one that was
 * read is not enough, and what a text of it looks like.
 */
const NEEDS = {
	missing_name: {
		word: 'name',
		meanings: NAMES,
		unfit: 'is only half a name',
		looks: /^\p{Lu}[\p{L}'’.-]*(?: [\p{L}'’.-]+){1,3}$/u,
	},
	missing_company: {
		word: 'company',
		meanings: ['domain', 'company'],
		unfit: 'is not a company website',
		looks: /^(?:https?:\/\/)?(?:[\p{L}\d-]+\.)+[a-z]{2,}(?:\/|$)/u,
	},
} satisfies Partial<
	Record<InvalidReason, { word: string; meanings: Meaning[]; unfit: string; looks: RegExp }>
>;

/** Something that a lookup needs, and an item lacks. */
export type Missing = keyof typeof NEEDS;

/** The header of a file that was not split at the sign between its columns. */
const SEVERAL_COLUMNS = /([;,|\t]).*\1/;

/** The most columns that a message names: whoever reads it in a log has no panel beside it. */
const MAX_COLUMNS = 10;

/** The error for an item that lacks something, and where to pick the fields. What it lacks first gives the reason. */
export function missing(parameters: LeadParameters, item: number, lacking: Missing[]): Failure {
	const json = objectFrom(parameters.json(item));
	const lead = parameters.leadIn(item);
	const gaps = lacking.map((need) => gapIn(need, lead, parameters));
	const said = gaps.map(({ word, cause }) => {
		return `no ${word}${cause ? ` (${cause.field} ${cause.why})` : ''}`;
	});
	const isExplained = parameters.isTool || gaps.every(({ cause }) => cause);
	const has = Object.keys(json).slice(0, MAX_COLUMNS).join(', ') || 'nothing';
	return new Failure(lacking[0], {
		message: `Not sent: ${said.join(' and ')}${isExplained ? '' : `. The item has: ${has}`}`,
		// Of all rows the first one shows what is near, so that they say the same.
		description: toComplete(objectFrom(parameters.json(0)), gaps, parameters),
	});
}

/** What an item lacks, the field that should hold it, and why that does not. */
function gapIn(need: Missing, { found, lacking }: Lead, { leads }: LeadParameters) {
	const { meanings, unfit } = NEEDS[need];
	const unread = meanings.flatMap((one) => lacking[one] ?? []);
	const read = meanings.flatMap((one) => (found[one] ? { ...found[one], why: unfit } : []));
	const told = unread.filter(({ why }) => why !== EMPTY_FIELD);
	// Other rows have it.
	const isOfRow = unread.some(({ field, why }) => why === EMPTY_FIELD && leads?.isFilled(field));
	return { ...NEEDS[need], cause: [...told, ...unread, ...read].at(0), isOfRow };
}

/** What to do about what an item lacks. */
function toComplete(
	json: IDataObject,
	gaps: Array<ReturnType<typeof gapIn>>,
	parameters: LeadParameters,
): string {
	const { fieldsRead, isTool } = parameters;
	const columns = Object.keys(json);
	if (!isTool && columns.length === 0) {
		return 'Check that the node before this one gives out your rows.';
	}
	if (columns.length === 1 && SEVERAL_COLUMNS.test(columns[0])) {
		return 'The whole row is in one column: set the Delimiter of the file where it is read, e.g. in Extract from File.';
	}
	const ofList = gaps.filter(({ isOfRow }) => !isOfRow);
	if (ofList.length === 0) return 'Complete the rows that lack a name or a company.';
	const isRead = (name: string) =>
		fieldsRead.has(name) || gaps.some(({ cause }) => cause?.field === name);
	const near = ofList.flatMap(({ looks }) =>
		columns.filter((name) => looks.test(toText(json[name])) && !isRead(name)).slice(0, 2),
	);
	const needs = ofList.map(({ meanings }) => meanings);
	const advice = `${parameters.toPick(needs, near)}.`;
	const isExplained = !isTool && ofList.every(({ cause }) => cause);
	return isExplained
		? `Complete the rows that lack it, or ${advice}`
		: `${advice[0].toUpperCase()}${advice.slice(1)}`;
}
