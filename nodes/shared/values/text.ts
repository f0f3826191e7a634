/**
 * The text of a value that the service sends: trimmed, numbers as digits, and empty for any other type. A lone
 * surrogate, half of a character, becomes U+FFFD, as it cannot be sent.
 */
export function toText(value: unknown): string {
	if (typeof value === 'string') return value.trim().toWellFormed();
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	return '';
}

/** Words of ASCII, with single blanks between them. */
const PLAIN = /^[!-~]*(?: [!-~]+)*$/;

/** What Unicode calls ignorable: zero width, direction marks, soft hyphens. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The letters and quotes that a file of Windows has where Latin1 has control characters from U+0080 on, which nobody
 * types: windows-1252 of the Encoding Standard. TextDecoder does not do that in all versions of Node.js.
 */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * The text of a value that a user, an expression or an AI agent enters, so that values which look alike are alike:
 * as {@link toText}, without invisible characters, with single blanks for white space and control characters, with
 * Latin1 as in the Encoding Standard, in Unicode's form NFC.
 */
export function cleanText(value: unknown): string {
	const text = toText(value);
	// Nearly all texts are, and the rest takes ten times as long.
	if (PLAIN.test(text)) return text;
	const letters = text.replace(/[\x80-\x9F]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80]);
	const spaced = letters.replace(INVISIBLE, '').replace(/[\s\p{Cc}]+/gu, ' ');
	return spaced.trim().normalize('NFC');
}

const ENTITIES = new Map(
	Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
);

