import { type Meaning, type Named, namedBy } from './columnNames';
import { NAMES } from './lead';
import { rulesOf } from './rules';

/** A column that says something by its name, and where it is. */
export interface Column extends Named {
	/** The object inside the item that it is in; empty for the item itself. */
	section: string;
	field: string;
}

/** The columns of one person. */
export interface Person {
	section: string;
	owner: string;
	columns: Column[];
	/** How sure the name is: 3 for a whole one, 2 for half of one, 1 for a bare `name`, 0 for none. */
	certainty: number;
}

/** Which columns are read, decided by the names of all columns of a list. */
export interface Plan {
	/** The surest of each meaning first. */
	columns: Column[];
	/** Other people. What they have is the lead's where a row has the same name there. */
	others: Person[];
	/** Those of them whose name is as sure: where it is another one, nobody knows who is meant. */
	rivals: Person[];
	/** All columns that have a value in any item, by their keys; `undefined` for a name that says nothing. */
	list: Map<string, Column | undefined>;
	choice: Choice;
	/** Whether the user has chosen another person than the item's own: then an email is that of the name beside it. */
	isAnother: boolean;
}

/** What is not recognized: what is chosen, with the key of its column if it is one, and what that stands for. */
export type Choice = Map<Meaning, string>;

/** The key of a column. */
export function columnKey(section: string, field: string): string {
	return `${section}\0${field}`;
}

/** Whether a column names the person. */
export function isName({ meaning }: Column): boolean {
	return NAMES.includes(meaning);
}

/** Whether a column is chosen for the name. */
function isChosen({ section, field }: Column, choice: Choice): boolean {
	return NAMES.some((one) => choice.get(one) === columnKey(section, field));
}

/** Whether two columns are both halves of the name of one person. */
function isOtherHalf(one: Column, other: Column): boolean {
	const half = one.meaning === 'firstName' ? 'lastName' : 'firstName';
	return other.meaning === half && other.section === one.section && other.owner === one.owner;
}

/** In a CRM, the `Proprietario` of somebody at a company is the seller. */
const SELLER = 'proprie';

/** Further apart than any two ranks. */
const FAR = 1_000;

/** Objects of which only the website is read: their name is that of the company. */
const OF_COMPANY = /^(?:company|organization)$/;

/**
 * What a column holds, by its name; `undefined` for a name that says nothing.
 * @param order how many objects come before the one that the column is in
 */
export function columnOf(section: string, field: string, order: number): Column | undefined {
	const named = namedBy(field);
	if (!named || (OF_COMPANY.test(section) && named.meaning !== 'domain')) return undefined;
	// In exactly this spelling it is the package's own.
	const rank = named.rank + order * FAR - (field === 'email' ? 0.5 : 0);
	return { ...named, section, field, rank };
}

const COMPANY_NAME = /^(?:company|organi[sz]ation|party)name$/;

/** Which columns of a list are the lead's or the item's at all. */
export const PLAN_RULES = rulesOf<(columns: Column[], choice: Choice) => Column[]>({
	'Beside Company Name, Company is the user’s own': (columns) => {
		const isOwn = columns.some(({ letters }) => COMPANY_NAME.test(letters));
		return columns.filter(({ letters }) => letters !== 'company' || !isOwn);
	},
	'First and Last are halves of a name beside each other': (columns) =>
		columns.filter((one) => !one.isShort || columns.some((other) => isOtherHalf(one, other))),
	'A second person is nobody who is looked up, unless chosen': (columns, choice) => {
		const seconds = new Set(columns.filter(isName).map(numberOf));
		const chosen = columns.filter((one) => isChosen(one, choice)).map(numberOf);
		for (const one of ['', ...chosen]) seconds.delete(one);
		return columns.filter((one) => !seconds.has(numberOf(one)));
	},
});

/**
 * Decides which columns are read: those of the person who is chosen, else of the one with the surest name, and those that
 * are nobody's but the item's.
 */
export function planOf(list: Map<string, Column | undefined>, choice: Choice): Plan {
	const all = [...list.values()].filter((column) => column !== undefined);
	const people = peopleIn(PLAN_RULES.reduce((columns, [, rule]) => rule(columns, choice), all));
	const named = people
		.filter(({ certainty }) => certainty > 0)
		.toSorted((a, b) => orderOf(a) - orderOf(b));
	const chosen = named.find(({ columns }) => columns.some((one) => isChosen(one, choice)));
	// Where the whole name is chosen and is no column, nobody who is recognized is the lead.
	const isSettled = chosen !== undefined || (choice.has('firstName') && choice.has('lastName'));
	const lead = isSettled ? chosen : named[0];
	const others = named.filter((one) => one !== lead);
	const isSure = isSettled || (lead?.certainty === 3 && lead.owner === '');
	const isSeller = lead?.owner === SELLER && all.some(({ meaning }) => meaning === 'company');
	const isRival = ({ certainty }: Person) => isSeller || certainty === lead?.certainty;
	const rivals = isSure ? [] : others.filter(isRival);
	const own = others.find(({ section, owner }) => section + owner === '');
	const hasEmail = lead?.columns.some(({ meaning }) => meaning === 'email');
	const isAnother =
		isSettled && (lead !== named[0] || hasEmail === true || (own?.certainty ?? 0) > 1);
	// The company of a contact who has no name here may be another one. The email of somebody else is not that of the chosen.
	const isItems = ({ meaning, owner }: Column, one: Person) =>
		meaning === 'email' ? !(isAnother && others.includes(one)) : /^(?:your|lead)?$/.test(owner);
	const ofItem = people
		.filter((one) => isAnother || one.section + one.owner === '' || one.certainty === 0)
		.flatMap((one) => one.columns.filter((column) => !isName(column) && isItems(column, one)));
	const columns = [...(lead?.columns ?? []), ...ofItem].toSorted((a, b) => a.rank - b.rank);
	return { columns, others, rivals, list, choice, isAnother };
}

/** The number of a second person, or a second email; empty for any other owner. */
function numberOf({ owner }: Column): string {
	return /^\d*/.exec(owner)?.[0] ?? '';
}

function peopleIn(columns: Column[]): Person[] {
	const people = new Map<string, Column[]>();
	for (const column of columns) {
		const key = `${column.section}/${column.owner}`;
		people.set(key, [...(people.get(key) ?? []), column]);
	}
	return [...people.values()].map(personOf);
}

function personOf(columns: Column[]): Person {
	const [{ section, owner }] = columns;
	const has = (meaning: Meaning) => columns.some((one) => one.meaning === meaning);
	const halves = Number(has('firstName')) + Number(has('lastName'));
	// The name of a contact is sure; beside one half alone, it is the other half.
	const isSure = has('name') && !/^(?:your|lead)?$/.test(owner);
	const own = columns.map((one): Column => {
		const isFull = isSure && halves !== 1 && one.meaning === 'name';
		return isFull ? { ...one, meaning: 'fullName' } : one;
	});
	const isWhole = has('fullName') || halves === 2 || (halves === 1 && has('name')) || isSure;
	const certainty =
		isWhole && owner !== SELLER ? 3 : isWhole || halves === 1 ? 2 : Number(has('name'));
	return { section, owner, columns: own, certainty };
}

/** The surest first; of those as sure, the item's own, then that of a word, of a form, of an object inside. */
function orderOf({ columns: [{ rank }], owner, certainty }: Person): number {
	const place = Math.floor(rank / FAR) * 10 + (owner === 'your' ? 2 : Number(owner !== ''));
	return place - certainty * 1_000;
}
