import { InvalidInput } from '../failures/failure';
import type { InvalidReason } from '../failures/reasons';
import { isObject } from '../values/json';
import { cleanText, isSocialPage } from '../values/text';
import { EMPTY_FIELD, type Lead } from './leadFields';
import type { Meaning } from './leadNames';
import type { Parameters } from './parameters';

/** Something that a lookup needs, and an item lacks. */
export interface Missing {
	code: InvalidReason;
	/** In a word, e.g. `company`. */
	what: string;
	/** The names of the parameters that may hold it: the first alone, or all others. */
	names: string[];
}

/** So many fields of an item are named at most. */
const MAX_NAMED = 10;

const FULL_NAME = 'looks like a full name';

/** For what an item lacks: whether the item has no field for it, or one that is empty. The code names the first. */
export function missing(parameters: Parameters, item: number, lacking: Missing[]): InvalidInput {
	const json = parameters.json(item);
	const lead = parameters.leadIn(item);
	const whys = lacking.map((one) =>
		lead ? whyNotRead(parameters, lead, one) : whyNotChosen(parameters, item, one),
	);
	const what = lacking.map(({ what }, index) => `no ${what}${whys[index] && ` (${whys[index]})`}`);
	const names = isObject(json) ? Object.keys(json) : [];
	const named =
		names.slice(0, MAX_NAMED).map(shortened).join(', ') + (names.length > MAX_NAMED ? ', …' : '');
	const among = lead && whys.includes('') ? ` among its fields: ${named || 'none'}` : '';
	const isFull = whys.some((why) => why.endsWith(FULL_NAME));
	const labels = lacking.map(({ names }, index) => {
		const [first, ...others] = names.map((name) => parameters.labelOf(name));
		if (others.length === 0 || whys[index].endsWith(FULL_NAME)) return first;
		return `${first} (or ${others.join(' and ')})`;
	});
	return new InvalidInput({
		reason: lacking[0].code,
		message: `Not sent: ${what.join(' and ')}${among}`,
		description: lead
			? `To pick the fields yourself, set Lead Fields to Choose Below and drag them in${isFull ? ': full names onto Full Name' : ''}.`
			: `Fill in ${labels.join(' and ')}.`,
	});
}

/** A name that a message can hold. */
function shortened(name: string): string {
	return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** Why nothing was recognized, if a field shows it. */
function whyNotRead({ operation }: Parameters, lead: Lead, { code, names }: Missing): string {
	const own = names.flatMap((name) => operation.lead?.[name]?.meanings ?? []);
	const all: Meaning[] = code === 'missing_name' ? [...own, 'name'] : own;
	const [half] = all.flatMap((meaning) => lead.found[meaning] ?? []);
	if (half) return ofHalf(half.value, half.field);
	const lacks = all.flatMap((meaning) => lead.lacking[meaning] ?? []);
	const empty = lacks.filter(({ why }) => why === EMPTY_FIELD).map(({ field }) => shortened(field));
	if (empty.length > 1) return `${empty.join(' and ')} are empty in this row`;
	return lacks.map(({ field, why }) => `${shortened(field)} ${why}`)[0] ?? '';
}

/** Why the chosen fields hold nothing that can be meant, if a field or a plain reference shows it. */
function whyNotChosen(parameters: Parameters, item: number, { code, names }: Missing): string {
	for (const name of names) {
		const label = parameters.labelOf(name);
		const text = cleanText(parameters.get(name, item, ''));
		if (isSocialPage(text)) return `${label} is not a company website`;
		if (text !== '' && code === 'missing_name') return ofHalf(text, label);
	}
	const json = parameters.json(item);
	for (const name of names) {
		const [field, ...deeper] = parameters.referenceOf(name) ?? [];
		if (field === undefined || deeper.length > 0) continue;
		const isThere = isObject(json) && Object.hasOwn(json, field);
		return isThere ? `${field} ${EMPTY_FIELD}` : `this item has no field ${field}`;
	}
	return '';
}

/** Half of a name, which cannot be looked up alone. */
function ofHalf(text: string, field: string): string {
	return text.includes(' ') ? `${field} ${FULL_NAME}` : `only ${field}`;
}