/** A text with the entities of HTML decoded: `Pat O&#039;Brien`. */
export function withoutEntities(text: string): string {
	if (!text.includes('&')) return text;
	const decoded = text.replace(
		/&(?:#(x0*[\da-f]{1,5}|0*\d{1,6})|(\w{2,4}));/gi,
		(all, code, name) =>
			name ? (ENTITIES.get(name.toLowerCase()) ?? all) : String.fromCodePoint(Number(`0${code}`)),
	);
	return cleanText(decoded);
}

/** The same with one spelling of its apostrophes, quotes, hyphens and full-width signs. */
export function plainSigns(text: string): string {
	if (!/[^ -%'-~]/.test(text)) return text;
	const narrow = withoutEntities(text).replace(/[！-～]/g, (one) =>
		String.fromCharCode(one.charCodeAt(0) - 0xfee0),
	);
	const signs = narrow.replace(/[‘’ʼ´′]/g, "'").replace(/[“”„«»‹›]/g, '"');
	return cleanText(signs.replace(/[—―]/g, ' - ').replace(/[‐‑‒–−]/g, '-'));
}

/** A text with the percent signs of a URL decoded; as it is where they are none. */
export function withoutPercents(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** What spreadsheets, databases and people write where there is nothing. "Na" is a surname. */
const PLACEHOLDERS = new Set(
	`n/a,n.a,n/d,n.d,none,null,nil,undefined,unknown,not available,not found,not provided,not applicable,tbd,https,http,
	confidential,info requested,retired,unemployed,stealth startup,stealth mode startup,self employed,self-employed,
	freelance,freelancer,k.a,keine,keine angabe,unbekannt,privatperson,selbstandig,selbststandig,freiberufler,onbekend,
	n.v.t,n.b,inconnu,independant,independante,n.c,s.b,s.c,s.d,desconocido,autonomo,autonoma,ninguno,no tiene,sconosciuto,
	libero professionista,email_not_unlocked@domain.com`.split(/,\s*/),
);

/** From the first letter or digit to the last one. */
const WORDS = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Case matters here: Nan is a name, Blank and Leer are surnames. A spreadsheet writes its errors with a number sign. */
const EMPTY_CELL =
	/^(?:NaN|nan|NA|\((?:blank|Leer|leer)\)|#NV|#N\/\p{Lu}+|#[¡¿]?[\p{Lu}\d/]+ ?[!?])$/u;

/** What a spreadsheet shows as long as it calculates. Laden is a surname. */
const LOADING =
	/^(?:Loading|Wird geladen|Chargement(?: en cours)?|Cargando|A carregar|Carregando|Caricamento(?: in corso)?|(?:Bezig met l|L)aden) ?(?:\.{3}|…)$/;

/** What Airtable, Salesforce, Notion and databases have in place of a linked record. */
const ID =
	/^(?:rec(?=[a-z]*[A-Z\d])[A-Za-z\d]{14}|(?=(?:[A-Za-z]*\d){4})(?:0[A-Za-z\d]|a\d)[A-Za-z\d]{13}(?:[A-Z\d]{3})?|[\dA-Fa-f]{8}-?(?:[\dA-Fa-f]{4}-?){3}[\dA-Fa-f]{12})$/;

export function withoutAccents(text: string): string {
	return PLAIN.test(text) ? text : text.normalize('NFD').replace(/\p{M}/gu, '');
}

/** The words of a text, in lower case and without accents. */
export function wordsOf(text: string): string[] {
	return (
		withoutAccents(text)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	);
}

/** Whether a text stands for nothing: such a word, the id of a record, or no letter or digit at all. */
export function isPlaceholder(text: string): boolean {
	if (text === '') return false;
	const [words] = WORDS.exec(withoutAccents(text)) ?? [];
	if (words === undefined || PLACEHOLDERS.has(words.toLowerCase())) return true;
	// Nearly all cells are names: the rest is tested only where a sign or the length says that it may be.
	const isMarked = words.length < text.length || text.length < 4;
	if (isMarked && (EMPTY_CELL.test(text) || LOADING.test(text))) return true;
	return text.length >= 15 && text.length <= 36 && ID.test(text);
}

/** Whether a text holds an expression, or a part of one, that n8n did not evaluate. */
export function hasExpressionLeft(text: string): boolean {
	return /\{\{|\}\}|\$json\b|\$\(['"]/.test(text);
}

/** A number with its unit, e.g. "1 credit" and "2 credits". */
export function count(number: number, unit: string, units = `${unit}s`): string {
	return `${number} ${number === 1 ? unit : units}`;
}

/** The number of a value or its text; `undefined` for an empty text, infinity and any other value. */
export function numberOf(value: unknown): number | undefined {
	const text = cleanText(value);
	const number = text === '' ? Number.NaN : Number(text);
	return Number.isNaN(number) || number === Number.POSITIVE_INFINITY ? undefined : number;
}

/** The thrown value as an `Error`: a program can throw any value. */
export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** A URL with a scheme: the service sends some without (`www.example.com/in/ada`), and people type them so. */
export function withScheme<T extends string | null>(url: T, scheme = 'https'): T | string {
	if (url === null || /^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
	return `${scheme}://${url.replace(/^\/+/, '')}`;
}

/** The URL in a text, absolute or relative to a base; `undefined` for a text that is none. */
export function parsedUrl(text: string | undefined, base?: string): URL | undefined {
	return text !== undefined && URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** What follows any number of schemes (`https://`), and of slashes after them, up to a path or another address. */
const AUTHORITY = /^(?:[a-z][a-z\d+.-]*:\/\/)*\/*([^/?#,;]*)/;

const LABEL = String.raw`(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)`;

/** A host: letters, digits and hyphens between dots, with a hyphen at no end; it ends in letters. */
export const HOST = String.raw`(?:${LABEL}\.)+(?:xn--(?:[a-z\d-]*[a-z\d])|\p{L}[\p{L}\p{M}]+)`;
const WHOLE_HOST = new RegExp(`^${HOST}$`, 'u');

/** Signs around a host; what is behind a dot in front of it is a part that is missing. */
const AROUND_HOST = /^[^\p{L}\p{N}.]+|(?<![^\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]+$/gu;

/**
 * The bare domain of a text that a user pastes, in lower case (interface specification 4.5): `acme.com` for
 * `https://www.Acme.com/about`, `acme.com:443`, `Acme (acme.com)` and `[acme.com](https://acme.com)`; empty for a text that
 * has no host.
 */
export function toDomain(text: string): string {
	const domain = hostOf(text);
	if (domain !== '') return domain;
	const pieces = plainSigns(withoutPercents(text)).split(/[()[\]<>{}"'`|]+|: /);
	return pieces.map(hostOf).find((host) => host !== '') ?? '';
}

function hostOf(text: string): string {
	const authority = AUTHORITY.exec(text.trim().toLowerCase())?.[1] ?? '';
	const [host] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
	const bare = host.replace(AROUND_HOST, '').replace(/^(?:www\.(?=[^.]+\.))+/, '');
	return WHOLE_HOST.test(bare) ? bare : '';
}

/** The form in which domains compare: in Punycode. `URL` would drop a pasted port, path or query as no part of it. */
export function comparableDomain(domain: string): string {
	const isBareForeign = /[^\0-\x7f]/.test(domain) && !/[/?#:\\]/.test(domain);
	return (isBareForeign && parsedUrl(`http://${domain}`)?.hostname) || domain;
}

/** Whether two domains are one, or one of them is below the other. */
export function areOneSite(one: string, other: string): boolean {
	const [first, second] = [one, other].map((domain) => `.${comparableDomain(domain)}`);
	return one !== '' && (first.endsWith(second) || second.endsWith(first));
}

/** Networks, directories, job boards, shops and short links, in which people and companies have pages. */
const NETWORKS =
	/(?:^|\.)(?:(?:linkedin|facebook|fb|twitter|x|instagram|xing|youtube|tiktok|pinterest|crunchbase|threads|vk|whatsapp|snapchat|medium|github|reddit|tumblr|behance|vimeo|google|wellfound|viadeo|indeed|glassdoor|yelp|tripadvisor|airbnb|booking|etsy|zillow|airtable|notion)\.(?:com|net)|(?:google|indeed|glassdoor|yelp|tripadvisor|airbnb)\.(?:co\.)?[a-z]{2}|notion\.(?:so|site)|(?:eventbrite|meetup|calendly|trustpilot|europages|kompass)\.(?:com|[a-z]{2})|(?:gelbeseiten|wlw)\.de|pagesjaunes\.fr|paginasamarillas\.es|paginegialle\.it|(?:clutch|t)\.co|apollo\.io|(?:fb|wa|t|telegram)\.me|lnkd\.in|youtu\.be|linktr\.ee|about\.me|beacons\.ai|bio\.link|(?:bit|ow|cutt|t|rebrand)\.ly|rb\.gy|is\.gd|tinyurl\.com|g\.page|bsky\.app|goo\.gl|lever\.co|greenhouse\.io|(?:ashbyhq|workable|smartrecruiters|stepstone|monster|ziprecruiter|welcometothejungle|infojobs)\.(?:com|de|fr|it|net)|join\.com|(?:amazon|ebay)\.(?:com|(?:com?\.)?[a-z]{2})|archive\.org)$/;

/** Where anybody has a website, a shop or job offers under a name of their own; and what stands for a website in samples. */
const SITE_HOSTS =
	/\.(?:(?:wixsite|myshopify|wordpress|weebly|squarespace|godaddysites|jimdo(?:free|site)|webnode|site123|mystrikingly|ueniweb|herokuapp|firebaseapp|substack|bandcamp|bamboohr|recruitee|teamtailor|myworkdayjobs|zohorecruit)\.com|(?:business|square)\.site|webador\.[a-z]{2,3}|blogspot\.(?:com?\.)?[a-z]+|jobs\.personio\.(?:com|de)|(?:github|webflow|gitlab)\.io|(?:netlify|vercel|web|framer|lovable)\.app|pages\.dev|carrd\.co|breezy\.hr|eatbu\.com)$|(?:^|\.)example\.(?:com|org|net)$/;

const MAIL_PROVIDERS =
	/^(?:(?:gmail|googlemail|outlook|hotmail|live|yahoo|aol|gmx)\.(?:com|net|(?:com?\.)?[a-z]{2})|(?:icloud|me|msn|ymail|protonmail)\.com|(?:web|t-online|freenet|arcor)\.de|(?:wanadoo|neuf)\.fr|laposte\.net|(?:libero|virgilio|alice|tin)\.it|bluewin\.ch|btinternet\.com|(?:proton|pm)\.me|(?:qq|163)\.com|mail\.ru)$/;

/** Whether a text is a mail provider, or the address of a page at a host of many, e.g. a social network: nobody's website. */
export function isSocialPage(text: string, domain = toDomain(text)): boolean {
	if (MAIL_PROVIDERS.test(domain) || SITE_HOSTS.test(domain)) return true;
	const address = () => withoutPercents(text).replace(/^[a-z]+:\/\//i, '');
	return NETWORKS.test(domain) && /[^/]\/+[^/?#\s]/.test(address());
}
