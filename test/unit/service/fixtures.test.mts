import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { expectedEmail, expectedVerification, isCatchAll, slug } from '../../service/addresses.mts';
import { Fixtures } from '../../service/fixtures.mts';

const fixtures = new Fixtures();

describe('fixtures', () => {
	it('are the same for the same seed and others for another', () => {
		expect(JSON.stringify(new Fixtures(7))).toBe(JSON.stringify(new Fixtures(7)));
		expect(JSON.stringify(new Fixtures(7))).not.toBe(JSON.stringify(new Fixtures(8)));
	});

	it('have enough companies and people, of whom two thirds can be found', () => {
		const found = fixtures.people.filter(({ email }) => email !== null);
		expect(fixtures.companies.length).toBeGreaterThanOrEqual(40);
		expect(fixtures.people.length).toBeGreaterThanOrEqual(1_100);
		expect(found.length / fixtures.people.length).toBeCloseTo(0.65, 1);
	});

	it.each([1, 2, 3])('name nobody twice and give no address twice, with seed %i', (seed) => {
		const { people } = new Fixtures(seed);
		const emails = people.flatMap(({ email }) => (email === null ? [] : [email]));
		expect(new Set(people.map(({ full }) => full)).size).toBe(people.length);
		expect(new Set(emails).size).toBe(emails.length);
		expect(emails.filter((email) => !/^[a-z0-9._-]+@[a-z-]+\.example$/.test(email))).toEqual([]);
	});

	it('spell names in addresses so that they can be read', () => {
		expect(['Łukasz', 'Müller-Lüdenscheid', "O'Neil", 'ΓΙΏΡΓΟΣ', '王'].map(slug)).toEqual([
			'lukasz',
			'muller-ludenscheid',
			'oneil',
			slug('γιώργος'),
			expect.stringMatching(/^name\d{1,3}$/),
		]);
	});

	it('have addresses of every status and some catch-all companies', () => {
		const statuses = fixtures.people.flatMap(({ email }) =>
			email === null ? [] : [expectedVerification(email).email_status],
		);
		expect(new Set(statuses)).toEqual(new Set(['valid', 'catch-all', 'invalid', 'unknown']));
		const catchAll = fixtures.companies.filter(({ domain }) => isCatchAll(domain));
		expect(catchAll.length).toBeGreaterThan(1);
		expect(catchAll.length).toBeLessThan(fixtures.companies.length / 3);
	});

	it('save leads with rising ids, with and without an address', () => {
		const [campaign, fair] = fixtures.lists;
		expect(campaign?.leads.length).toBe(1_000);
		expect(fair?.leads.length).toBe(30);
		for (const { leads } of fixtures.lists) {
			const ids = leads.map(({ id }) => id);
			expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
		}
		const unsaved = campaign?.leads.filter(({ email }) => email === null) ?? [];
		expect(unsaved.length).toBeLessThan(1_000);
		expect(unsaved.some(({ person }) => person.email !== null)).toBe(true);
		expect(unsaved.some(({ person }) => person.email === null)).toBe(true);
	});

	it('find a person by either form of name and of company, whatever the case', () => {
		const person = fixtures.people.find(({ first, email }) => first === 'Zoë' && email !== null);
		expect(person).toBeDefined();
		if (!person) return;
		const { first, last, full, email, company } = person;
		for (const query of [
			{ firstName: first, lastName: last, domain: company.domain },
			{ firstName: first.toUpperCase(), lastName: last, company: company.name.toLowerCase() },
			{ fullName: `  ${full} `, domain: company.domain.toUpperCase() },
			{ fullName: full.normalize('NFD'), company: 'no such firm', domain: company.domain },
		]) {
			expect(fixtures.find(query)?.email).toBe(email);
		}
		expect(fixtures.find({ fullName: full, domain: 'elsewhere.example' })).toBeNull();
	});
});

describe('synthetic people', () => {
	it('are found seven times out of ten, always with the same address', () => {
		const answers = Array.from({ length: 2_000 }, (_, index) =>
			expectedEmail('Ann', `Lee${index}`, 'big.bulk.example'),
		);
		expect(answers.filter((answer) => answer !== null).length / answers.length).toBeCloseTo(0.7, 1);
		expect(answers.find((answer) => answer !== null)?.email).toMatch(
			/^ann\.lee\d+@big\.bulk\.example$/,
		);
		expect(expectedEmail('Ann', 'Lee1', 'big.example')).toBeNull();
	});

	it('get the same answer by one name or two, and the verifier agrees with the finder', () => {
		const name = fc.stringMatching(/^[A-Za-zéøß]{1,8}( [a-z]{1,5})?$/);
		fc.assert(
			fc.property(name, name, (firstName, lastName) => {
				const domain = 'any.bulk.example';
				const found = fixtures.find({ fullName: `${firstName} ${lastName}`, domain });
				const expected = expectedEmail(firstName, lastName, domain.toUpperCase());
				expect(found && { email: found.email, status: found.status }).toEqual(expected);
				if (expected) {
					expect(expectedVerification(expected.email).email_status).toBe(expected.status);
				}
			}),
			{ seed: 1 },
		);
	});
});

describe('verification', () => {
	it('tells formats and kinds of mailboxes apart', () => {
		expect(expectedVerification('no address')).toMatchObject({ format: 'invalid', domain: '' });
		expect(expectedVerification('a@throwaway.example').mailbox_type).toBe('temporary');
		expect(expectedVerification('a@freemail.example').mailbox_type).toBe('webmail');
		expect(expectedVerification('A@Big.example')).toMatchObject({
			domain: 'big.example',
			mailbox_type: 'professional',
			mailbox_exchange: 'mx1.big.example',
		});
	});
});
