import { Failure } from '../failures/failure';
import type { InvalidReason } from '../failures/reasons';
import { isObject } from '../values/json';
import type { Lead } from '../lead/lead';
import type { Meaning } from '../lead/columnNames';
import { EMPTY_FIELD } from '../lead/cells';
import { nameIn } from './fieldValues';
import type { LeadParameters } from './leadParameters';

/** What lookups need, by the reason given where it is missing, and the meanings of fields that may hold it. */
const NEEDS = {
	missing_name: {
		word: 'name',
		meanings: ['fullName', 'firstName', 'lastName', 'name'],
	},
	missing_company: {
		word: 'company',
		meanings: ['domain', 'company'],
	},
} satisfies Partial<Record<InvalidReason, { word: string; meanings: Meaning[] }>>;

/** Something that a lookup needs, and an item lacks. */
export type Missing = keyof typeof NEEDS;

/** The header of a file that was not split at the sign between its columns. */
const SEVERAL_COLUMNS = /([;,|\t]).*\1/;

/** The most columns that a message names: whoever reads it in a log has no panel beside it. */
const MAX_COLUMNS = 10;

/** The error for an item that lacks something, and where to pick the fields. What it lacks first gives the reason. */
export function missing(parameters: LeadParameters, item: number, lacking: Missing[]): Failure {
	const json = parameters.json(item);
	const lead = parameters.leadIn(item);
	const gaps = lacking.map((need) => {
		const { word, meanings } = NEEDS[need];
		const why = lead ? whyNotRead(lead, meanings) : whyNotChosen(parameters, item, meanings);
		return { said: `no ${word}${why && ` (${why})`}`, isExplained: why !== '' };
	});
	const said = gaps.map((gap) => gap.said).join(' and ');
	const isExplained = gaps.every((gap) => gap.isExplained);
	const columns = Object.keys(isObject(json) ? json : {});
	const has = columns.slice(0, MAX_COLUMNS).join(', ') || 'nothing';
	const labels = lacking.map((need) => labelsFor(NEEDS[need].meanings, parameters));
	return new Failure(lacking[0], {
		message: `Not sent: ${said}${lead && !isExplained ? `. The item has: ${has}` : ''}`,
		description: lead
			? toRecognize(columns, isExplained, parameters)
			: `Fill in ${labels.join(' and ')}.`,
	});
}

/** The field that should hold it, and why it does not; empty where none was recognized. */
function whyNotRead({ found, lacking }: Lead, meanings: Meaning[]): string {
	const unread = meanings.flatMap((meaning) => lacking[meaning] ?? []);
	const first = unread.find(({ why }) => why !== EMPTY_FIELD) ?? unread[0];
	if (first) return `${first.field} ${first.why}`;
	const half = meanings.flatMap((meaning) => found[meaning]?.field ?? [])[0];
	return half === undefined ? '' : `${half} is only half a name`;
}

/** @param isExplained whether columns for all that is needed were recognized */
function toRecognize(
	[name = '', ...others]: string[],
	isExplained: boolean,
	{ operation: { lead } }: LeadParameters,
): string {
	if (name === '') return 'Check that the node before this one gives out your rows.';
	if (others.length === 0 && SEVERAL_COLUMNS.test(name)) {
		return 'The whole row is in one column: set the Delimiter of the file where it is read, e.g. in Extract from File.';
	}
	const complete = isExplained ? 'Complete these rows, or set' : 'Set';
	const emails = lead?.existingEmail ? ', emails that you have onto Existing Email' : '';
	return `${complete} Lead Fields to Choose Below and drag the right columns in${emails}.`;
}

/** The fields of the item that are chosen and that it does not have, else what a field holds in its place. */
function whyNotChosen(parameters: LeadParameters, item: number, needed: Meaning[]): string {
	const json = parameters.json(item);
	const names = namesFor(needed, parameters);
	const references = names.map((name) => parameters.referenceOf(name) ?? []);
	const fields = references.flatMap((steps) => (steps.length === 1 ? steps : []));
	const absent = fields.filter((field) => !isObject(json) || !Object.hasOwn(json, field));
	if (absent.length > 0) return `this item has no field ${absent.join(' and no field ')}`;
	const filled = names.find((name) => nameIn(parameters.get(name, item, '')) !== '');
	if (filled === undefined) return '';
	const why = needed.includes('company') ? 'is not a company website' : 'is only half a name';
	return `${parameters.labelOf(filled)} ${why}`;
}

/** The fields of the node that may hold it. */
function namesFor(needed: Meaning[], { isTool, operation }: LeadParameters): string[] {
	const { lead = {} } = operation;
	return Object.keys(lead).filter((name) => {
		const { forModel, meanings } = lead[name];
		return (forModel || !isTool) && meanings.some((meaning) => needed.includes(meaning));
	});
}

/** Their labels: the first, or all others. */
function labelsFor(needed: Meaning[], parameters: LeadParameters): string {
	const names = namesFor(needed, parameters);
	const [first, ...others] = names.map((name) => parameters.labelOf(name));
	return others.length > 0 ? `${first} (or ${others.join(' and ')})` : first;
}
