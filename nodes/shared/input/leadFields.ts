import type { IDataObject } from 'n8n-workflow';
import { asBeforeFile } from '../host/file';
import { holdsEmail, isMixed } from '../values/email';
import { isObject, objectFrom } from '../values/json';
import { cleanText, toDomain } from '../values/text';
import {
	certainty,
	type Found,
	holds,
	isSomebodyElse,
	join,
	type Lead,
	NAMES,
	partsOfName,
	refuse,
	withBareName,
	withoutHalf,
} from './lead';
import { bareName, type Meaning, ownerIn, PLACES, SAYS_NOT_WHOSE, SAYS_WHOSE } from './leadNames';
import { domainsIn, textOf, valueOf, whyEmpty } from './leadValues';

/** Where CRMs, bases and forms put the fields of an item. */
const CONTAINERS = ['properties', 'fields', 'body', 'data', 'merge_fields', 'person_id'];

/** The parameters that Lead Fields fills in, by name, with the meanings to look for: the first that has a value counts. */
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

/** What the name of a field says. */
interface Column {
	meaning?: Meaning;
	/** Preference among columns with the same meaning; lower wins. */
	rank: number;
	/** Whether it is called `email`, however a sheet spells that. */
	isEmail: boolean;
	owner: string;
	/** Whether it is for the name of a person, also of a second one. */
	isName: boolean;
	/** The meaning for which the name says whose field it is. */
	saysWhose?: Meaning;
	/** Whether it belongs to somebody else if the item has such a field. */
	saysNotWhose: boolean;
}

/** Larger than the difference between any two ranks. */
const FAR = 1_000;

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
			// Of several leads none can be meant.
			const [one, ...more] = [fields[name]].flat();
			if (!isOther && more.length === 0) join(lead, this.leadOf(one));
		}
		return withoutHalf(withBareName(lead));
	}

	/** Reads the lead in the fields of an object, without the objects inside it. */
	private leadOf(object: unknown): Lead {
		if (!isObject(object)) return { found: {}, lacking: {} };
		let lead = this.fieldsOf(object);
		const others = this.othersIn(object, lead);
		if (others.size > 0) lead = this.fieldsOf(object, others);
		joinParticle(lead);
		// A full name that is a company's gives way to that of another object; a bare one waits for what that object says.
		return certainty(lead) > 1 ? withBareName(lead) : lead;
	}

	/** @param others owners of fields that are not read, as they are other people */
	private fieldsOf(object: IDataObject, others?: Set<string>): Lead {
		const lead: Lead = { found: {}, lacking: {} };
		const { found, lacking } = lead;
		const ranks: Partial<Record<Meaning, number>> = {};
		const lackingRanks: typeof ranks = {};
		const hasStatus = cleanText(object.emailStatus) !== '';
		let emailField: string | undefined;
		let visitor: Found | undefined;
		const ofCompany = new Set<Meaning>();
		const pages: string[] = [];
		for (const name of Object.keys(object)) {
			const { meaning, owner, isEmail, saysWhose, rank: usual } = this.columnOf(name);
			if (saysWhose) ofCompany.add(saysWhose);
			if (!meaning || others?.has(owner)) continue;
			if (isEmail && (name === 'email' || !emailField)) emailField = name;
			const value = valueOf(meaning, object[name]);
			if (value === '') {
				if (meaning === 'domain') pages.push(...domainsIn(object[name]));
				if (usual >= (lackingRanks[meaning] ?? Number.POSITIVE_INFINITY)) continue;
				lackingRanks[meaning] = usual;
				lacking[meaning] = { field: name, why: whyEmpty(meaning, object[name]) };
				continue;
			}
			if (owner === 'your' && meaning === 'name') visitor = { value, field: name };
			// Beside a status of this package, it is what a lookup has found.
			let rank = isEmail && hasStatus ? usual - FAR : usual;
			// What is no email does not hide the one in another column.
			if (meaning === 'email' && !holdsEmail(value) && !isMixed(value)) rank = FAR;
			if (rank >= (ranks[meaning] ?? Number.POSITIVE_INFINITY)) continue;
			ranks[meaning] = rank;
			found[meaning] = { value, field: name };
		}
		// A status belongs to the `email` beside it.
		if (emailField && found.email && found.email.field !== emailField) delete found.emailStatus;
		// Beside the name of who fills in a form, a bare one may be the form's, or that of somebody else.
		if (visitor && found.name && isSomebodyElse(visitor.value, lead)) {
			refuse(lead, 'name', `differs from ${visitor.field}`);
		}
		for (const meaning of ofCompany) {
			if (!this.columnOf(found[meaning]?.field ?? '').saysNotWhose) continue;
			refuse(lead, meaning, `may be ${meaning === 'domain' ? "the person's" : 'your'} own`);
		}
		// Another field has the page at a network that this domain is of.
		const { domain } = found;
		const isOfDomain = (page: string) => `.${page}`.endsWith(`.${toDomain(domain?.value ?? '')}`);
		if (domain && pages.some(isOfDomain)) delete found.domain;
		// In Odoo, companies and people are in one list.
		if (/^(?:true|1)$/i.test(String(object.is_company ?? object['Is a Company']))) {
			for (const name of NAMES) refuse(lead, name, 'looks like a company');
		}
		return lead;
	}

	/** The owners of fields with another person's name. The owner of all parts of the lead's own name is the lead. */
	private othersIn(object: IDataObject, lead: Lead): Set<string> {
		const others = new Set<string>();
		const owners = partsOfName(lead).map(({ field }) => this.columnOf(field).owner);
		for (const name of Object.keys(object)) {
			const { isName, owner } = this.columnOf(name);
			if (!isName || owner === '' || owners.every((one) => one === owner)) continue;
			if (isSomebodyElse(textOf('name', object[name]), lead)) others.add(owner);
		}
		return others;
	}

	private columnOf(name: string): Column {
		const known = this.columns.get(name);
		if (known) return known;
		const bare = bareName(name);
		const owner = ownerIn(name);
		const place = PLACES.get(bare);
		const meaning = name === 'emailStatus' ? name : place?.meaning;
		let rank = place?.rank ?? 0;
		// In exactly this spelling it is the package's own.
		if (name === 'email') rank -= 0.5;
		// Of two people in a form, one recommends the other.
		if (owner === 'your') rank += 0.5;
		const unnumbered = PLACES.get(bare.replace(/\d+/, ''))?.meaning;
		// An ERP has the name of a company in `Name 1`; a second column called `Name` becomes `Name_1`. `Apellido 2` is the
		// other surname of a Spaniard.
		const isLine = (unnumbered === 'name' && /[^_]\d+$/.test(name)) || /^apellido\d$/.test(bare);
		const isName = unnumbered !== undefined && NAMES.includes(unnumbered) && !isLine;
		const saysWhose = (['company', 'domain'] as const).find((one) => SAYS_WHOSE[one].test(bare));
		const saysNotWhose = SAYS_NOT_WHOSE.test(bare);
		const isEmail = bare === 'email';
		const column = { meaning, rank, isEmail, owner, isName, saysWhose, saysNotWhose };
		this.columns.set(name, column);
		return column;
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
