import { Failure } from '../failures/failure';
import type { InvalidReason } from '../failures/reasons';
import type { IDataObject } from 'n8n-workflow';
import { objectFrom } from '../values/json';
import { toText } from '../values/text';
import { type Lead, NAMES } from '../lead/lead';
import type { Meaning } from '../lead/columnNames';
import { EMPTY_FIELD } from '../lead/cells';
import type { LeadParameters } from './leadParameters';

/** What lookups need, by the reason given where it is missing: the meanings of fields that may hold it, and what it looks like. */
const NEEDS = {
	missing_name: {
		word: 'name',
		meanings: NAMES,
		looks: /^\p{Lu}[\p{L}'’.-]*(?: [\p{L}'’.-]+){1,3}$/u,
	},
	missing_company: {
		word: 'company',
		meanings: ['domain', 'company'],
		looks: /^(?:https?:\/\/)?(?:[\p{L}\d-]+\.)+[a-z]{2,}(?:\/|$)/u,
	},
} satisfies Partial<
	Record<InvalidReason, Omit<Gap, 'why' | 'isOfRow' | 'names'> & { meanings: Meaning[] }>
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
	const gaps = lacking.map((need) => gapIn(lead, need, parameters));
	const said = gaps.map(({ word, why }) => `no ${word}${why && ` (${why})`}`).join(' and ');
	const isExplained = parameters.isTool || gaps.every(({ why }) => why !== '');
	const has = Object.keys(json).slice(0, MAX_COLUMNS).join(', ') || 'nothing';
	return new Failure(lacking[0], {
		message: `Not sent: ${said}${isExplained ? '' : `. The item has: ${has}`}`,
		// Of all rows the first one shows what is near, so that they say the same.
		description: toComplete(objectFrom(parameters.json(0)), gaps, parameters),
	});
}

/** Something that an item lacks: why, and where it could be. */
interface Gap {
	word: string;
	/** The field that should hold it, and why it does not; empty where there is none. */
	why: string;
	/** Whether a field for it has been read in other rows. */
	isOfRow: boolean;
	/** The fields of the node for it. */
	names: string[];
	/** Whether a text looks like it. */
	looks: RegExp;
}

function gapIn({ found, lacking }: Lead, need: Missing, parameters: LeadParameters): Gap {
	const { word, meanings, looks } = NEEDS[need];
	const unread = meanings.flatMap((meaning) => lacking[meaning] ?? []);
	const half = meanings.flatMap((meaning) =>
		found[meaning]?.value ? found[meaning].field : [],
	)[0];
	const unfit = word === 'company' ? 'is not a company website' : 'is only half a name';
	const first =
		unread.find(({ why }) => why !== EMPTY_FIELD) ??
		unread[0] ??
		(half !== undefined && { field: half, why: unfit });
	const isRead = ({ field, why }: { field: string; why: string }) =>
		why === EMPTY_FIELD ? parameters.isFilled(field) : parameters.fieldsRead.has(field);
	return {
		...{ word, looks },
		why: first ? `${first.field} ${first.why}` : '',
		isOfRow: unread.some(isRead),
		names: parameters.namesFor(meanings),
	};
}

/** What to do about what an item lacks. */
function toComplete(json: IDataObject, gaps: Gap[], parameters: LeadParameters): string {
	const { fieldsRead, isTool } = parameters;
	const columns = Object.keys(json);
	if (!isTool && columns.length === 0) {
		return 'Check that the node before this one gives out your rows.';
	}
	if (columns.length === 1 && SEVERAL_COLUMNS.test(columns[0])) {
		return 'The whole row is in one column: set the Delimiter of the file where it is read, e.g. in Extract from File.';
	}
	const ofList = gaps.filter(({ isOfRow }) => !isOfRow);
	if (ofList.length === 0) return 'Complete these rows.';
	const toPick = ofList.map(({ names, looks }) => {
		const isRead = (name: string) =>
			fieldsRead.has(name) || gaps.some(({ why }) => why.startsWith(name));
		const isNear = (name: string) => looks.test(toText(json[name])) && !isRead(name);
		return parameters.toPick(names, columns.filter(isNear).slice(0, 2));
	});
	const isExplained = !isTool && ofList.every(({ why }) => why !== '');
	const sentence = `${isExplained ? 'complete these rows, or ' : ''}${toPick.join(', and ')}.`;
	return `${sentence[0].toUpperCase()}${sentence.slice(1)}`;
}
