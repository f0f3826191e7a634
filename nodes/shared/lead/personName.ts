import { cleanText, withoutAccents } from '../values/text';

/** Titles before a name, without accents, also two of them. Ing and others are names, too: these count with a full stop only. */
const TITLES = new Set(
	`mr mrs ms miss dr prof shri smt herr herrn hr frau monsieur madame mme mlle senor senora sra dona dna signor signora
	dhr mevrouw maitre & and und familie famille familia fr. dipl. ing. mag. dott. sig. sr. srta. dra. mevr. mw. fam. avv.
	arch. geom. rag. lic. arq. eng. drs. ir. mx. rev. inh. univ. ddr. mmag. kfm.`.split(/\s+/),
);

/** Degrees and suffixes: behind a comma in any letter case, behind a name in this one alone, as Mba is a surname. */
const DEGREES = String.raw`(?:Ph\.?\s?D|Pharm\.?\s?D|[MB]\.?Sc|MBA|[JS]r|I{2,3}|IV|Esq)\.?`;
const DEGREE = new RegExp(`^(?:${DEGREES}|(?=.*\\p{L}{2})(?:\\p{L}{1,4}\\.){2,})$`, 'iu');
const LAST_WORDS = new RegExp(`(?<=\\p{Ll})(?: ${DEGREES})+$`, 'u');

/** Letters after a whole name, e.g. CFA or NP. After a surname, with a particle or not, they are initials. */
const CAPITALS = /^(?:[\p{Lu}-]{2,}|(?:\p{Lu}\. ?){2,})$/u;
const PARTICLES = [
	..."von vom zu zum zur dem van den der ten ter te in op ['’]t".split(' '),
	...'da das de di do du dal dalla del della dos la le lo al el bin'.split(' '),
];
const PARTICLE = new RegExp(`^(?:${PARTICLES.join('|')})(?!\\p{L})`, 'iu');

/** In front of a word, `M.` is the French Monsieur: whose initial it is nobody knows. */
const MONSIEUR = /^MM?\. (?=\p{L}{2})/u;

/** What is in brackets, or behind a bar, a bullet or a dot, and symbols such as emoji. */
const NO_NAME = /\([^()]*\)|\s[|•·].*|[\p{So}\p{Emoji_Modifier}\u{20E3}]/gu;

/** Half of a name as people write it in columns, without what is no part of it: `Lovelace` for `Lovelace, MBA (she/her)`. */
export function withoutTitles(text: string): string {
	return text && (partsOf(text)[0] || text);
}

/** A full name without titles and with the first name first: `Ada Lovelace` for `Lovelace, Dr. Ada`. */
export function toFullName(text: string): string {
	const name = inOrder(text);
	// `Mr Lovelace` is no less than `Lovelace`, who may be anybody.
	return name.includes(' ') ? name : text;
}

/**
 * Whether a full name is a single word but for its titles, or a last name with its particle. Other scripts than these put no
 * blanks between the names of a person.
 */
export function isHalf(text: string): boolean {
	const name = inOrder(text);
	const [last, ...words] = name.split(' ').toReversed();
	if (words.length === 0) {
		return /^\P{L}*[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(name);
	}
	if (isInitial(last)) return true;
	// "Van Morrison" is a whole name, but not behind a title.
	const [first] = text.split(' ', 1);
	const isLast = isTitle(first) || (/^['’]?\p{Ll}/u.test(name) && /^\p{Lu}/u.test(last));
	return isLast && words.every((word) => PARTICLE.test(word));
}

/** Two people: `Ada & Ida`, `Ada/Ida`, `Ana y Luis García`, but not `José Ortega y Gasset`. A comma that is left is more than a name. */
const SEVERAL = /[;:/,+]| (?:&|and|und|et|AND|UND|ET|And|Und|Et) |^\S+ (?:e|y|en) /;

/** Whether a text names more than one person, or says more than a name: `Ada Lovelace, Ida Rhodes`, `Ada & Ida Lee`. */
export function isSeveral(text: string): boolean {
	return SEVERAL.test(inOrder(text));
}

/** Whether a first name is none, as CRMs write it where only the last name is known: `Mr.`, `Frau Dr.` */
export function isTitles(firstName: string): boolean {
	const [first] = firstName.split(' ', 1);
	return isTitle(first) && isTitle(withoutTitles(firstName));
}

/** Whether a last name is only a degree or a suffix, as a text that was cut at its last blank gives it. */
export function isDegree(lastName: string): boolean {
	return DEGREE.test(lastName);
}

/** Whether a last name is only an initial, as LinkedIn shows that of people out of one's network. In Chinese it is whole. */
export function isInitial(lastName: string): boolean {
	if (lastName.length > 2 && !/^\p{L}[. ]/u.test(lastName)) return false;
	return /^(?=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])\p{L}\.?$/u.test(
		withoutTitles(lastName),
	);
}

/** A full name without titles, with the first name first: a comma turns it behind one word, or a particle. */
function inOrder(text: string): string {
	const [last, ...others] = partsOf(text);
	const isTurned = others.length === 1 && (!last.includes(' ') || PARTICLE.test(last));
	return isTurned ? `${others[0]} ${last}` : [last, ...others].join(', ');
}

/** What is between the commas of a name, without titles. */
function partsOf(text: string): string[] {
	const bare = cleanText(text.replace(NO_NAME, ' ')).replace(MONSIEUR, '');
	const [name, ...others] = bare.split(/\s*,\s*/).map(withoutTitlesAround);
	// A sheet may have all names in capitals.
	const isWhole = / .*\p{Ll}/u.test(name) && !PARTICLE.test(name);
	const isNoName = (part: string, index: number) =>
		isTitle(part) || DEGREE.test(part) || ((isWhole || index > 0) && CAPITALS.test(part));
	return [name, ...others.filter((part, index) => part !== '' && !isNoName(part, index))];
}

function withoutTitlesAround(part: string): string {
	const words = part.replace(LAST_WORDS, '').split(' ');
	// Of "Dr. rer. nat." the rest too.
	const isMore = (word: string, index: number) => index > 0 && /^(?:\p{Ll}+\.)+$/u.test(word);
	const first = words.findIndex((word, index) => !isTitle(word) && !isMore(word, index));
	// Of titles alone, the first one: it is half a name.
	return first < 0 ? words[0] : words.slice(first).join(' ');
}

/** Whether a word is a title, e.g. `Dr.-Ing.`, `Dott.ssa`. */
function isTitle(word: string): boolean {
	const stop = word.includes('.') ? '.' : '';
	const isKnown = (one: string) => TITLES.has(one) || TITLES.has(one + stop);
	const parts = word.split(/[.-]+/).filter(Boolean);
	const isEnding = (one: string, index: number) => index > 0 && /^[\p{Ll}ª]{1,3}$/u.test(one);
	return (
		parts.length > 0 &&
		parts.every((one, index) => isKnown(withoutAccents(one).toLowerCase()) || isEnding(one, index))
	);
}
