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
} from '../values/text';
import type { Meaning } from './columnNames';

export const EMPTY_FIELD = 'is empty in this row';
export const NO_NAME = 'holds no name';

/** A list with the entries first that it marks as the primary one and as that for work, as CRMs do. */
function inOrder(list: unknown[]): unknown[] {
	const objects = list.filter(isObject);
	return [
		...objects.filter(({ primary }) => primary === true),
		...objects.filter((one) => Object.values(one).includes('work')),
		...list,
	];
}

/** The text of a field, if it can be meant; of a list the first such text, of an object its `value`. */
export function valueOf(meaning: Meaning, field: unknown): string {
	if (!Array.isArray(field)) return textOf(meaning, field);
	const texts = inOrder(field).map((entry) => textOf(meaning, entry));
	return texts.find((text) => text !== '') ?? '';
}

/** The ID of a linked record in Airtable or Notion. */
const LINKED_RECORD = /^(?:rec\w{14}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Whoever hides the name at LinkedIn is a LinkedIn Member, Utilisateur LinkedIn. */
const HIDDEN = /^LinkedIn(?: |$)|^(?:\p{L}+ ){1,2}LinkedIn$/iu;

/** A name that is masked or cut (`Lo***e`, `L…`), or that an expression has put together of nothing. */
const BROKEN = /[*•●…]|\.{3}|(?:^| )(?:undefined|null)(?: |$)/;

/** What people who have no company write in a form that asks for one. */
const NO_COMPANY =
	/^(?:no|nein|keine?|tba|career break|open to work|(?:looking|seeking) (?:for|new) .*|stealth(?: mode| (?:\w+ )?startup)?|self|student|private?|individual|independent|privato|particuli?er|particular|aucune?|ninguna|nessuna?|geen|etudiante?|estudiante|rentner(?:in)?|retraitee?|jubilad[ao]|non renseignee?|not specified|(?:no|sin|sans|keine|ohne|senza|geen) (?:company|empresa|entreprise|firma|azienda|bedrijf))$/i;

/** What stands behind the first of several companies, or Notion's link to it: not the semicolon that ends `&amp;`. */
const BEHIND_COMPANY = /(?<!&#?\w{2,6});|\s:::\s|\s\(https?:/;

/** The text of one entry, if it can be meant. */
function textOf(meaning: Meaning, entry: unknown): string {
	const text = cellText(meaning, entry);
	if (isPlaceholder(text)) return '';
	// n8n has not evaluated it: the item is refused.
	if (hasExpressionLeft(text)) return text;
	if (meaning === 'domain') {
		const domain = toDomain(text);
		// "16.000" is a number.
		return domain === '' || isSocialPage(text, domain) || /\.\d+$/.test(text) ? '' : text;
	}
	if (meaning === 'email') return text.includes('@') || holdsEmail(text) ? text : '';
	const isCompany = meaning === 'company';
	const name = isCompany ? text.split(BEHIND_COMPANY, 1)[0] : text;
	// A number, an email or the id of a linked record in a field for names is none.
	if (text.includes('@') || !/\p{L}/u.test(name) || LINKED_RECORD.test(name)) return '';
	if (!isCompany) return HIDDEN.test(name) || BROKEN.test(name) ? '' : name;
	return name.split('/').every((part) => isNoCompany(part.trim())) ? '' : name;
}

/** Whether a text stands for no company: `privat`, `(Angel Investor)`. */
function isNoCompany(text: string): boolean {
	return NO_COMPANY.test(withoutAccents(text)) || isPlaceholder(text) || /^\(.*\)$/.test(text);
}

/** The text of a field as it stands there, of an object that of its value. */
export function cellText(meaning: Meaning, entry: unknown): string {
	const value = isObject(entry) ? valueIn(meaning, entry) : entry;
	if (typeof value !== 'string' || !value.includes('\n')) return cleanText(value);
	// Beside a line of several words, another one is a second person, or what the first does.
	const lines = value.split('\n').map(cleanText).filter(Boolean);
	const areSeveral = lines.length > 1 && lines.some((line) => line.includes(' '));
	return areSeveral ? lines.join(' / ') : cleanText(value);
}

/** Forms and Twenty have the halves of a name in an object. */
function valueIn(meaning: Meaning, one: IDataObject) {
	const { value, name, first = one.firstName, last = one.lastName } = one;
	if (meaning === 'email') {
		return value ?? one.email ?? one.address ?? one.Address ?? one.primaryEmail;
	}
	return value ?? name ?? [first, last].map(toText).join(' ');
}

export function whyEmpty(meaning: Meaning, field: unknown): string {
	const parts = [field].flat().flatMap((one) => (isObject(one) ? Object.values(one) : [one]));
	if (parts.every((one) => cleanText(one) === '')) return EMPTY_FIELD;
	return meaning === 'domain' ? 'is not a company website' : NO_NAME;
}
