import { wordsOf } from '../values/text';
import { lettersOf, type Meaning } from './columnNames';
import { isDegree, isHalf, isInitial, isSeveral, isTitles, withoutTitles } from './personName';
import { rulesOf } from './rules';

/** What an item has of a lead. */
export interface Lead {
	/** What was read, and the field that holds it. */
	found: Partial<Record<Meaning, { value: string; field: string }>>;
	/** The field that would hold it, and why it does not in this item. */
	lacking: Partial<Record<Meaning, { field: string; why: string }>>;
}

/** What names the person. */
export const NAMES: Meaning[] = ['fullName', 'firstName', 'lastName', 'name'];

/** The legal forms of companies that are no names of people. */
const LEGAL_FORM =
	/(?<![\p{L}.])(?:GmbH|mbH|AG|KG|KGaA|e\.?V|OHG|UG|GbR|Inc|LLC|LLP|Ltd|Pty|Limited|PLC|Corp|SARL|EURL|SASU?|SA|S\.A|SLU?|S\.L|S\.?r\.?l|SRL|S\.?p\.?A|B\.?V|N\.?V|Ltda|Lda)(?!\p{L})/u;

/** The name of a company by its letters and digits, without its legal form. */
function bareCompany(name = ''): string {
	return lettersOf(name.split(LEGAL_FORM, 1)[0]);
}

/** Whether a name has another one as whole words. */
function holds(name: string, other = ''): boolean {
	return ` ${wordsOf(name).join(' ')} `.includes(` ${wordsOf(other).join(' ')} `);
}

/** What makes the name that is looked up of those that were read, and takes away what is none. */
export const NAME_RULES = rulesOf<(lead: Lead, row: { isSomebodys: boolean }) => void>({
	'A bare name beside a website, and no column that only people have, is nobody’s': (lead, row) => {
		const { name, domain } = lead.found;
		if (name && domain && !row.isSomebodys)
			refuse(lead, 'name', "may be a company's, as no other column is a person's");
	},
	'A legal form, or the name of the company, is nobody’s': (lead) => {
		const company = bareCompany(lead.found.company?.value);
		for (const meaning of ['fullName', 'name'] as const) {
			const name = lead.found[meaning]?.value ?? '';
			// `KG Menon` may be a person where the column says so.
			const form = meaning === 'name' ? name : name.slice(name.lastIndexOf(' ') + 1);
			const isOfCompany = bareCompany(name) !== '' && bareCompany(name) === company;
			if (isOfCompany || LEGAL_FORM.test(form)) refuse(lead, meaning, 'looks like a company');
		}
	},
	'A bare name is the whole one, or the half that is not there': placeBareName,
	'A full name has two words, and is one person’s': (lead) => {
		const { fullName } = lead.found;
		if (fullName && isHalf(fullName.value)) refuse(lead, 'fullName', 'is only half a name');
		for (const meaning of ['fullName', 'firstName'] as const) {
			if (!isSeveral(lead.found[meaning]?.value ?? '')) continue;
			refuse(lead, meaning, 'is not the name of one person');
		}
	},
	'A title, a degree or an initial is no half of a name': (lead) => {
		const { firstName, lastName } = lead.found;
		if (firstName && isTitles(firstName.value)) refuse(lead, 'firstName', 'is only a title');
		if (lastName && isDegree(lastName.value)) refuse(lead, 'lastName', 'is only a title');
		if (lastName && isInitial(lastName.value)) refuse(lead, 'lastName', 'is only an initial');
	},
});

/** A bare `name` is the full name; beside one half that it does not hold, it is the other half. */
function placeBareName({ found, lacking }: Lead): void {
	const { name, fullName, firstName, lastName } = found;
	if (!name) return;
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
