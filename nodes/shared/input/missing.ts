import { InvalidInput } from '../failures/failure';
import { type InvalidReason, WITHOUT_RESULT } from '../failures/reasons';
import { isObject, objectFrom } from '../values/json';
import { isSocialPage, toDomain, toText } from '../values/text';
import { nameIn } from './fieldValues';
import type { Lead } from '../lead/lead';
import type { Meaning } from '../lead/columnNames';
import { EMPTY_FIELD, NO_NAME } from '../lead/cells';
import type { LeadParameters } from './leadParameters';

const OF_COMPANY = {
	what: 'company',
	whole: 'a company or its website',
	meanings: ['domain', 'company'] satisfies Meaning[],
};

/** What lookups need, by the reason given where it is missing: in a word, in full, and the meanings of fields that may hold it. */
const NEEDS = {
	missing_name: {
		what: 'name',
		whole: 'a first and a last name',
		meanings: ['fullName', 'firstName', 'lastName', 'name'],
	},
	missing_company: OF_COMPANY,
	missing_keyword: OF_COMPANY,
} satisfies Partial<Record<InvalidReason, { what: string; whole: string; meanings: Meaning[] }>>;

/** Something that a lookup needs, and an item lacks. */
export type Missing = keyof typeof NEEDS;

const MAX_NAMED = 10;

/** The header of a file that was not split at the sign between its columns. */
const SEVERAL_COLUMNS = /([;,|\t]).*\1/;

const FULL_NAME = 'looks like a full name';

/** Reasons that lie in the values of one row: another column would not help. */
const OF_ROW = /^only |\b(?:half|only) an? |\bempty in this row$/;
const EMPTY = /\bempty in this row$/;

/** The error for an item that lacks something: it says whether the field is missing or empty. The first gives the reason. */
export function missing(
	parameters: LeadParameters,
	item: number,
	lacking: Missing[],
): InvalidInput {
	const json = parameters.json(item);
	const lead = parameters.leadIn(item);
	const whys = lacking.map((one) =>
		lead ? whyNotRead(lead, one, json) : whyNotChosen(parameters, item, one),
	);
	const { status, message: before } = objectFrom(json);
	const cameIn =
		WITHOUT_RESULT.has(status) && before ? ` (it came in as ${status}: ${before})` : '';
	const what = lacking.map((one, index) => {
		const why = cameIn === '' && whys[index] ? ` (${whys[index]})` : '';
		return `no ${NEEDS[one].what}${why}`;
	});
	const fields = isObject(json) ? Object.keys(json) : [];
	const more = fields.length > MAX_NAMED ? ` and ${fields.length - MAX_NAMED} more` : '';
	const named = fields.slice(0, MAX_NAMED).map(shortened).join(', ') + more;
	const among = lead && whys.includes('') ? `. The item has: ${named || 'no fields'}` : '';
	return new InvalidInput({
		reason: lacking[0],
		message: `Not sent: ${what.join(' and ')}${cameIn || among}`,
		description: nextStep(lacking, whys, fields, parameters),
	});
}

function nextStep(
	lacking: Missing[],
	whys: string[],
	fields: string[],
	parameters: LeadParameters,
): string {
	const isRecognized = !parameters.isChosen;
	if (fields.length === 1 && SEVERAL_COLUMNS.test(fields[0])) {
		return 'The whole row is in one column: set the Delimiter of the file where it is read, e.g. in Extract from File.';
	}
	// Where the user chose the fields, another one may have the other half of a name.
	if (whys.every((why) => (isRecognized ? OF_ROW : EMPTY).test(why))) {
		const whole = lacking.map((one) => NEEDS[one].whole);
		return `Complete your data: each row needs ${whole.join(', and ')}.`;
	}
	const isFull = (why: string) => why.endsWith(FULL_NAME);
	if (isRecognized) {
		const names = whys.some(isFull) ? ', full names onto Full Name' : '';
		// Leads whose email is read now would be looked up then.
		const hasEmail = parameters.operation.lead?.existingEmail !== undefined;
		const emails = hasEmail ? ', emails that you have onto Existing Email' : '';
		return `To pick the fields yourself, set Lead Fields to Choose Below and drag them in${names}${emails}.`;
	}
	const labels = lacking.map((one, index) => {
		// The first alone, or all others.
		const [first, ...others] = namesFor(one, parameters).map((name) => parameters.labelOf(name));
		return others.length === 0 || isFull(whys[index])
			? first
			: `${first} (or ${others.join(' and ')})`;
	});
	return `Fill in ${labels.join(' and ')}.`;
}

