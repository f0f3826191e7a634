import {
	addressAt,
	comparable,
	expectedEmail,
	expectedVerification,
	type EmailStatus,
} from './addresses.mts';
import { makeDemo } from './demo.mts';
import { ofEachKind } from './ledger.mts';
import { Prng } from './prng.mts';
import {
	companyNames,
	firstNames,
	industries,
	lastNames,
	places,
	specialties,
	titles,
} from './vocabulary.mts';

export type Company = ReturnType<typeof makeCompanies>[number];

export type Person = ReturnType<typeof makePeople>[number];

export type Account = ReturnType<typeof makeAccounts>[number];

export interface Lead {
	id: number;
	person: Person;
	/** The address saved in the list; null although the finder may know one. */
	email: string | null;
	/** The list has the address without its status. */
	unverified?: boolean;
}

export interface LeadList {
	id: number;
	name: string;
	createdAt: string;
	/** Oldest first, with strictly increasing ids. */
	leads: Lead[];
}

/** Who is looked for: a name in one or two parts, and where. */
export type PersonQuery = Partial<
	Record<'firstName' | 'lastName' | 'fullName' | 'company' | 'domain', string>
>;

/** What the finder knows of a person. */
export interface Found {
	email: string;
	status: EmailStatus;
	pattern: string;
	person: Person | null;
}

const CROWDED_COMPANY_SIZE = 400;
const OTHER_COMPANY_SIZE = 18;
const CAMPAIGN_SIZE = 1_000;
const TRADE_FAIR_SIZE = 30;

/** Everything the service knows, the same each time; for people to look at, with one more list. */
export class Fixtures {
	readonly companies: Company[];
	/** The first company has enough people for several pages of company leads. */
	readonly people: Person[];
	readonly lists: LeadList[];
	readonly accounts = makeAccounts();
	readonly #people: Map<string, Person>;
	readonly #initialLists: LeadList[];

	constructor({ demo = false } = {}) {
		const prng = new Prng(1);
		this.companies = makeCompanies(prng);
		this.people = makePeople(prng, this.companies);
		this.lists = makeLists(prng, this.people);
		if (demo) {
			const { companies, people, lists } = makeDemo();
			this.companies.push(...companies);
			this.people.push(...people);
			this.lists.push(...lists);
		}
		this.#people = new Map(
			this.people.flatMap((person) => [
				[personKey(person.full, person.company.domain), person],
				[personKey(person.full, person.company.name), person],
			]),
		);
		this.#initialLists = this.lists.map(copyOf);
	}

	/** Accounts, people, lists and their leads are again what the seed made of them. */
	reset(): void {
		this.accounts.splice(0, Infinity, ...makeAccounts());
		this.people.splice(0, Infinity, ...new Set(this.#people.values()));
		this.lists.splice(0, Infinity, ...this.#initialLists.map(copyOf));
	}

	account(key: unknown): Account | undefined {
		return this.accounts.find((account) => account.key === key);
	}

	list(id: number): LeadList | undefined {
		return this.lists.find((list) => list.id === id);
	}

	/** The company with this name or domain, whatever the letter case. */
	company(nameOrDomain: string): Company | undefined {
		const wanted = comparable(nameOrDomain);
		return this.companies.find(
			({ name, domain }) => domain === wanted || comparable(name) === wanted,
		);
	}

	peopleOf(company: Company): Person[] {
		return this.people.filter((person) => person.company === company);
	}

	/** The finder's answer, null for a miss; the domain counts more than the company's name. */
	find({ firstName, lastName, fullName = '', company = '', domain }: PersonQuery): Found | null {
		const name = firstName && lastName ? `${firstName} ${lastName}` : fullName;
		const person = this.#people.get(personKey(name, domain ?? company));
		if (person?.email) {
			const status = expectedVerification(person.email).email_status;
			return { email: person.email, status, pattern: person.company.pattern, person };
		}
		const synthetic = expectedEmail(name, '', domain ?? '');
		return synthetic && { ...synthetic, pattern: '{first}.{last}', person: null };
	}
}

function copyOf(list: LeadList): LeadList {
	return { ...list, leads: list.leads.map((lead) => ({ ...lead })) };
}

function personKey(fullName: string, nameOrDomain: string): string {
	return `${comparable(fullName)}\n${comparable(nameOrDomain)}`;
}

function makeCompanies(prng: Prng) {
	return prng.shuffle(companyNames).map((name, index) => ({
		id: 4_000 + index * 7,
		name,
		domain: `${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`,
		industry: prng.pick(industries),
		specialties: prng.shuffle(specialties).slice(0, 3),
		employees: prng.between(3, 20_000),
		founded: prng.between(1880, 2020),
		place: prng.pick(places),
		/** How the company's addresses are formed; interface specification 2.7. */
		pattern: prng.pick(['{first}.{last}', '{last}.{first}', '{first}_{last}', '{first}{last}']),
	}));
}

/** No full name occurs twice, so that a keyword can single out a person. */
function makePeople(prng: Prng, companies: readonly Company[]) {
	const names = firstNames.flatMap((first) => lastNames.map((last) => ({ first, last })));
	const employers = companies.flatMap((company, index) =>
		Array<Company>(index === 0 ? CROWDED_COMPANY_SIZE : OTHER_COMPANY_SIZE).fill(company),
	);
	return prng.shuffle(names).map(({ first, last }, index) => {
		const company = employers[index];
		const place = prng.pick(places);
		return {
			first,
			last,
			full: `${first} ${last}`,
			title: prng.pick(titles),
			location: `${place.city}, ${place.country}`,
			company,
			started: { month: prng.between(1, 12), year: prng.between(1995, 2025) },
			/** The address that the finder knows, null for a miss. */
			email: prng.chance(0.65) ? addressAt(company.domain, company.pattern, first, last) : null,
		};
	});
}

function makeLists(prng: Prng, people: readonly Person[]): LeadList[] {
	const saved = prng.shuffle(people);
	return [
		{
			id: 101,
			name: 'Spring Campaign',
			createdAt: '2025-03-03T08:30:00.000Z',
			leads: makeLeads(prng, saved.slice(0, CAMPAIGN_SIZE), 50_000),
		},
		{
			id: 102,
			name: 'Trade Fair',
			createdAt: '2025-06-17T14:05:12.345Z',
			leads: makeLeads(prng, saved.slice(CAMPAIGN_SIZE, CAMPAIGN_SIZE + TRADE_FAIR_SIZE), 90_000),
		},
	];
}

function makeLeads(prng: Prng, people: readonly Person[], firstId: number): Lead[] {
	let id = firstId;
	return people.map((person) => {
		id += prng.between(1, 7);
		return { id, person, email: prng.chance(0.7) ? person.email : null };
	});
}

function makeAccounts() {
	const quota = ofEachKind(250_000);
	const common = { plan: 'Business', paid: true, renewsAt: Date.UTC(2030, 0, 15), quota };
	// A key on a free plan has no credits; interface specification 5.
	const free = { plan: 'Free', paid: false, quota: ofEachKind(0) };
	const charles = { name: 'Charles Babbage', email: 'charles@engine.example' };
	return [
		{ key: 'test-key', name: 'Ada Lovelace', email: 'ada@engine.example', ...common },
		{ key: 'second-key', name: 'Grace Hopper', email: 'grace@compiler.example', ...common },
		{ key: 'free-key', ...charles, ...common, ...free },
	];
}
