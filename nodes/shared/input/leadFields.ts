import type { IDataObject } from 'n8n-workflow';
import { asBeforeFile } from '../host/file';
import { isObject, objectFrom } from '../values/json';
import { holdsEmail, isSameEmail } from '../values/email';
import { cleanText, toDomain } from '../values/text';
import { bareName, EMAIL, type Meaning, ownerIn, type Place, PLACES, wordsOf } from './leadNames';
import { textOf, valueOf, whyEmpty } from './leadValues';
import { isWord } from './personName';

/** Where CRMs, bases and forms put the fields of an item. */
const CONTAINERS = ['properties', 'fields', 'body', 'data', 'merge_fields'];

/** Parameters for which a lead is recognized, by their names: what they stand for, the first with a value. */
export type LeadParameters = Record<
	string,
	{
		meanings: Meaning[];
		/** For the model of an AI agent, which then fills in the field. */
		forModel?: string;
		/** Whether the model may leave it out. */
		isOptional?: true;
	}
>;

/** What was read, and the name of the field that holds it. */
interface Found {
	value: string;
	field: string;
}

export interface Lead {
	found: Partial<Record<Meaning, Found>>;
	/** The field that would hold it, and why it does not in this item. */
	lacking: Partial<Record<Meaning, { field: string; why: string }>>;
}

/** What the name of a field says. */
interface Column {
	place?: Place;
	owner: string;
	/** Whether it is for the name of a person, also of a second one. */
	isName: boolean;
}

const STATUS: Place = { meaning: 'emailStatus', rank: 0 };

const NAMES: Meaning[] = ['fullName', 'firstName', 'lastName', 'name'];

/** Recognizes leads by the names of their fields. A name is looked at once, however many items have it. */
export class LeadReader {
	private readonly columns = new Map<string, Column>();

	/** @param resultField the field for the result, if any: what an earlier lookup has put there comes before all others */
	constructor(private readonly resultField = '') {}

	read(item: unknown): Lead {
		const fields = isObject(item) ? item : {};
		let lead = this.leadOf(fields);
		if (this.resultField !== '') {
			// The `name` of a company that was found is no person's.
			const held = asBeforeFile(fields, this.resultField)[this.resultField];
			const result = { ...objectFrom(held) };
			delete result.name;
			lead = join(this.leadOf(result), lead);
		}
		for (const name of CONTAINERS) {
			if (!Object.hasOwn(fields, name)) continue;
			// Beside a person, `data` may be about anybody.
			const isOther = name === 'data' && (certainty(lead) > 1 || lead.found.email !== undefined);
			if (!isOther) join(lead, this.leadOf(onlyOne(fields[name])));
		}
		return withBareName(lead);
	}

	/** What an object itself has of a lead. */
	private leadOf(object: unknown): Lead {
		const lead: Lead = { found: {}, lacking: {} };
		if (!isObject(object)) return lead;
		const { found, lacking } = lead;
		const ranks: Partial<Record<Meaning, number>> = {};
		const hasStatus = 'emailStatus' in object && cleanText(object.emailStatus) !== '';
		let hasEmail = false;
		let visitor: Found | undefined;
		for (const name of Object.keys(object)) {
			const { place, owner } = this.columnOf(name);
			if (!place) continue;
			const { meaning } = place;
			hasEmail ||= place === EMAIL;
			const value = valueOf(meaning, object[name]);
			if (value === '') {
				lacking[meaning] ??= { field: name, why: whyEmpty(meaning, object[name]) };
				continue;
			}
			let { rank } = place;
			// Beside a status of this package, it is what a lookup has found; a sheet may spell it otherwise.
			if (place === EMAIL && hasStatus) rank = -1;
			// Of two people in a form, one recommends the other.
			if (owner === 'your') rank += 0.5;
			if (owner === 'your' && meaning === 'name') visitor = { value, field: name };
			// In exactly this spelling it is the package's own.
			if (name === 'email') rank -= 0.5;
			// What is no email does not hide the one in another column.
			if (meaning === 'email' && !holdsEmail(value)) rank = Number.MAX_SAFE_INTEGER;
			if (rank >= (ranks[meaning] ?? Number.POSITIVE_INFINITY)) continue;
			ranks[meaning] = rank;
			found[meaning] = { value, field: name };
		}
		// A status belongs to the `email` beside it.
		const { field = 'email' } = found.email ?? {};
		const isOther = 'email' in object ? field !== 'email' : this.columnOf(field).place !== EMAIL;
		if (hasEmail && isOther) delete found.emailStatus;
		for (const part of ['firstName', 'lastName', 'email', 'company', 'domain'] as const) {
			if (this.isOfAnother(part, object, lead)) delete found[part];
		}
		// Beside the name of who fills in a form, a bare one may be the form's, or that of somebody else.
		if (visitor && found.name && !areSame(visitor.value, found.name.value)) {
			refuse(lead, 'name', `differs from ${visitor.field}`);
		}
		const { particle, lastName } = found;
		if (particle && lastName && !holds(lastName.value, particle.value)) {
			found.lastName = {
				value: `${particle.value} ${lastName.value}`,
				field: `${particle.field}, ${lastName.field}`,
			};
		}
		return certainty(lead) > 1 ? withBareName(lead) : lead;
	}

