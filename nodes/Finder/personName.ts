/** In front of a name. What may be a given name, e.g. Ing, counts with its full stop only. */
const BEFORE =
	/^(?:(?:mr|mrs|ms|dr|prof|herr|frau|mme|mlle)(?:\.[\s-]*|\s+)|(?:dipl|ing|mag|dott|sig|sra?|h\.c)\.[\s-]*)+(?=\p{L})/iu;

/** Behind a comma, beside what is in capitals there, e.g. MBA. */
const BEHIND = /^(?:ph\.?\s?d|[mb]\.?sc|mba|[js]r|esq|prof|dr)\b/i;

/** A name as people write it in columns, without titles and what is in brackets: `Lovelace` for `Lovelace, MBA (she/her)`. */
export function withoutTitles(text: string): string {
	return partsOf(text).join(', ');
}

/** The same for a full name, with the first name first: `Ada Lovelace` for `Lovelace, Dr. Ada`. */
export function toFullName(text: string): string {
	const parts = partsOf(text);
	return parts.length === 2 ? parts.toReversed().join(' ') : parts.join(', ');
}

/** What is between the commas of a name. */
function partsOf(text: string): string[] {
	const bare = text.replace(/\s*\([^()]*\)/g, '');
	const [name, ...others] = bare.split(/\s*,\s*/).map((part) => part.replace(BEFORE, ''));
	// A sheet may have all names in capitals.
	const isTitle = (part: string) =>
		BEHIND.test(part) || (/\p{Ll}/u.test(name) && /^[\p{Lu}.\-®]{2,}$/u.test(part));
	return [name.trim(), ...others.filter((part) => part !== '' && !isTitle(part))];
}
