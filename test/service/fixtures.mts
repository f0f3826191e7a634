import {
	comparable,
	expectedEmail,
	expectedVerification,
	slug,
	type EmailStatus,
} from './addresses.mts';
import { Prng } from './prng.mts';
import {
	companyNames,
	firstNames,
	industries,
	lastNames,
	places,
	specialties,
	titles,
	type Place,
} from './vocabulary.mts';

export interface Company {
	id: number;
	name: string;
	domain: string;
	industry: string;
	specialties: string[];
	employees: number;
	founded: number;
	place: Place;
	/** How the company's addresses are formed; interface specification 2.7. */
	pattern: string;
}

export interface Person {
	first: string;
	last: string;
	full: string;
	title: string;
	location: string;
	company: Company;
	started: { month: number; year: number };
	/** The address that the finder knows, null for a miss. */
	email: string | null;
}

export interface Lead {
	id: number;
	person: Person;
	/** The address saved in the list; null although the finder may know one. */
	email: string | null;
}

export interface LeadList {
	id: number;
	name: string;
	createdAt: string;
	/** Oldest first, with strictly increasing ids. */
	leads: Lead[];
}

/** Credit kinds; interface specification 2.2. */
export type CreditKind = 'email' | 'verifier' | 'search';

export interface Account {
	key: string;
	name: string;
	email: string;
	plan: string;
	/** A key on a free plan has no credits; interface specification 5. */
	paid: boolean;
	/** Milliseconds since 1970. */
	renewsAt: number;
	quota: Record<CreditKind, number>;
}

/** Who is looked for: a name in one or two parts, and where. */
export interface PersonQuery {
	firstName?: string | undefined;
	lastName?: string | undefined;
	fullName?: string | undefined;
	company?: string | undefined;
	domain?: string | undefined;
}

/** What the finder knows of a person. */
export interface Found {
	email: string;
	status: EmailStatus;
	pattern: string;
	person: Person | null;
}

const crowdedCompanySize = 400;
const otherCompanySize = 18;
const campaignSize = 1_000;
const tradeFairSize = 30;

/** Everything the service knows, made from a seed. */
export class Fixtures {
	readonly seed: number;
	readonly companies: Company[];
	/** The first company has enough people for several pages of company leads. */
	readonly people: Person[];
	readonly lists: LeadList[];
	readonly accounts: Account[];
	readonly #people: Map<string, Person>;
	readonly #initial: {
		accounts: Account[];
		people: Person[];
		lists: Array<{ list: LeadList; leads: Lead[] }>;
	};

	constructor(seed = 1) {
		const prng = new Prng(seed);
		this.seed = seed;
		this.companies = makeCompanies(prng);
		this.people = makePeople(prng, this.companies);
		this.lists = makeLists(prng, this.people);
		this.accounts = makeAccounts();
		this.#people = new Map(
			this.people.flatMap((person) => [
				[personKey(person.full, person.company.domain), person],
				[personKey(person.full, person.company.name), person],
			]),
		);
		this.#initial = {
			accounts: [...this.accounts],
			people: [...this.people],
			lists: this.lists.map((list) => ({
				list,
				leads: list.leads.map((lead) => ({ ...lead })),
			})),
		};
	}

	/** Accounts, people, lists and their leads are again what the seed made of them. */
	reset(): void {
		const { accounts, people, lists } = this.#initial;
		this.accounts.splice(0, Infinity, ...accounts);
		this.people.splice(0, Infinity, ...people);
		this.lists.splice(0, Infinity, ...lists.map(({ list }) => list));
		for (const { list, leads } of lists) {
			list.leads.splice(0, Infinity, ...leads.map((lead) => ({ ...lead })));
		}
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

	person(fullName: string, nameOrDomain: string): Person | undefined {
		return this.#people.get(personKey(fullName, nameOrDomain));
	}

	peopleOf(company: Company): Person[] {
		return this.people.filter((person) => person.company === company);
	}

	/** The finder's answer, null for a miss; the domain counts more than the company's name. */
	find(query: PersonQuery): Found | null {
		const { firstName, lastName, fullName, company, domain } = query;
		const name = firstName && lastName ? `${firstName} ${lastName}` : (fullName ?? '');
		const person = this.person(name, domain ?? company ?? '') ?? null;
		if (person?.email) {
			const status = expectedVerification(person.email).email_status;
			return { email: person.email, status, pattern: person.company.pattern, person };
		}
		const synthetic = expectedEmail(
			firstName ?? name,
			firstName ? (lastName ?? '') : '',
			domain ?? '',
		);
		return synthetic && { ...synthetic, pattern: '{first}.{last}', person: null };
	}
}