/** The parameters of the operation that may hold it. */
function namesFor(lacking: Missing, { isTool, operation }: LeadParameters): string[] {
	const needed: Meaning[] = NEEDS[lacking].meanings;
	const { lead = {} } = operation;
	return Object.keys(lead).filter(
		(name) =>
			lead[name].meanings.some((one) => needed.includes(one)) && (lead[name].forModel || !isTool),
	);
}

function shortened(name: string): string {
	return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** Why nothing was recognized, if a field shows it. */
function whyNotRead(lead: Lead, lacking: Missing, json: unknown): string {
	const all: Meaning[] = NEEDS[lacking].meanings;
	const lacks = all.flatMap((meaning) => lead.lacking[meaning] ?? []);
	const half = all.find((meaning) => lead.found[meaning]);
	const found = half && lead.found[half];
	if (found) {
		const why = ofHalf(half, found.value, found.field);
		// Beside a half of a name, a field that holds none says more.
		const less = why.endsWith(FULL_NAME) ? [EMPTY_FIELD, NO_NAME] : [EMPTY_FIELD];
		const unread = lacks.find((one) => !less.includes(one.why));
		return unread ? `${shortened(unread.field)} ${unread.why}` : why;
	}
	const empty = lacks.filter(({ why }) => why === EMPTY_FIELD).map(({ field }) => field);
	const telling = lacks.find(({ why }) => why !== EMPTY_FIELD && why !== NO_NAME);
	if (empty.length > 1 && !telling) return areEmpty(empty);
	const first = telling ?? lacks[0];
	if (!first) return lacking === 'missing_name' ? '' : whyNoWebsite(json);
	const why = `${shortened(first.field)} ${first.why}`;
	// Of a field for websites nobody sees that one for names would do.
	const isOfWebsite = first === lead.lacking.domain && !lead.lacking.company;
	return isOfWebsite ? `${why}, and no company name was recognized` : why;
}

/** That a field holds a website, though nobody would know it by its name. */
function whyNoWebsite(json: unknown): string {
	const isWebsite = (text: string) =>
		/^(?:https?:\/\/|www\.)/i.test(text) && toDomain(text) !== '' && !isSocialPage(text);
	const fields = Object.entries(isObject(json) ? json : {});
	const [field] = fields.find(([, value]) => isWebsite(toText(value))) ?? [];
	return field === undefined ? '' : `${shortened(field)} holds a website and was not read`;
}

/** Why the chosen fields hold nothing that can be meant, if a field or a plain reference shows it. */
function whyNotChosen(parameters: LeadParameters, item: number, lacking: Missing): string {
	const names = namesFor(lacking, parameters);
	for (const name of names) {
		const label = parameters.labelOf(name);
		const text = nameIn(parameters.get(name, item, ''));
		if (isSocialPage(text)) return `${label} is not a company website`;
		if (text !== '' && lacking === 'missing_name') return ofHalf(name, text, label);
	}
	const json = parameters.json(item);
	const references = names.map((name) => parameters.referenceOf(name) ?? []);
	const fields = references.flatMap(([field, ...deeper]) =>
		deeper.length > 0 ? [] : (field ?? []),
	);
	const isThere = (field: string) => isObject(json) && Object.hasOwn(json, field);
	const absent = fields.filter((field) => !isThere(field));
	if (absent.length > 0) return `this item has no field ${absent.join(' and no field ')}`;
	return areEmpty(fields);
}

function areEmpty(fields: string[]): string {
	const names = fields.map(shortened).join(' and ');
	if (fields.length > 1) return `${names} are empty in this row`;
	return fields.length === 1 ? `${names} ${EMPTY_FIELD}` : '';
}

/** Half of a name, which cannot be looked up alone. Last names often have two words. */
function ofHalf(half: string, text: string, field: string): string {
	if (half === 'fullName') return `${field} is only half a name`;
	return half === 'firstName' && text.includes(' ') ? `${field} ${FULL_NAME}` : `only ${field}`;
}