	/** Whether a field belongs to somebody who has another name in this object. */
	private isOfAnother(part: Meaning, object: IDataObject, lead: Lead): boolean {
		const { [part]: own, company, domain } = lead.found;
		const owner = own && this.columnOf(own.field).owner;
		if (!owner) return false;
		const others = partsOfName(lead).filter((one) => one !== own);
		if (others.some(({ field }) => this.columnOf(field).owner === owner)) return false;
		return Object.keys(object).some((name) => {
			const column = this.columnOf(name);
			if (!column.isName || column.owner !== owner) return false;
			const text = textOf('name', object[name]);
			if (bareName(text) === bareName(company?.value ?? '')) return false;
			return !areSame(text, nameOf(lead)) && !isCompany(text, domain?.value);
		});
	}

	private columnOf(name: string): Column {
		const known = this.columns.get(name);
		if (known) return known;
		const bare = bareName(name);
		const place = name === 'emailStatus' ? STATUS : PLACES.get(bare);
		const { meaning } = PLACES.get(bare.replace(/\d+/, '')) ?? {};
		// An ERP has the name of a company in `Name 1`; a second column called `Name` becomes `Name_1`.
		const isLine = meaning === 'name' && /[^_]\d+$/.test(name);
		const isName = meaning !== undefined && NAMES.includes(meaning) && !isLine;
		const column = { place, owner: ownerIn(name), isName };
		this.columns.set(name, column);
		return column;
	}
}

/** What is in a list of one; of several leads none can be meant. */
function onlyOne(field: unknown): unknown {
	return Array.isArray(field) && field.length === 1 ? field[0] : field;
}

/** The legal forms of companies that are no names of people. */
const LEGAL_FORM =
	/(?<![\p{L}.])(?:GmbH|AG|KG|OHG|UG|GbR|Inc|LLC|Ltd|Limited|PLC|Corp|SARL|SAS|SA|S\.A|SLU?|S\.L|S\.?r\.?l|SRL|S\.?p\.?A|B\.?V|N\.?V|Ltda|Lda)(?!\p{L})/u;

/** Whether a name is a company's: it has a legal form, or it is the name of the website. */
function isCompany(name: string, website = ''): boolean {
	const [host] = toDomain(website).split('.');
	const withoutParticles = name.replace(/(?<!\p{L})\p{Ll}{1,3}(?!\p{L})/gu, '');
	const isOfWebsite = [name, withoutParticles].map(bareName).includes(bareName(host));
	return LEGAL_FORM.test(name) || (host !== '' && isOfWebsite);
}

/** The name of a company by its letters and digits, without its legal form. */
function bareCompany(name: string): string {
	return bareName(name.split(LEGAL_FORM, 1)[0] || name);
}

/** Whether a name has another one as whole words. */
function holds(name: string, other: string): boolean {
	return ` ${wordsOf(name).join(' ')} `.includes(` ${wordsOf(other).join(' ')} `);
}

/** Whether two names have a word in common. */
function shareWord(one: string, other: string): boolean {
	const words = wordsOf(other);
	return wordsOf(one).some((word) => words.includes(word));
}

/**
 * A bare `name` is the full name; beside one half that it does not hold, it is the other half. A company's is nobody's, and
 * a single word is half a name.
 */
