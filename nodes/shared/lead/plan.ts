import { NAMES } from './lead';
import { lettersOf, type Meaning, type Named, namedBy } from './columnNames';

/** A column that says something by its name, and where it is. */
export interface Column extends Named {
	id: number;
	/** The object inside the item that it is in; empty for the item itself. */
	section: string;
	/** Its name there. */
	field: string;
	/** The letters of its name, without the `your` of a form. */
	letters: string;
}

/** The columns of one person. */
export interface Group {
	section: string;
	owner: string;
	columns: Column[];
	/** How sure the name is: 3 for a whole one, 2 for half of one, 1 for a bare `name`, 0 for none. */
	certainty: number;
}

/** Which columns are read, decided by the names of all columns of a run. */
export interface Plan {
	/** The surest of each meaning first. */
	columns: Column[];
	/** Other people. What they have is the lead's where the name is the same. */
	others: Group[];
	/** Others whose name is as sure: where it is not the same, nobody knows who is meant. */
	rivals: Group[];
	/** Why the bare name is no person's. */
	notPerson?: string;
}

/** Whether a column names the person. */
export function isName({ meaning }: Column): boolean {
	return NAMES.includes(meaning);
}

/** Further apart than any two ranks. */
const FAR = 1_000;

/** Objects of which only the website is read: their name is that of the company. */
export const OF_COMPANY = /^(?:company|organization)$/;

/** Names that do not say whose company or website a column has, and those beside which it may be the user's, or the person's own. */
const LESS_AND_MORE = [
	[/^company$/, /^(?:company|organi[sz]ation|party)name$/],
	[/^website(?:url|s)?$/, /^(?:companywebsite(?:url)?|organi[sz]ationwebsite)$/],
];

/**
 * What a column holds, by its name; `undefined` for a name that says nothing.
 * @param order how many objects come before the one that the column is in
 */
export function columnOf(section: string, field: string, order: number, id: number) {
	const named = namedBy(field);
	if (!named || (OF_COMPANY.test(section) && named.meaning !== 'domain')) return undefined;
	const letters = lettersOf(field).replace(/^your/, '');
	// In exactly this spelling it is the package's own.
	const rank = named.rank + order * FAR - (field === 'email' ? 0.5 : 0);
	return { ...named, id, section, field, letters, rank } satisfies Column;
}

/**
 * Decides which columns are read: those of the person with the surest name, and those that are nobody's but the item's.
 * @param areTogether whether an item has both columns
 */
export function planOf(all: Column[], areTogether: (one: Column, other: Column) => boolean): Plan {
	const known = withoutData(all);
	const isDoubtful = (one: Column) =>
		known.some((other) => saysMore(other, one) && areTogether(one, other));
	const people = groupsOf(known.filter((one) => !isDoubtful(one)));
	const named = people.filter(({ certainty }) => certainty > 0).toSorted(bySureness);
	// A second person is nobody who is looked up.
	const lead = named.find(({ owner }) => numberOf(owner) === undefined);
	const others = named.filter((one) => one !== lead);
	const rivals = others.filter((one) => {
		if (lead?.certainty === 3 && lead.owner === '') return false;
		const isAsSure = one.certainty === lead?.certainty || (one.certainty === 2 && isOwn(one));
		return isAsSure && numberOf(one.owner) === undefined;
	});
	// A bare name may be that of a form, so the columns beside it are the item's. `Email 2` is the lead's if no other column
	// has the number 2.
	const isFree = (one: Group) =>
		isOwn(one) ||
		(one.certainty === 0 && !others.some(({ owner }) => numberOf(owner) === one.owner)) ||
		(one.certainty === 1 && rivals.includes(one));
	const free = people.filter(isFree);
	// The company of a contact who has no name here may be another one.
	const isItems = (one: Column) => one.meaning === 'email' || /^(?:your|lead)?$/.test(one.owner);
	const ofItem = free.flatMap((one) => one.columns.filter((own) => !isName(own) && isItems(own)));
	// Where nobody knows who is meant, only names are read, and the rest of those whose names turn out to be the same.
	const isOpen =
		lead !== undefined && !isOwn(lead) && rivals.some((one) => !isFree(one) || isOwn(one));
	const ofLead = (lead?.columns ?? []).filter((one) => !isOpen || isName(one));
	const read = [...ofLead.map((one) => ({ ...one, rank: one.rank - FAR / 2 })), ...ofItem];
	return {
		columns: read.toSorted((a, b) => a.rank - b.rank),
		others: isOpen ? named : others,
		rivals,
	};
}

/** Beside a person, `data` may be about anybody. */
function withoutData(columns: Column[]): Column[] {
	const isPerson = columns.some(
		(one) =>
			one.section === '' && (one.meaning === 'email' || (isName(one) && one.meaning !== 'name')),
	);
	return isPerson ? columns.filter(({ section }) => section !== 'data') : columns;
}

/** Whether a column says whose company or website it has, and the other does not. */
function saysMore(one: Column, other: Column): boolean {
	return LESS_AND_MORE.some(([less, more]) => less.test(other.letters) && more.test(one.letters));
}

/** The number of a second person; `undefined` for any other owner. */
function numberOf(owner: string): string | undefined {
	return /^\d+/.exec(owner)?.[0];
}

/** Whether the columns are the item's own. */
function isOwn({ section, owner }: Group): boolean {
	return section === '' && owner === '';
}

function groupsOf(columns: Column[]): Group[] {
	const groups = new Map<string, Column[]>();
	for (const column of columns) {
		const key = `${column.section}/${column.owner}`;
		groups.set(key, [...(groups.get(key) ?? []), column]);
	}
	return [...groups.values()].map(groupOf);
}

function groupOf(columns: Column[]): Group {
	const [{ section, owner }] = columns;
	const has = (meaning: Meaning) => columns.some((one) => one.meaning === meaning);
	const halves = Number(has('firstName')) + Number(has('lastName'));
	// The name of a contact is sure; beside one half alone, it is the other half.
	const isSure = has('name') && !/^(?:your)?$/.test(owner);
	const own = columns.map((one): Column => {
		const isFull = isSure && halves !== 1 && one.meaning === 'name';
		return isFull ? { ...one, meaning: 'fullName' } : one;
	});
	const isWhole = has('fullName') || halves === 2 || (halves === 1 && has('name')) || isSure;
	const certainty = isWhole ? 3 : halves === 1 ? 2 : Number(has('name'));
	return { section, owner, columns: own, certainty };
}

/** The surest first; of those as sure, the item's own, then that of a word, of a form, of an object inside. */
function bySureness(one: Group, other: Group): number {
	const [a, b] = [one, other].map(({ columns: [{ rank }], owner, certainty }) => {
		const place = Math.floor(rank / FAR) * 10 + (owner === 'your' ? 2 : Number(owner !== ''));
		return place - certainty * 1_000;
	});
	return a - b;
}