function personKey(fullName: string, nameOrDomain: string): string {
	return `${comparable(fullName)}\n${comparable(nameOrDomain)}`;
}

function makeCompanies(prng: Prng): Company[] {
	return prng.shuffle(companyNames).map((name, index) => ({
		id: 4_000 + index * 7,
		name,
		domain: `${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`,
		industry: prng.pick(industries),
		specialties: prng.shuffle(specialties).slice(0, 3),
		employees: prng.between(3, 20_000),
		founded: prng.between(1880, 2020),
		place: prng.pick(places),
		pattern: prng.pick(['{first}.{last}', '{last}.{first}', '{first}_{last}', '{first}{last}']),
	}));
}

/** No full name occurs twice, so that a keyword can single out a person. */
function makePeople(prng: Prng, companies: readonly Company[]): Person[] {
	const names = prng.shuffle(
		firstNames.flatMap((first) => lastNames.map((last) => ({ first, last }))),
	);
	return companies
		.flatMap((company, index) =>
			Array<Company>(index === 0 ? crowdedCompanySize : otherCompanySize).fill(company),
		)
		.flatMap((company, index) => {
			const name = names[index];
			return name ? [makePerson(prng, name, company)] : [];
		});
}

function makePerson(
	prng: Prng,
	{ first, last }: { first: string; last: string },
	company: Company,
): Person {
	const place = prng.pick(places);
	const localPart = company.pattern
		.replace('{first}', slug(first.replace(/\s/g, '')))
		.replace('{last}', slug(last.replace(/\s/g, '')));
	return {
		first,
		last,
		full: `${first} ${last}`,
		title: prng.pick(titles),
		location: `${place.city}, ${place.country}`,
		company,
		started: { month: prng.between(1, 12), year: prng.between(1995, 2025) },
		email: prng.chance(0.65) ? `${localPart}@${company.domain}` : null,
	};
}

function makeLists(prng: Prng, people: readonly Person[]): LeadList[] {
	const saved = prng.shuffle(people);
	return [
		{
			id: 101,
			name: 'Spring Campaign',
			createdAt: '2025-03-03T08:30:00.000Z',
			leads: makeLeads(prng, saved.slice(0, campaignSize), 50_000),
		},
		{
			id: 102,
			name: 'Trade Fair',
			createdAt: '2025-06-17T14:05:12.345Z',
			leads: makeLeads(prng, saved.slice(campaignSize, campaignSize + tradeFairSize), 90_000),
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

function makeAccounts(): Account[] {
	const common = { plan: 'Business', paid: true, renewsAt: Date.UTC(2030, 0, 15) };
	const quota = { email: 250_000, verifier: 250_000, search: 250_000 };
	return [
		{ key: 'test-key', name: 'Ada Lovelace', email: 'ada@engine.example', ...common, quota },
		{ key: 'second-key', name: 'Grace Hopper', email: 'grace@compiler.example', ...common, quota },
		{
			key: 'free-key',
			name: 'Charles Babbage',
			email: 'charles@engine.example',
			...common,
			plan: 'Free',
			paid: false,
			quota: { email: 0, verifier: 0, search: 0 },
		},
	];
}