function withBareName(lead: Lead): Lead {
	const { found, lacking } = lead;
	const { company, domain } = found;
	const isOfCompany = (text: string) =>
		LEGAL_FORM.test(text.split(' ').at(-1) ?? '') ||
		(company !== undefined && bareCompany(text) === bareCompany(company.value));
	if (found.fullName && isOfCompany(found.fullName.value)) {
		refuse(lead, 'fullName', 'looks like a company');
	}
	const { name, fullName, firstName, lastName } = found;
	const half = firstName ?? lastName;
	// Beside an empty field for the whole name, or for one half alone, nobody knows whose name it is, or which half.
	const isUnclear =
		lacking.fullName !== undefined ||
		(lacking.firstName === undefined) !== (lacking.lastName === undefined);
	// A list of companies has no other column for them.
	const isOfList = (text: string) =>
		!company && (text.includes(' & ') || isCompany(text, domain?.value));
	if (name && (isOfList(name.value) || isOfCompany(name.value))) {
		refuse(lead, 'name', 'looks like a company');
	} else if (name && !half) {
		if (!isUnclear) found.fullName ??= name;
	} else if (name && half && !holds(half.value, name.value)) {
		const other = firstName === undefined ? 'firstName' : 'lastName';
		const isOther = fullName === undefined || holds(fullName.value, name.value);
		if (shareWord(name.value, half.value)) found.fullName ??= name;
		// Beside an empty field for it, too.
		else if (isOther && lacking[other] === undefined) found[other] ??= name;
	}
	delete found.name;
	if (found.fullName && isWord(found.fullName.value)) refuse(lead, 'fullName', 'is only one word');
	return lead;
}

/** Takes away what was found, and says why. */
function refuse({ found, lacking }: Lead, meaning: Meaning, why: string): void {
	lacking[meaning] = { field: found[meaning]?.field ?? '', why };
	delete found[meaning];
}

/** How sure it is whose name this is: a whole one, half of one, a bare `name`, none. */
function certainty({ found: { fullName, firstName, lastName, name } }: Lead): number {
	if (fullName !== undefined || (firstName !== undefined && lastName !== undefined)) return 3;
	if (firstName !== undefined || lastName !== undefined) return 2;
	return name === undefined ? 0 : 1;
}

/** The fields that a lookup reads the name from. */
function partsOfName({ found: { fullName, firstName, lastName, name } }: Lead) {
	if (firstName && lastName) return [firstName, lastName];
	const parts = fullName ? [fullName] : [firstName, lastName, name];
	return parts.filter((part) => part !== undefined);
}

function nameOf(lead: Lead): string {
	return partsOfName(lead)
		.map(({ value }) => value)
		.join(' ');
}

/** Whether two names can be one person's: the shorter one has no word, or initial, that the other lacks. */
function areSame(one: string, other: string): boolean {
	const [few, many] = [one, other].map(wordsOf).toSorted((a, b) => a.length - b.length);
	return few.every((word) =>
		many.some((own) => own === word || (word.length === 1 && own.startsWith(word))),
	);
}

/** Adds what another object has, where the lead lacks it. A name is from one object, and a status from that of the email. */
function join(lead: Lead, other: Lead): Lead {
	const { found, lacking } = lead;
	const { name, email } = found;
	const takesName = certainty(other) > certainty(lead);
	const areTwo = !areSame(nameOf(lead), nameOf(other));
	const isPerson = !isCompany(other.found.name?.value ?? '', other.found.domain?.value);
	// Another person's company and email are not this one's.
	if (areTwo && certainty(lead) === 3 && isPerson) return lead;
	// Of a form and of who sent it, both bare: nobody knows which is the person.
	const isUnclear = areTwo && certainty(lead) === 1 && certainty(other) === 1;
	if (name && isUnclear) {
		lacking.name = { field: name.field, why: 'differs from the name inside' };
	}
	if (takesName || isUnclear) for (const meaning of NAMES) delete found[meaning];
	if (email === undefined && other.found.email !== undefined) delete found.emailStatus;
	const isSame = email === undefined || isSameEmail(email.value, other.found.email?.value);
	for (const meaning of Object.keys(other.found) as Meaning[]) {
		if (NAMES.includes(meaning) ? !takesName : found[meaning] !== undefined) continue;
		if (meaning !== 'emailStatus' || isSame) found[meaning] = other.found[meaning];
	}
	lead.lacking = { ...other.lacking, ...lacking };
	return lead;
}
