import { toDomain, withoutAccents } from '../values/text';
import { lettersOf, type Meaning, wordsOf } from './columnNames';
import {
	areJoined,
	isDegree,
	isHalf,
	isInitial,
	isSeveral,
	isTitles,
	toFullName,
	withoutTitles,
} from './personName';

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
export const NAMES: Meaning[] = ['fullName', 'firstName', 'lastName', 'name', 'particle'];

/** The legal forms of companies that are no names of people. */
const LEGAL_FORM =
	/(?<![\p{L}.])(?:GmbH|mbH|AG|KG|KGaA|e\.?V|OHG|UG|GbR|Inc|LLC|LLP|Ltd|Pty|Limited|PLC|Corp|SARL|EURL|SASU?|SA|S\.A|SLU?|S\.L|S\.?r\.?l|SRL|S\.?p\.?A|B\.?V|N\.?V|Ltda|Lda)(?!\p{L})/u;

/** A name by its letters but e, as the domain of Müller is mueller.de. */
function spelled(name: string): string {
	return lettersOf(name).replaceAll('ß', 'ss').replaceAll('e', '');
}

/** Whether a name is a company's: it has a legal form, or it is the name of the website. */
function isCompany(name: string, website = ''): boolean {
	const domain = toDomain(website);
	const hosts = [domain, ...domain.split('.')].map(spelled).filter((host) => host !== '');
	const withoutParticles = name.replace(/(?<!\p{L})\p{Ll}{1,3}(?!\p{L})/gu, '');
	const isOfWebsite = [name, withoutParticles].some((one) => hosts.includes(spelled(one)));
	return LEGAL_FORM.test(name) || isOfWebsite;
}

/** What the names of companies end with that have no legal form. */
const COMPANY_WORD =
	/ (?:agency|capital|consulting|funds?|group|holdings?|labs?|media|partners?|services|software|solutions|studios?|systems|technologies|vc|ventures?)$/i;

/** The same in a list that has no other column for companies. */
export function isListedCompany(name: string, website = ''): boolean {
	const [host] = toDomain(website).split('.');
	// The host of Hotel Mozart is hotel-mozart-bonn.de.
	const isOfHost = name.includes(' ') && spelled(host).startsWith(spelled(name));
	return name.includes(' & ') || COMPANY_WORD.test(name) || isOfHost || isCompany(name, website);
}

/** The name of a company by its letters and digits, without its legal form. */
function bareCompany(name: string): string {
	return lettersOf(name.split(LEGAL_FORM, 1)[0]);
}

/** Whether a name has another one as whole words. */
export function holds(name: string, other = ''): boolean {
	return ` ${wordsOf(name).join(' ')} `.includes(` ${wordsOf(other).join(' ')} `);
}

/**
 * Makes the name that is looked up of those that were read, and takes away what is none.
 * @param notPerson why the bare name is no person's, if the run shows that
 */
export function decideName(lead: Lead, notPerson?: string): void {
	if (notPerson) refuse(lead, 'name', notPerson);
	refuseCompanies(lead);
	joinParticle(lead);
	placeBareName(lead);
	refuseDepartments(lead);
	refuseTwoPeople(lead);
	refuseHalves(lead);
}

function refuseCompanies(lead: Lead): void {
	const { fullName, name, company, domain } = lead.found;
	const isOfCompany = (text: string) =>
		LEGAL_FORM.test(text.split(' ').at(-1) ?? '') ||
		(company !== undefined && bareCompany(text) === bareCompany(company.value));
	// A list of companies has no other column for them.
	const isOfList = (text: string) => !company && isListedCompany(text, domain?.value);
	const why = 'looks like a company';
	if (fullName && isOfCompany(fullName.value)) refuse(lead, 'fullName', why);
	if (name && (isOfList(name.value) || isOfCompany(name.value))) refuse(lead, 'name', why);
}

/** A bare `name` is the full name; beside one half that it does not hold, it is the other half. */
function placeBareName({ found, lacking }: Lead): void {
	const { name, fullName, firstName, lastName } = found;
	if (!name) return;
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
		// Beside an empty field for it, it may be a shop's.
		else if (isOther && !lacking[other]) found[other] ??= name;
	}
}

