/** @file Whom to find: which of the names count, and what is said to be missing. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { existingEmail, personFields, toPersonQuestion } from '../../nodes/Finder/person.ts';

const NO_NAME = 'Full Name (or First Name and Last Name)';
const NO_COMPANY = 'Company Domain (or Company Name)';

describe('toPersonQuestion', () => {
	it.each([
		[
			'first and last name',
			{ firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com' },
			{ firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com' },
		],
		[
			'the full name',
			{ fullName: 'Ada Lovelace', firstName: '', lastName: '', domain: 'acme.com' },
			{ fullName: 'Ada Lovelace', domain: 'acme.com' },
		],
		[
			'first and last name before the full name',
			{ fullName: 'A. Lovelace', firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com' },
			{ firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com' },
		],
		[
			'the full name before a first name alone',
			{ fullName: 'Ada Lovelace', firstName: 'Ada', lastName: ' ', domain: 'acme.com' },
			{ fullName: 'Ada Lovelace', domain: 'acme.com' },
		],
		[
			'the full name before a last name alone',
			{ fullName: 'Ada Lovelace', firstName: '', lastName: 'Lovelace', domain: 'acme.com' },
			{ fullName: 'Ada Lovelace', domain: 'acme.com' },
		],
		[
			'the company where there is no domain',
			{ fullName: 'Ada Lovelace', domain: '', company: 'Acme Inc' },
			{ fullName: 'Ada Lovelace', company: 'Acme Inc' },
		],
		[
			'domain, company and country as given',
			{ fullName: 'Ada Lovelace', domain: 'acme.com', company: 'Acme Inc', country: 'UK' },
			{ fullName: 'Ada Lovelace', domain: 'acme.com', company: 'Acme Inc', country: 'UK' },
		],
		[
			'the host of a pasted URL, and trimmed texts',
			{ fullName: ' Ada Lovelace\n', domain: ' https://www.Acme.com/about ', company: ' Acme ' },
			{ fullName: 'Ada Lovelace', domain: 'acme.com', company: 'Acme' },
		],
		[
			'no value that is not text',
			{ fullName: 'Ada Lovelace', firstName: null, lastName: {}, domain: 'acme.com', country: [] },
			{ fullName: 'Ada Lovelace', domain: 'acme.com' },
		],
	])('takes %s', (_, fields, query) => {
		expect(toPersonQuestion(fields)).toStrictEqual({ query, missing: undefined });
	});

	it.each([
		['no name', { domain: 'acme.com' }, { domain: 'acme.com' }, [NO_NAME]],
		['no company', { fullName: 'Ada Lovelace' }, { fullName: 'Ada Lovelace' }, [NO_COMPANY]],
		[
			'a domain that is empty when cleaned',
			{ fullName: 'Ada Lovelace', domain: 'https://' },
			{ fullName: 'Ada Lovelace' },
			[NO_COMPANY],
		],
		['nothing at all', {}, {}, [NO_NAME, NO_COMPANY]],
		['only blanks', { fullName: ' ', domain: '\t' }, {}, [NO_NAME, NO_COMPANY]],
	])('names what is missing with %s', (_, fields, query, missing) => {
		expect(toPersonQuestion(fields)).toStrictEqual({ query, missing });
	});

	it.each([['firstName'], ['lastName']])('is not content with %s alone', (field) => {
		const { missing } = toPersonQuestion({ [field]: 'Ada', domain: 'acme.com' });
		expect(missing).toEqual([NO_NAME]);
	});

	it('asks for a person exactly when the service can look one up', () => {
		const text = fc.constantFrom('', ' ', 'Ada');
		const fields = fc.record({
			fullName: text,
			firstName: text,
			lastName: text,
			domain: fc.constantFrom('', 'https://', 'acme.com'),
			company: text,
			country: text,
		});
		fc.assert(
			fc.property(fields, (given) => {
				const { query, missing } = toPersonQuestion(given);
				const both = given.firstName === 'Ada' && given.lastName === 'Ada';
				const named = both || given.fullName === 'Ada';
				const employed = given.domain === 'acme.com' || given.company === 'Ada';
				expect(missing === undefined).toBe(named && employed);
				// One way to name the person, never both; and no empty parameters.
				expect('fullName' in query).toBe(!both && given.fullName === 'Ada');
				expect('firstName' in query && 'lastName' in query).toBe(both);
				expect(Object.values(query)).not.toContain('');
			}),
			{ numRuns: 300 },
		);
	});

	it('asks the same of texts that differ in nothing that counts', () => {
		const one = { fullName: 'Ada Lovelace', domain: 'acme.com', company: '', country: 'UK' };
		const other = { fullName: ' Ada Lovelace', domain: 'HTTPS://www.ACME.com/x', country: 'UK ' };
		// The key of a stored answer is made of the question, in the order of its fields.
		expect(JSON.stringify(toPersonQuestion(one).query)).toBe(
			JSON.stringify(toPersonQuestion(other).query),
		);
	});

	it('does not change what it was given', () => {
		const fields = Object.freeze({ fullName: ' Ada ', domain: 'HTTPS://ACME.COM' });
		toPersonQuestion(fields);
		expect(fields).toEqual({ fullName: ' Ada ', domain: 'HTTPS://ACME.COM' });
	});
});

describe('the fields of a person', () => {
	it('are plain texts, none required, each sent under its own name', () => {
		const texts = personFields.filter(
			({ type, name }) => type !== 'notice' && name !== 'existingEmail',
		);
		const forms = texts.map(({ name, type, default: byDefault, required, routing }) => ({
			name,
			type,
			byDefault,
			required,
			send: routing?.send,
		}));
		const names = ['fullName', 'firstName', 'lastName', 'domain', 'company'];
		expect(forms).toEqual(
			names.map((name) => ({
				name,
				type: 'string',
				byDefault: '',
				required: undefined,
				send: { type: 'query', property: name },
			})),
		);
	});
});

describe('an email that the item already has', () => {
	it.each([
		['ada@acme.com', 'ada@acme.com'],
		[' Ada@Acme.com\n', 'Ada@Acme.com'],
	])('is taken from %j, trimmed and as it came', (value, email) => {
		expect(existingEmail.read(value)).toEqual({ fields: { email } });
	});

	it.each([
		[''],
		[' '],
		['not found'],
		['ada.acme.com'],
		['ada@'],
		['a@acme.com, b@acme.com'],
		['ada\ud83d@acme.com'],
		[null],
		[undefined],
		[false],
		[5],
		[{ email: 'ada@acme.com' }],
		[['ada@acme.com']],
	])('is none in %j, which is looked up', (value) => {
		expect(existingEmail.read(value)).toBeUndefined();
	});

	it('is read from its parameter, which says nothing to the service', () => {
		expect(existingEmail.parameter).toBe('existingEmail');
		const field = personFields.find(({ name }) => name === 'existingEmail');
		expect(field).toMatchObject({ type: 'string', default: '' });
		expect(field).not.toHaveProperty('routing');
	});
});
