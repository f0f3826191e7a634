import { wordsOf } from '../values/text';
import { rulesOf } from './rules';

/**
 * The names under which sheets, CRMs, forms and files hold what a lookup needs, the more certain name first: English,
 * German, French, Spanish, Portuguese, Italian, Dutch. A name counts as a whole: `Account Owner` and `Old Email` do not.
 */
export const LEAD_FIELDS = {
	fullName: `
		full name, Vollständiger Name, Anzeigename, Vor- und Nachname, Vorname Nachname, nom complet, prénom et nom,
		nom et prénom, nom à afficher, nombre completo, nombre y apellidos, nombre y apellido, nombre en pantalla,
		nome completo, nome e sobrenome, mostrar nome, nome e cognome, cognome e nome, nome visualizzato, nominativo,
		volledige naam, last name first name, first and last name, name and surname, Nachname Vorname, Name Vorname,
		Vorname und Nachname, nom prénom, prénom nom, nome cognome, cognome nome, apellidos y nombre`,
	/** The full name, but beside one half of a name alone the other half. Odoo writes `Acme, Ada Lovelace` into the last. */
	name: 'name, nom, nombre, nome, naam, display name',
	firstName: `
		first name, given name, forename, fname, first nm, name first, Vorname, Vorname(n), prénom, prénom(s),
		primer nombre, nombre de pila, nombres, primeiro nome, nome próprio, voornaam, roepnaam, first, given`,
	lastName: `
		last name, family name, surname, surnames, lname, last nm, name last, Nachname, Familienname, nom de famille,
		apellidos, apellido, primer apellido, 1er apellido, 1º apellido, apellido paterno, sobrenome, último nome,
		cognome, achternaam, familienaam, last, family`,
	domain: `
		company domain, company domain name, organization domain, current employer domain, employer domain, domain,
		domain name, company website, company website URL, organization website, organisation website, account website,
		business website, website, website URL, website value, websites, employer website, company URL, homepage,
		company homepage, web page, web, www, internet, Webseite, Firmenwebseite, Firmenwebsite, Internetseite,
		Internetadresse, site web, site internet, page web, domaine, sitio web, página web, dominio, site da empresa,
		site empresa, site, domínio, sito web, sito internet, sito, pagina web, domein`,
	company: `
		company name, organization name, organisation name, name of the organization, company, company / account,
		company name cleaned, company name for emails, associated company, current company, current company name,
		current employer, current organization, employer, organization, organisation, org name, account name,
		business name, trade name, billing company, society, Firma, Firmenname, Unternehmen, Unternehmensname, société,
		nom de la société, nom société, entreprise, nom entreprise, nom de l'entreprise, raison sociale, empresa,
		nombre de la empresa, nombre de empresa, nombre empresa, razón social, compañía, organización, nome da empresa,
		razão social, organização, azienda, nome azienda, ditta, ragione sociale, società, organizzazione, bedrijf,
		bedrijfsnaam, naam bedrijf, organisatie, party name, primary company, affiliation, org, account,
		acct, acct name, co, co name`,
	email: `
		existing email, work email, work email address, business email, business email address, professional email,
		Geschäftliche E-Mail-Adresse, adresse e-mail professionnelle, email pro, mail professionnel, mail pro,
		correo corporativo, correo profesional, email profesional, e-mail profissional, email aziendale, email di lavoro,
		email lavoro, indirizzo email aziendale, zakelijk e-mailadres, e-mail zakelijk, zakelijke e-mail,
		recommended professional email, recommended work email, recommended email, enriched email address,
		current work email, email, email address, primary email, primary email address, primary email addr,
		primarySmtpAddress, pro email, email ID, mail ID, email work, mail, email value, emails, email addresses,
		E-Mail-Adresse, E-Mail geschäftlich, geschäftliche E-Mail, primäre E-Mail-Adresse, Mailadresse, adresse e-mail,
		adresse mail, e-mail professionnel, adresse de messagerie, adresse électronique, adresse électronique principale,
		courriel, correo electrónico, correo, correio, dirección de correo electrónico,
		dirección de correo electrónico principal, endereço de e-mail, e-mail primário, e-mail corporativo,
		correio eletrônico, correio electrónico, endereço de correio eletrônico, email professional, preferred email,
		indirizzo e-mail, email principale, posta elettronica, e-mailadres, mailadres, corporate email, email business,
		verified email, main email, primary work email, work emails, Firmen-E-Mail, e-mail professionnelle,
		courriel professionnel, correo empresa, mail aziendale, indirizzo mail, zakelijk e-mail, email from,
		mail from Dropcontact, email other, email home, contact details, contact info, user email, direct email`,
};

/** What lookups read of a lead. `emailStatus` is this package's own word: the verdict of another tool is not read. */
export type Meaning = keyof typeof LEAD_FIELDS | 'emailStatus';

/**
 * Words that say whose a column is, in front of its name or behind it. Such a word alone is the full name of that person.
 * A manager, an assistant or an owner is nobody who is looked up.
 */
export const ROLES = `
	contact, decision maker, attendee, participant, guest, delegate, registrant, invitee, speaker, lead, prospect,
	person, executive, candidate, recipient, founder, CEO, Ansprechpartner, Ansprechpartnerin, Ansprechperson, Kontakt,
	Teilnehmer, Entscheider, Geschäftsführer, Inhaber, interlocuteur, dirigeant, gérant, décideur, fondateur,
	proprietario, contacto, persona de contacto, participante, contato, responsável, contatto, persona di contatto,
	referente, partecipante, contactpersoon, deelnemer`;