/** Puts the particle that has a column of its own in front of the last name. */
function joinParticle({ found }: Lead): void {
	const { particle, lastName } = found;
	if (!particle || !lastName || holds(lastName.value, particle.value)) return;
	found.lastName = {
		value: `${particle.value} ${lastName.value}`,
		field: `${particle.field}, ${lastName.field}`,
	};
}

/** Words of a department, a job or a mailbox, without accents, which lists have where they know nobody. */
const DEPARTMENT =
	/(?<!\p{L})(?:teams?|departments?|dept|offices?|(?:help ?)?desk|support|[ei]nquir(?:y|ies)|quer(?:y|ies)|recruitment|careers|hiring|manager|director|owner|accounts payable|talent acquisition|human resources?|customer (?:care|services?)|abteilung|abt\.|einkauf|innendienst|au(?:ß|ss)endienst|sekretariat|zentrale|service (?:commercial|client|achats|rh)|direction|departamento|dpto|depto|recursos humanos|atencion al cliente|risorse umane|ufficio|reparto|afdeling|inkoop)(?!\p{L})/iu;

/** Takes away the name of a department, which is nobody's. */
function refuseDepartments(lead: Lead): void {
	const isDepartment = (text: string) => DEPARTMENT.test(withoutAccents(text));
	const whole = nameOf(lead);
	// What is left out of a name says nothing of it. Nearly no name holds such a word at all.
	if (!isDepartment(whole) || !isDepartment(toFullName(whole))) return;
	for (const name of NAMES) refuse(lead, name, 'is not the name of a person');
}

/** Takes away halves of several people's names, and all names where the halves are somebody else's than the whole one. */
function refuseTwoPeople(lead: Lead): void {
	for (const name of ['firstName', 'lastName'] as const) {
		const words = lead.found[name]?.value ?? '';
		if (areJoined(words) && areJoined(withoutTitles(words)))
			refuse(lead, name, 'is not the name of one person');
	}
	const { fullName, firstName, lastName } = lead.found;
	if (!fullName || !firstName || !lastName) return;
	const texts = [fullName.value, `${firstName.value} ${lastName.value}`];
	const [whole, halves] = texts.map(wordsOf);
	// A nickname, or another script, is not another person.
	const canCompare = whole.length > 1 && texts.every((text) => /\p{Script=Latin}/u.test(text));
	if (!canCompare || halves.some((word) => whole.includes(word))) return;
	refuse(lead, 'fullName', `differs from ${firstName.field}`);
	for (const name of ['firstName', 'lastName'] as const)
		refuse(lead, name, `differs from ${fullName.field}`);
}

/** Takes away names that cannot be looked up, as they are only half of one. */
function refuseHalves(lead: Lead): void {
	const { fullName, firstName, lastName } = lead.found;
	if (fullName && isHalf(fullName.value)) refuse(lead, 'fullName', 'is only half a name');
	else if (fullName && isSeveral(fullName.value)) {
		refuse(lead, 'fullName', 'is not the name of one person');
	}
	if (firstName && isTitles(firstName.value)) refuse(lead, 'firstName', 'is only a title');
	if (lastName && isDegree(lastName.value)) refuse(lead, 'lastName', 'is only a title');
	if (lastName && isInitial(lastName.value)) refuse(lead, 'lastName', 'is only an initial');
}

/** Takes away what was found, and says why. */
export function refuse({ found, lacking }: Lead, meaning: Meaning, why: string): void {
	const { [meaning]: own } = found;
	if (own) lacking[meaning] = { field: own.field, why };
	delete found[meaning];
}

/** The name that a lookup reads. */
export function nameOf({ found: { fullName, firstName, lastName, name } }: Lead): string {
	const others = fullName ? [fullName] : [firstName, lastName, name];
	const parts = firstName && lastName ? [firstName, lastName] : others;
	return parts.flatMap((part) => part?.value ?? []).join(' ');
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
	if (lettersOf(name) === lettersOf(company?.value ?? '')) return false;
	const bare = withoutTitles(toFullName(name));
	return !areSame(bare, nameOf(lead)) && !isCompany(name, domain?.value);
}
