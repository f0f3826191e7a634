import type { IDataObject } from 'n8n-workflow';
import type { InterfaceSettings } from '../http/connection';
import { numberAt, textAt } from '../values/json';
import { asError, toText, wordsOf } from '../values/text';
import type { Person } from './finder';

/** The path of the bulk finder and its jobs (interface specification 4.6). */
export const FIND_BULK_PATH = '/api/v2/find_bulk';

/** The most rows of one request (interface specification 8). */
export const MAX_ROWS = 100;

/**
 * The body of a bulk request, in the form that the credential says (interface specification 2.8, 4.6). The `tId` of its
 * rows counts from 1 in each request.
 */
export function bulkBody(people: Person[], { bulkFinderBody }: InterfaceSettings) {
	const rows = people.map(({ fullName, ...person }, index) => ({
		tId: index + 1,
		...person,
		...(fullName !== undefined && { name: fullName }),
	}));
	return bulkFinderBody === 'people' ? { people: rows } : rows;
}

/** The number of a row, in any spelling of one; `undefined` if it is none that a request can have. */
export function numberIn(row: IDataObject): number | undefined {
	const number = numberAt(row, 'tId');
	return number !== null && Number.isInteger(number) ? number : undefined;
}

/** Whether rows have the numbers of a request, which count from 1: where there is a 0, they are the service's own. */
export function isNumberedFromOne(numbers: Array<number | undefined>): boolean {
	return numbers.some((number) => number !== undefined) && !numbers.includes(0);
}

/** Whom a row or a question names, in letters without accents and case. */
interface Named {
	words: string[];
	name: string;
	/** The domain and the company. */
	places: string[];
	domain: string;
}

const NOBODY: Named = { words: [], name: '', places: [], domain: '' };

function namedIn(one: IDataObject): Named {
	const { fullName, firstName, lastName, company, domain } = nameIn(one);
	const words = wordsOf(toText(fullName) || `${toText(firstName)} ${toText(lastName)}`);
	const places = [domain, company].map((place) => wordsOf(toText(place)).join(''));
	const [host] = places;
	const said = places.filter((place) => place !== '');
	return { words, name: words.join(''), places: said, domain: host };
}

/** Whether a row names the person of a question. */
function isOf(row: Named, asked: Named): boolean {
	if (row.name === '' || row.name !== asked.name) return false;
	return row.places.length === 0 || row.places.some((place) => asked.places.includes(place));
}

/** Whether a row repeats a question to the letter, as nearly all do: comparing words takes ten times as long. */
function isVerbatim(row: IDataObject, { fullName, firstName, lastName, domain, company }: Person) {
	const isName =
		fullName === undefined
			? row.firstName === firstName && row.lastName === lastName
			: row.name === fullName;
	return isName && (domain === undefined ? row.company === company : row.domain === domain);
}

/** Whether a row names somebody, and shares neither a word of the name nor a place with a question. */
function isOfStranger(row: Named, asked: Named): boolean {
	const isShared = row.words.some((word) => asked.words.includes(word));
	return !isShared && !row.places.some((place) => asked.places.includes(place));
}

/** Whether a row may be of a question, as it names the person, and no other domain. */
function mayBeOf(row: Named, asked: Named): boolean {
	const isElsewhere = row.domain !== '' && asked.domain !== '' && row.domain !== asked.domain;
	return isOf(row, asked) || (row.name !== '' && row.name === asked.name && !isElsewhere);
}

/**
 * The row of each question of a request (interface specification 4.6), `undefined` where there is none. A row belongs to the
 * question that it names. Its number decides among several of these, and where it names none of them; without numbers
 * its place, where there are as many rows as questions. A row that names a stranger is nobody's.
 * @param asked the questions in their order; `undefined` for one that nobody knows any more
 * @param isStrict whether a row that names somebody has to name the person, as its number may be of other questions
 */
export function rowsOf(
	rows: IDataObject[],
	asked: Array<Person | undefined>,
	isStrict = false,
): Array<IDataObject | undefined> {
	const own: Array<IDataObject | undefined> = asked.map(() => undefined);
	const names = new Map<number, Named | undefined>();
	const nameOf = (at: number) => {
		const person = asked[at];
		if (!names.has(at)) names.set(at, person && namedIn(person));
		return names.get(at);
	};
	const numbers = rows.map(numberIn);
	const isNumbered = isNumberedFromOne(numbers);
	const isPlaced = !isNumbered && rows.length === asked.length;
	/** Rows that name nobody who was asked for, with where they would belong. */
	const others: Array<[row: IDataObject, named: Named, index: number]> = [];
	rows.forEach((row, place) => {
		const index = isNumbered ? (numbers[place] ?? 0) - 1 : isPlaced ? place : -1;
		const person = asked[index];
		// The service may repeat a row.
		if (person && isVerbatim(row, person)) return void (own[index] ??= row);
		const named = namedIn(row);
		const isHere = (at: number) => isOf(named, nameOf(at) ?? NOBODY);
		const [found, ...more] = isHere(index) ? [index] : [...asked.keys()].filter(isHere);
		if (found === undefined) others.push([row, named, index]);
		else if (more.length === 0) own[found] ??= row;
	});
	for (const [row, named, index] of others) {
		const expected = nameOf(index) ?? NOBODY;
		const isSilent = named.name === '' && named.places.length === 0;
		const isOther = isStrict ? !mayBeOf(named, expected) : isOfStranger(named, expected);
		if (index in own && (isSilent || !isOther || !asked[index])) own[index] ??= row;
	}
	return own;
}

/** Reads what a result of an endpoint holds, nothing for a miss. Throws a `Failure` for one that says nothing. */
export type Reader = (result: object) => IDataObject[];

/** The results in the rows of a request, in its order; why where a row says nothing, `undefined` where there is none. */
export function matchRows(
	rows: IDataObject[],
	asked: Array<Person | undefined>,
	found: Reader,
	isStrict = false,
): Array<IDataObject[] | Error | undefined> {
	return rowsOf(rows, asked, isStrict).map((row) => row && resultIn(row, found));
}

/** What a row says of its person; an error is returned. */
export function resultIn(row: IDataObject, found: Reader): IDataObject[] | Error {
	try {
		return found(row);
	} catch (error) {
		return asError(error);
	}
}

/** Returns the name and the company of the person in a row, for results that join no item. */
export function nameIn(row: IDataObject): IDataObject {
	return {
		fullName: textAt(row, 'name', 'fullName'),
		firstName: textAt(row, 'firstName'),
		lastName: textAt(row, 'lastName'),
		company: textAt(row, 'company', 'companyName'),
		domain: textAt(row, 'domain'),
	};
}