/** What the name of a column says. */
export interface Named {
	meaning: Meaning;
	/** Preference among columns with the same meaning; lower wins. */
	rank: number;
	/**
	 * Whose it is: `your` of a form, or the beginning of a word such as `contact`, behind the number of a second person;
	 * empty for the lead's.
	 */
	owner: string;
	/** Whether it is half of a name only beside the other half: `First` alone may be anything. */
	isShort?: boolean;
	/** The letters of its name, without the `your` of a form and without a bracket behind it. */
	letters: string;
}

type Said = Omit<Named, 'letters'>;

/** A name by its letters and digits alone, without case and accents. */
export function lettersOf(name: string): string {
	return wordsOf(name).join('');
}

const listed = (names: string) =>
	names.split(',').map((name) => lettersOf(name.replace(/\d/g, '')));

const PLACES = new Map(
	Object.entries(LEAD_FIELDS).flatMap(([meaning, names]) =>
		listed(names).map((name, rank) => [name, { meaning: meaning as Meaning, rank }] as const),
	),
);

/** Names of columns that only people have: a title, a mobile number, a profile, a salutation, a birthday. */
export const OF_PEOPLE = `
	title, job title, mobile, mobile phone, LinkedIn profile, profile URL, person LinkedIn URL, salutation, birthday,
	Anrede, Mobil, Mobiltelefon, Handy, Geburtstag, Geburtsdatum, civilité, fonction, portable, date de naissance, cargo,
	tratamiento, móvil, fecha de nacimiento, celular, data de nascimento, ruolo, cellulare, data di nascita, functie,
	aanhef`;

const ofPeople = new Set(listed(OF_PEOPLE));

/** Whether only people have such a column. */
export function isOfPeople(name: string): boolean {
	return [name, withoutBracket(name)].some((one) => ofPeople.has(lettersOf(one)));
}

/** Each of the words also with `person` behind it; the longer one first. */
const words = ['your', ...listed(ROLES)]
	.flatMap((word) => [`${word}person`, word])
	.toSorted((one, other) => other.length - one.length);

/** `Lead` alone says what somebody is, and `Responsável` may be the seller. */
const NO_PERSON = new Set(['lead', 'prospect', 'executive', 'responsavel', 'your']);

/** Words that are halves of a name beside each other. */
export const SHORT_HALVES = new Set(['first', 'given', 'last', 'family']);

function said(name: string, owner: string): Said | undefined {
	const place = PLACES.get(name);
	return place && { ...place, owner, isShort: SHORT_HALVES.has(name) };
}

/** What the name of a column says by its letters. The first rule that gives anything decides. */
export const COLUMN_RULES = rulesOf<(letters: string) => Said | undefined>({
	'A name in the table': (letters) => said(letters, ''),
	'A word for a person, alone': (letters) => {
		const isPerson = words.includes(letters) && !NO_PERSON.has(letters);
		return isPerson ? { meaning: 'fullName', rank: 0, owner: letters } : undefined;
	},
	'A word for a person, in front': (letters) =>
		words
			.filter((word) => letters.startsWith(word))
			.flatMap((word) => said(letters.slice(word.length), word) ?? [])
			// A person's website may be a private one.
			.find(({ meaning, owner }) => meaning !== 'domain' || /^(?:your|lead)$/.test(owner)),
	'A word for a person, behind': (letters) => {
		const named = words
			.filter((word) => letters.endsWith(word))
			.flatMap((word) => {
				const name = letters.slice(0, -word.length);
				return said(name, word) ?? said(name.replace(/(?:d[aeou]l?|de[rs])$/, ''), word) ?? [];
			});
		// `Company Contact` is no company, and `Last Contact` a date.
		return named.find(
			({ meaning, isShort }) => meaning !== 'company' && meaning !== 'domain' && !isShort,
		);
	},
});

/** No name of a column that is read is longer. */
const MAX_LETTERS = 50;

/** What a bracket says that makes it another column: of somebody else, of another time, private, or no name at all. */
const OTHER =
	/\d|\b(?:old|prev|former|ancien|alt|parent|owner|manager|assist|refer|emerg|spouse|priv|personal|perso\b|home|second|middle|maiden|prefix|suffix|phone|tel|addr|adresse?\b|status|type|linkedin|id\b)/i;

/**
 * A name without the bracket behind it: `First Name (required)`, `Email [Work]`; `Company Website` for Airtable's
 * `Website (from Company)`.
 */
function withoutBracket(name: string): string {
	const start = name.search(/[([]/);
	const [bare, inside] = [name.slice(0, start), name.slice(start + 1)];
	if (start < 0 || !/^[^)\]]*[)\]][^\p{L}\p{N}]*$/u.test(inside) || OTHER.test(inside)) return '';
	return inside.startsWith('from ') ? `${inside.slice(5)} ${bare}` : bare;
}

/** What the name of a column says, else that without its bracket; `undefined` for one that is not known. */
export function namedBy(name: string): Named | undefined {
	return namedWhole(name) ?? namedWhole(withoutBracket(name));
}

function namedWhole(name: string): Named | undefined {
	// Notion puts `property_` in front.
	const letters = lettersOf(name.replace(/^property_/, ''));
	if (letters.length > MAX_LETTERS) return undefined;
	for (const [, rule] of COLUMN_RULES) {
		const text = letters.replace(/\d+/g, '');
		const named = rule(text) ?? rule(text.replace(/^(?:primary|main|key)/, ''));
		if (!named) continue;
		const word = named.owner.slice(0, 7);
		// `Contact Person 2` is somebody else than `Contact Person`.
		const number = /_(\d+)$/.exec(name)?.[1] ?? /\d+/.exec(letters)?.[0] ?? '';
		const isFirst = number === '' || (number === '1' && !name.endsWith('_1'));
		const owner = isFirst ? word : number + word;
		return { ...named, owner, letters: letters.replace(/^your/, '') };
	}
	return undefined;
}
