import { NAMES } from './lead';
import { lettersOf, type Meaning, namedBy, SAYS_NOT_WHOSE, SAYS_WHOSE } from './leadNames';

/** What the name of a column says, and where the column is. */
export interface Column {
	id: number;
	/** The object inside the item that it is in; empty for the item itself. */
	section: string;
	/** Its name there. */
	field: string;
	meaning: Meaning;
	/** Preference among columns with the same meaning; lower wins. */
	rank: number;
	/** Whose it is: a number, `your` of a form, the beginning of a word such as `contact`; empty for the lead's. */
	owner: string;
	isNumbered: boolean;
	/** Whether it is read itself: ERPNext has the id of a customer in `party_name`. */
	isRead: boolean;
	/** Whether the column beside it may say that it is private: `E-mail 1 - Label`. */
	isLabelled: boolean;
	/** Whether it is called `email`, however a sheet spells that. */
	isEmail: boolean;
	/** For what it says whose it is: `Company` or `Website` beside it may be the user's, or the person's own. */
	isOf: 'company' | 'domain' | undefined;
}

/** The columns of one person. */
export interface Group {
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
	/** Those that say whose company or website it is. */
	saysWhose: Column[];
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

/** @param order how many objects come before the one that the column is in */
export function columnOf(
	section: string,
	field: string,
	order: number,
	id: number,
): Column | undefined {
	const letters = lettersOf(field).replace(/^your/, '');
	const isOf = (['company', 'domain'] as const).find((one) => SAYS_WHOSE[one].test(letters));
	const named = namedBy(field);
	if (!named && !isOf) return undefined;
	if (OF_COMPANY.test(section) && named?.meaning !== 'domain') return undefined;
	const { meaning = 'particle', rank = 0, owner = '', isNumbered = false } = named ?? {};
	// In exactly this spelling it is the package's own.
	const place = rank + order * FAR - (field === 'email' ? 0.5 : 0);
	const own = {
		id,
		section,
		field,
		rank: place,
		isEmail: letters === 'email',
		isOf,
		isLabelled: / - Value$/.test(field),
	};
	return { ...own, meaning, owner, isNumbered, isRead: named !== undefined };
}

/** Whether it may be the user's company, or the person's website, beside a column that says whose it is. */
export function isAnybodys({ field }: Column): boolean {
	return SAYS_NOT_WHOSE.test(lettersOf(field).replace(/^your/, ''));
}

export function planOf(columns: Column[]): Plan {
	const groups = new Map<string, Column[]>();
	for (const column of withoutData(columns.filter(({ isRead }) => isRead))) {
		const key = `${column.section}/${column.owner}`;
		groups.set(key, [...(groups.get(key) ?? []), column]);
	}
	const people = [...groups.values()].map(groupOf);
	const named = people.filter(({ certainty }) => certainty > 0).toSorted(bySureness);
	// A second person is nobody who is looked up.
	const lead = named.find((one) => !one.columns[0].isNumbered);
	const others = named.filter((one) => one !== lead);
	const isSure = lead?.certainty === 3 && lead.columns[0].owner === '';
	const isRival = (one: Group) =>
		!isSure &&
		!one.columns[0].isNumbered &&
		(one.certainty === lead?.certainty || (one.certainty === 2 && isOwn(one)));
	// A bare name may be anybody's, also that of a form: what stands beside it is the item's. `Email 2` is the lead's if
	// nobody has the number.
	const hasNumber = ({ columns: [{ owner }] }: Group) =>
		others.some(({ columns: [own] }) => /^\d+/.exec(own.owner)?.[0] === owner);
	const isFree = (one: Group) =>
		isOwn(one) || (one.certainty === 0 && !hasNumber(one)) || (one.certainty === 1 && isRival(one));
	const free = people.filter((one) => one !== lead && isFree(one));
	const rivals = others.filter(isRival);
	// Where nobody knows who is meant, nothing of the two is read but what is the item's.
	const isOpen =
		lead !== undefined && !isOwn(lead) && rivals.some((one) => !isFree(one) || isOwn(one));
	const ofLead = (lead?.columns ?? []).filter((one) => !isOpen || isName(one));
	// The company of a contact who has no name here may be another one.
	const isItems = (one: Column) => one.meaning === 'email' || /^(?:your|lead)?$/.test(one.owner);
	const ofItem = free.flatMap((one) => one.columns.filter((own) => !isName(own) && isItems(own)));
	const read = [...ofLead.map((one) => ({ ...one, rank: one.rank - FAR / 2 })), ...ofItem];
	return {
		columns: read.toSorted((a, b) => a.rank - b.rank),
		others: [...(isOpen ? [lead] : []), ...others.filter((one) => !isFree(one))],
		saysWhose: columns.filter(({ isOf }) => isOf),
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

/** Whether the columns are the item's own. */
function isOwn({ columns: [{ section, owner }] }: Group): boolean {
	return section === '' && owner === '';
}

function groupOf(columns: Column[]): Group {
	const has = (meaning: Meaning) => columns.some((one) => one.meaning === meaning);
	const halves = Number(has('firstName')) + Number(has('lastName'));
	// The name of a contact is sure; beside one half alone, it is the other half.
	const isSure = has('name') && !/^(?:your)?$|^\d/.test(columns[0].owner);
	const own = columns.map((one): Column => {
		const isFull = isSure && halves !== 1 && one.meaning === 'name';
		return isFull ? { ...one, meaning: 'fullName' } : one;
	});
	const isWhole = has('fullName') || halves === 2 || (halves === 1 && has('name')) || isSure;
	return { columns: own, certainty: isWhole ? 3 : halves === 1 ? 2 : Number(has('name')) };
}

/** The surest first; of those as sure, the item's own, then that of a word, of a form, of an object inside. */
function bySureness(one: Group, other: Group): number {
	const [a, b] = [one, other].map(({ columns: [{ owner, rank }], certainty }) => {
		const place = Math.floor(rank / FAR) * 10 + (owner === 'your' ? 2 : Number(owner !== ''));
		return place - certainty * 1_000;
	});
	return a - b;
}
