import { isSameEmail } from '../values/email';
import { toDomain } from '../values/text';
import { bareName, type Meaning, wordsOf } from './leadNames';
import { isHalf, isInitial, isTitles, withoutTitles } from './personName';

/** What was read, and the name of the field that holds it. */
export interface Found {
	value: string;
	field: string;
}

/** What an item has of a lead. */
export interface Lead {
	found: Partial<Record<Meaning, Found>>;
	/** The field that would hold it, and why it does not in this item. */
	lacking: Partial<Record<Meaning, { field: string; why: string }>>;
}

/** What names the person. */
export const NAMES: Meaning[] = ['fullName', 'firstName', 'lastName', 'name'];

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
export function holds(name: string, other: string): boolean {
	return ` ${wordsOf(name).join(' ')} `.includes(` ${wordsOf(other).join(' ')} `);
}

/** `Nom du contact` and the like: beside a field for one half of the name, it may be for the other half. */
const CONTACT = /[ck]onta[ck]?t(?!.*full)/i;

/** A bare `name` is the full name; beside one half that it does not hold, it is the other half. A company's is nobody's. */
export function withBareName(lead: Lead): Lead {
	const { found, lacking } = lead;
	const { company, domain } = found;
	const isOfCompany = (text: string) =>
		LEGAL_FORM.test(text.split(' ').at(-1) ?? '') ||
		(company !== undefined && bareCompany(text) === bareCompany(company.value));
	if (found.fullName && isOfCompany(found.fullName.value)) {
		refuse(lead, 'fullName', 'looks like a company');
	}
	// A list of companies has no other column for them.
	const isOfList = (text: string) =>
		!company && (text.includes(' & ') || isCompany(text, domain?.value));
	if (found.name && (isOfList(found.name.value) || isOfCompany(found.name.value))) {
		refuse(lead, 'name', 'looks like a company');
	}
	const { name, fullName, firstName, lastName } = found;
	if (!name) return lead;
	delete found.name;
	const half = firstName ?? lastName;
	if (!half) {
		// Beside an empty field for the whole name, or for one half alone, nobody knows whose name it is, or which half.
		const isOneHalf = (lacking.firstName === undefined) !== (lacking.lastName === undefined);
		if (!lacking.fullName && !isOneHalf) found.fullName ??= name;
	} else if (!holds(half.value, name.value)) {
		const other = firstName ? 'lastName' : 'firstName';
		const isOther = !fullName || holds(fullName.value, name.value);
		if (holds(name.value, withoutTitles(half.value))) found.fullName ??= name;
		// Beside an empty field for it, or for the name of a contact, it may be a shop's.
		else if (isOther && !lacking[other] && !CONTACT.test(lacking.fullName?.field ?? '')) {
			found[other] ??= name;
		}
	}
	return lead;
}

/** Takes away names that cannot be looked up, as they are only half of one. */
export function withoutHalf(lead: Lead): Lead {
	const { fullName, firstName, lastName } = lead.found;
	const half = firstName ?? lastName;
	if (fullName && isHalf(fullName.value)) refuse(lead, 'fullName', 'is only half a name');
	else if (fullName && CONTACT.test(fullName.field) && half && !(firstName && lastName)) {
		const holdsHalf = bareName(fullName.value).includes(bareName(withoutTitles(half.value)));
		if (!holdsHalf) refuse(lead, 'fullName', `may be half a name: ${half.field} is not in it`);
	}
	if (firstName && isTitles(firstName.value)) refuse(lead, 'firstName', 'is only a title');
	if (lastName && isInitial(lastName.value)) refuse(lead, 'lastName', 'is only an initial');
	return lead;
}

/** Takes away what was found, and says why. */
export function refuse({ found, lacking }: Lead, meaning: Meaning, why: string): void {
	const { [meaning]: own } = found;
	if (own) lacking[meaning] = { field: own.field, why };
	delete found[meaning];
}

/** How certain the name is: 3 for a whole one, 2 for half of one, 1 for a bare `name`, 0 for none. */
export function certainty({ found: { fullName, firstName, lastName, name } }: Lead): number {
	if (fullName !== undefined || (firstName !== undefined && lastName !== undefined)) return 3;
	if (firstName !== undefined || lastName !== undefined) return 2;
	return name === undefined ? 0 : 1;
}

/** The fields that a lookup reads the name from. */
export function partsOfName({ found: { fullName, firstName, lastName, name } }: Lead) {
	if (firstName && lastName) return [firstName, lastName];
	const parts = fullName ? [fullName] : [firstName, lastName, name];
	return parts.filter((part) => part !== undefined);
}

function nameOf(lead: Lead): string {
	return partsOfName(lead)
		.map(({ value }) => value)
		.join(' ');
}

/**
 * Whether two names can be one person's: the shorter one has no word that the other lacks. An initial stands for a word; one
 * of the longer name does so in its place alone, as `J` of `Sarah J. Smith` is not John.
 */
function areSame(one: string, other: string): boolean {
	const [few, many] = [one, other].map(wordsOf).toSorted((a, b) => a.length - b.length);
	const isInitialOf = (short: string, word: string) => short.length === 1 && word.startsWith(short);
	const isInPlace = few.length === many.length;
	return few.every(
		(word, place) =>
			many.some((own) => own === word || isInitialOf(word, own)) ||
			(isInPlace && isInitialOf(many[place], word)),
	);
}

/** Whether a name is that of another person. */
export function isSomebodyElse(name: string, lead: Lead): boolean {
	const { company, domain } = lead.found;
	if (bareName(name) === bareName(company?.value ?? '')) return false;
	return !areSame(name, nameOf(lead)) && !isCompany(name, domain?.value);
}

/** Adds what another object has, where the lead lacks it. A name is from one object, and a status from that of the email. */
export function join(lead: Lead, other: Lead): Lead {
	const own = certainty(lead);
	const { name, domain, email } = other.found;
	if (!areSame(nameOf(lead), nameOf(other))) {
		// Another person's company and email are not this one's.
		if (own === 3 && !isCompany(name?.value ?? '', domain?.value)) return lead;
		// Of a form and of who sent it, both bare: nobody knows which is the person.
		if (own === 1 && certainty(other) === 1) refuse(lead, 'name', 'differs from the name inside');
	}
	const { found: unsure } = certainty(other) > own ? lead : other;
	for (const meaning of NAMES) delete unsure[meaning];
	const { email: ownEmail } = lead.found;
	if (!ownEmail && email) delete lead.found.emailStatus;
	if (ownEmail && !isSameEmail(ownEmail.value, email?.value)) delete other.found.emailStatus;
	lead.found = Object.assign(other.found, lead.found);
	lead.lacking = Object.assign(other.lacking, lead.lacking);
	return lead;
}
