import { withoutAccents } from '../values/text';

/**
 * The names under which sheets, CRMs, forms and files hold what a lookup needs, the more certain name first: English,
 * German, French, Spanish, Portuguese, Italian, Dutch. A name counts as a whole: `Account Owner` and `Old Email` do not.
 */
export const LEAD_FIELDS = {
	fullName: `
		full name, contact name, contact full name, contact person, invitee name, person name, lead name, prospect name,
		Vollständiger Name, Ansprechpartner, Kontaktperson, Anzeigename, Vor- und Nachname, Vorname Nachname,
		nom complet, nom du contact, prénom et nom, nom et prénom, nom à afficher,
		nombre completo, nombre de contacto, persona de contacto, nombre y apellidos, nombre y apellido, nombre en pantalla,
		nome completo, nome do contato, nome e sobrenome, mostrar nome, nome e cognome, cognome e nome, nome visualizzato,
		nominativo, volledige naam, contactpersoon, naam contactpersoon`,
	/** The full name, but beside one half of a name alone the other half. Odoo writes `Acme, Ada Lovelace` into the last. */
	name: 'name, nom, nombre, nome, naam, display name',
	firstName: `
		first name, given name, forename, fname, name first, contact first name, contact person first name, person first name,
		executive first name, lead person first name, invitee first name, Vorname, Vorname(n), prénom, prénom(s),
		prénom du contact, primer nombre, nombre de pila, nombres, primeiro nome, nome próprio, voornaam, roepnaam`,
	lastName: `
		last name, family name, surname, surnames, lname, name last, contact last name, contact surname,
		contact person last name, person last name, executive last name, lead person last name, invitee last name,
		Nachname, Familienname, nom de famille, apellidos, apellido, primer apellido, apellido 1, 1er apellido, 1º apellido,
		apellido paterno, apellidos de contacto, sobrenome, sobrenome do contato, último nome, cognome, achternaam, familienaam`,
	/** Stands in front of the last name. */
	particle: 'tussenvoegsel, tussenvoegsels, voorvoegsel, Namenszusatz',
	domain: `
		company domain, company domain name, organization domain, current employer domain, employer domain, domain, domain name,
		company website, company website URL, organization website, organisation website, account website, business website,
		website, website URL, website 1, website 1 value, websites, employer website, company URL, homepage,
		company homepage, web page, web page 1, web, www, internet,
		Webseite, Webseite 1, Firmenwebseite, Firmenwebsite, Internetseite, Internetadresse,
		site web, site web 1, site internet, page web, domaine, sitio web, página web, página web 1, dominio,
		site da empresa, site empresa, site, domínio, sito web, sito internet, sito, pagina web, pagina web 1, domein`,
	company: `
		company name, organization name, organisation name, company, company / account, company name cleaned,
		company name for emails, associated company, lead company name, current company, current company name,
		current employer, employer, organization, organisation, organization 1 name, person organization, org name,
		account name, business name, trade name, billing company, society, Firma, Firmenname, Unternehmen, Unternehmensname,
		société, nom de la société, nom société, entreprise, nom entreprise, nom de l'entreprise, raison sociale,
		empresa, nombre de la empresa, nombre de empresa, nombre empresa, razón social, compañía, organización,
		nome da empresa, razão social, organização, azienda, nome azienda, ditta,
		ragione sociale, società, organizzazione, bedrijf, bedrijfsnaam, naam bedrijf, organisatie`,
	email: `
		work email, work email address, business email, business email address, professional email,
		Geschäftliche E-Mail-Adresse, adresse e-mail professionnelle, email pro, mail professionnel, mail pro,
		correo corporativo, correo profesional, email profesional, e-mail profissional, email aziendale, email di lavoro,
		email lavoro, indirizzo email aziendale, zakelijk e-mailadres, e-mail zakelijk, zakelijke e-mail,
		recommended professional email, recommended work email, recommended email, enriched email address,
		current work email, email, email address, primary email, primary email address, primary email addr,
		primarySmtpAddress, pro email, contact email, contact email address, contact person email,
		contact person email address, invitee email, person email, lead email, lead person email,
		email ID, mail ID, email work, person email work, mail, email 1, email 1 value, email address 1, emails,
		email addresses, E-Mail-Adresse, E-Mail geschäftlich, geschäftliche E-Mail, primäre E-Mail-Adresse, Mailadresse,
		adresse e-mail, adresse mail, e-mail professionnel, adresse de messagerie, adresse électronique,
		adresse électronique principale, courriel, correo electrónico, correo, dirección de correo electrónico,
		dirección de correo electrónico principal, endereço de e-mail, e-mail primário, e-mail corporativo,
		indirizzo e-mail, email principale, posta elettronica, e-mailadres, mailadres,
		email from, mail from Dropcontact, email 2, email 2 value, email2address, person email other, person email home`,
};

/** What lookups read of a lead. `emailStatus` is this package's own word: the verdict of another tool is not read. */
export type Meaning = keyof typeof LEAD_FIELDS | 'emailStatus';

interface Place {
	meaning: Meaning;
	/** Preference among names with the same meaning; lower wins. */
	rank: number;
}

/** The words of a name, in lower case and without accents. */
export function wordsOf(name: string): string[] {
	return (
		withoutAccents(name)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	);
}

/** The letters and digits of a name, without what Notion puts before it. */
function lettersOf(name: string): string {
	return wordsOf(name.replace(/^property_/, '')).join('');
}

/** A name by its letters and digits alone, without case, accents and what Notion and forms put before it. */
export function bareName(name: string): string {
	return lettersOf(name).replace(/^your/, '');
}

/** Fields that say whose company or website it is. Beside them, others are the user's, or the person's. */
export const SAYS_WHOSE = {
	company: /^(?:company|organi[sz]ation|party)name$/,
	domain: /^(?:companywebsite(?:url)?|organi[sz]ationwebsite1?)$/,
};
export const SAYS_NOT_WHOSE = /^(?:company|website(?:url|1|s)?)$/;

/** Whose field it is, where an item has those of several people: `contact` of `Contact Email`, `2` of `Email 2`. */
export function ownerIn(name: string): string {
	const letters = lettersOf(name);
	const role = /^(?:your|contact|executive|lead|person|prospect)/;
	// `Contact Person 2` is somebody else than `Contact Person`.
	return (/\d+/.exec(letters) ?? role.exec(letters))?.[0] ?? '';
}

export const PLACES = new Map<string, Place>(
	Object.entries(LEAD_FIELDS).flatMap(([meaning, names]) =>
		names
			.split(',')
			.map((name, rank) => [bareName(name), { meaning: meaning as Meaning, rank }] as const),
	),
);
