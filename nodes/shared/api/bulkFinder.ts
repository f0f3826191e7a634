import type { IDataObject } from 'n8n-workflow';
import type { InterfaceSettings } from '../http/connection';
import { emailAt } from '../values/email';
import { numberAt, textAt } from '../values/json';
import {
	areOneSite,
	asError,
	comparableDomain,
	toDomain,
	toText,
	withoutEntities,
	wordsOf,
} from '../values/text';
import { foundIn, type Person } from './finder';

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
	/** The words of the name that tell it from others. */
	words: string[];
	name: string;
	/** The domain and the company, as far as they are said. */
	places: string[];
	domain: string;
}

const NOBODY: Named = { words: [], name: '', places: [], domain: '' };

/** What many names have in common. */
const PARTICLES = new Set(
	'al bin da das de del della den der di dos du el la le ten ter van von zu'.split(' '),
);

function namedIn(one: IDataObject): Named {
	const { fullName, firstName, lastName, company, domain: host } = nameIn(one);
	const text = toText(fullName) || `${toText(firstName)} ${toText(lastName)}`;
	// `Müller` and `Mueller` are one name.
	const all = wordsOf(withoutEntities(text)).map((word) => word.replace(/(?<=[aou])e/g, ''));
	const words = all.filter((word) => !/^[a-z]$/.test(word) && !PARTICLES.has(word));
	const domain = comparableDomain(toDomain(toText(host)));
	const places = [domain, wordsOf(toText(company)).join('')].filter((place) => place !== '');
	return { words, name: all.join(''), places, domain };
}

function sharedWords(one: Named, other: Named): number {
	return one.words.filter((word) => other.words.includes(word)).length;
}

function areAlike(one: Named, other: Named): boolean {
	return one.name === other.name || sharedWords(one, other) > 1;
}

/**
 * How well a row names the person of a question: 3 by the name and the place, 2 by two words of the name and the place, 1 by
 * the name alone. It is -1 where it contradicts both, as far as they can be compared, and 0 for all else, which says nothing:
 * another script, a longer name of the company.
 */
function fitOf(row: Named, asked: Named): number {
	const isSameSite = row.domain !== '' && areOneSite(row.domain, asked.domain);
	const isThere = isSameSite || row.places.some((place) => asked.places.includes(place));
	const isNamed = row.name !== '' && row.name === asked.name;
	const shared = sharedWords(row, asked);
	if (!isThere && row.domain !== '' && asked.domain !== '') {
		const isOneScript = /[a-z]/.test(row.name) === /[a-z]/.test(asked.name);
		return row.name !== '' && !isNamed && isOneScript && shared === 0 ? -1 : 0;
	}
	if (isNamed) return isThere ? 3 : 1;
	return isThere && shared > 1 ? 2 : 0;
}

/** Whether a row repeats a question to the letter, as nearly all do: comparing words takes ten times as long. */
function isVerbatim(row: IDataObject, { fullName, firstName, lastName, domain, company }: Person) {
	const isName =
		fullName === undefined
			? row.firstName === firstName && row.lastName === lastName
			: row.name === fullName;
	return isName && (domain === undefined ? row.company === company : row.domain === domain);
}

/**
 * The row of each question of a request (interface specification 4.6), `undefined` where there is none. The number of a row
 * decides, or without numbers its place where there are as many rows as questions, unless the row names another question of
 * the request better than that one, or contradicts it.
 * @param asked the questions in their order; `undefined` for one that nobody knows any more
 * @param isStrict whether a row has to name the person, as its number may be of another account's job
 */
export function rowsOf(
	rows: IDataObject[],
	asked: Array<Person | undefined>,
	isStrict = false,
): Array<IDataObject | undefined> {
	let questions: Named[] | undefined;
	const numbers = rows.map(numberIn);
	const isNumbered = isNumberedFromOne(numbers);
	const isPlaced = !isNumbered && rows.length === asked.length;
	const claims = rows.map((row, place) => {
		const index = isNumbered ? (numbers[place] ?? 0) - 1 : isPlaced ? place : -1;
		const { [index]: person } = asked;
		if (person && isVerbatim(row, person)) return { row, owners: [index], fit: Number.MAX_VALUE };
		questions ??= asked.map((one) => (one ? namedIn(one) : NOBODY));
		const named = namedIn(row);
		const fits = questions.map((one) => fitOf(named, one));
		const { [index]: own = 0 } = fits;
		const fit = Math.max(...fits);
		const others = fits.flatMap((one, at) => (one === fit ? [at] : []));
		// Of a question that nobody knows any more, only one who is named in full is told apart; of a namesake, by the place.
		const isNamesake = person !== undefined && areAlike(named, questions[index]);
		const leastOfOther = person === undefined && index in asked ? 3 : isNamesake ? 2 : 1;
		// One that has the number comes first.
		if (fit > own && fit >= leastOfOther) {
			// Where two questions are of one person, each has a row.
			const owners = others.length > 1 ? [] : own > 0 ? [...others, index] : others;
			return { row, owners, fit: fit - 0.5 };
		}
		const least = isStrict && person ? 1 : 0;
		return { row, owners: own < least ? [] : [index], fit };
	});
	const found: Array<IDataObject | undefined> = asked.map(() => undefined);
	// The service may repeat a row, at first without its email, and number another one alike.
	const withEmail = new Set(rows.filter((row) => emailAt(row) !== null));
	const emails = ({ row }: { row: IDataObject }) => Number(withEmail.has(row));
	claims.sort((one, other) => other.fit - one.fit || emails(other) - emails(one));
	for (const { row, owners } of claims) {
		const owner = owners.find((one) => one in found && found[one] === undefined);
		if (owner !== undefined) found[owner] = row;
	}
	return found;
}

/** The results in the rows of a request, in its order; why where a row says nothing, `undefined` where there is none. */
export function matchRows(
	rows: IDataObject[],
	asked: Array<Person | undefined>,
	isStrict = false,
): Array<IDataObject[] | Error | undefined> {
	return rowsOf(rows, asked, isStrict).map((row) => row && resultIn(row));
}

/** What a row says of its person; an error is returned. */
export function resultIn(row: IDataObject): IDataObject[] | Error {
	try {
		return foundIn(row);
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
