import type { IDataObject } from 'n8n-workflow';
import { holdsEmail } from '../values/email';
import { isObject } from '../values/json';
import {
	cleanText,
	hasExpressionLeft,
	isPlaceholder,
	isSocialPage,
	toDomain,
	toText,
	withoutAccents,
	withoutEntities,
} from '../values/text';
import type { Meaning } from './columnNames';
import { rulesOf } from './rules';

export const EMPTY_FIELD = 'is empty in this row';

/** What people who have no company write in a form that asks for one. */
const NO_COMPANY =
	/^(?:no|nein|keine?|tba|career break|open to work|(?:looking|seeking) (?:for|new) .*|stealth(?: mode| (?:\w+ )?startup)?|self|student|private?|individual|independent|privato|particuli?er|particular|aucune?|ninguna|nessuna?|geen|etudiante?|estudiante|rentner(?:in)?|retraitee?|jubilad[ao]|non renseignee?|not specified|(?:no|sin|sans|keine|ohne|senza|geen) (?:company|empresa|entreprise|firma|azienda|bedrijf))$/i;

/** Whether a text stands for no company: `privat`, `(Angel Investor)`. */
function isNoCompany(text: string): boolean {
	return NO_COMPANY.test(withoutAccents(text)) || isPlaceholder(text) || /^\(.*\)$/.test(text);
}

function isOfPerson(meaning: Meaning): boolean {
	return !['domain', 'company', 'email'].includes(meaning);
}

/** What a cell with this text holds: each rule gives the text that the next one gets; an empty one for nothing. */
export const CELL_RULES = rulesOf<(text: string, meaning: Meaning) => string>({
	'A word for nothing': (text) => (isPlaceholder(text) ? '' : text),
	'A website has a host, and is no page at a network': (text, meaning) => {
		const domain = meaning === 'domain' ? toDomain(text) : text;
		return domain === '' || (meaning === 'domain' && isSocialPage(text, domain)) ? '' : text;
	},
	'An email has an @': (text, meaning) =>
		meaning === 'email' && !text.includes('@') && !holdsEmail(text) ? '' : text,
	'Entities in names are decoded first': (text, meaning) =>
		meaning === 'company' || isOfPerson(meaning) ? withoutEntities(text) : text,
	'Of several companies the first': (text, meaning) =>
		meaning === 'company' ? text.split(/;|\s:::\s|\s\(https?:/, 1)[0] : text,
	'A number, an email or a masked text is no name': (text, meaning) => {
		const isName = meaning === 'company' || isOfPerson(meaning);
		const isBroken = () =>
			isOfPerson(meaning) && /[*•●…<>]|\.{3}|(?:^| )(?:null|NULL)(?: |$)/.test(text);
		return isName && (text.includes('@') || !/\p{L}/u.test(text) || isBroken()) ? '' : text;
	},
	'What stands for no company': (text, meaning) => {
		const isNone = () => text.split('/').every((part) => isNoCompany(part.trim()));
		return meaning === 'company' && isNone() ? '' : text;
	},
});

/** The text of a field, if it can be right; of a list the first such text, of an object its `value`. */
export function valueOf(meaning: Meaning, field: unknown): string {
	if (!Array.isArray(field)) return textOf(meaning, field);
	// CRMs mark an entry as the primary one, or as that for work.
	const isFirst = (one: unknown) => isObject(one) && one.primary === true;
	const isOfWork = (one: unknown) => isObject(one) && Object.values(one).includes('work');
	const entries = [...field.filter(isFirst), ...field.filter(isOfWork), ...field];
	return entries.map((entry) => textOf(meaning, entry)).find((text) => text !== '') ?? '';
}

function textOf(meaning: Meaning, entry: unknown): string {
	let text = cellText(meaning, entry);
	// n8n has not evaluated it: the item is refused.
	if (text === '' || hasExpressionLeft(text)) return text;
	for (const [, rule] of CELL_RULES) text = rule(text, meaning);
	return text;
}

/** The text of a field as it stands there, of an object that of its value. Two lines of a name are no name of one person. */
function cellText(meaning: Meaning, entry: unknown): string {
	const value = isObject(entry) ? valueIn(meaning, entry) : entry;
	const isName = typeof value === 'string' && isOfPerson(meaning);
	return cleanText(isName ? value.trim().replaceAll('\n', ' / ') : value);
}

/** Forms and Twenty have the halves of a name in an object. */
function valueIn(meaning: Meaning, one: IDataObject) {
	const { value, name = one.Name, first = one.firstName, last = one.lastName } = one;
	if (meaning === 'email') {
		return value ?? one.email ?? one.address ?? one.Address ?? one.primaryEmail;
	}
	return value ?? name ?? [first, last].map(toText).join(' ');
}

/** Why what a field holds cannot be right. */
export function whyEmpty(meaning: Meaning, field: unknown): string {
	const parts = [field].flat().flatMap((one) => (isObject(one) ? Object.values(one) : [one]));
	if (parts.every((one) => cleanText(one) === '')) return EMPTY_FIELD;
	return meaning === 'domain' ? 'is not a company website' : 'is not a name';
}
