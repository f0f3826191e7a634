/** @file Each row of a bulk request finds its person again; a job goes on, is done, or has failed. */

import { isDeepStrictEqual } from 'node:util';

import { describe, expect, it } from 'vitest';

import { rowsOf } from '../../nodes/shared/api/bulkFinder.ts';
import type { Person } from '../../nodes/shared/api/finder.ts';
import { jobIn } from '../../nodes/shared/api/bulkJob.ts';
import { thrownBy } from './thrown.mts';
import { problemOf, shown } from '../../nodes/shared/failures/failure.ts';

const [one, two] = [
	{ tId: 1, email: 'ada@acme.com' },
	{ tId: 2, email: null },
];
const both = [one, two];

describe('whose a row is', () => {
	const [ada, ida] = [
		{ firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com' },
		{ fullName: 'Ida Rhodes', company: 'Acme' },
	];
	const row = (name: string, more: object) => ({ name, email: 'x@acme.com', ...more });

	it.each<[what: string, rows: object[], owners: string, asked?: Person[]]>([
		// Whoever is named has it, though another row with that number comes first.
		[
			'one of them respelt',
			[row('Adele L.', { tId: 2, domain: 'acme' }), row('Ida Rhodes', { tId: 1 })],
			'-1',
		],
		[
			'one word of the name, and a domain that nobody asked for',
			[row('Ada King', { tId: 1 }), row('Eve', { tId: 2, domain: 'else.com' })],
			'01',
		],
		['of one at another domain', [row('Eve', { tId: 1, domain: 'else.com' })], '--'],
		['in other letters there', [row('Ада', { tId: 1, domain: 'else.com' })], '0-'],
		['below the domain', [row('Ada Lovelace', { tId: 2, domain: 'eu.acme.com' })], '0-'],
		['at www.', [row('Eve', { tId: 1, domain: 'www.acme.com' })], '0-'],
		['in other letters', [row('Ада', { tId: 1 }), row('Ида', { tId: 2, company: 'Акме' })], '01'],
		['two words of another name there', [row('Ida B. Rhodes', { tId: 1, company: 'ACME' })], '-0'],
		['two words of another name', [row('Ida B. Rhodes', { tId: 1 })], '0-'],
		['another name', [row('Ida Rhodes', { tId: 1 })], '-0'],
		['one word of another name', [row('Ida Lee', { tId: 1, company: 'Acme' })], '0-'],
		[
			'a particle of another name',
			[row('Eve de la Cruz', { tId: 1, company: 'Rio' })],
			'0-',
			[
				{ fullName: 'Ada Lovelace', company: 'Rio' },
				{ fullName: 'Ida de la Rosa', company: 'Rio' },
			],
		],
		['silent, without numbers, one too few', [{ email: 1 }], '--'],
		[
			'twice',
			[
				{ ...ada, tId: 1 },
				{ ...ada, tId: 1 },
			],
			'0-',
		],
	])('%s', (_, rows, owners, asked = [ada, ida]) => {
		const found = rowsOf(
			rows.map((one) => ({ ...one })),
			asked,
		);
		const places = found.map((one) =>
			one ? rows.findIndex((sent) => isDeepStrictEqual(sent, one)) : '-',
		);
		expect(places.join('')).toBe(owners);
	});
});

describe('whose a row is among people who are alike', () => {
	const [ana, juan] = ['Ana', 'Juan'].map((first) => ({
		...{ firstName: first, lastName: 'García López', company: 'Acme' },
	}));
	const john = { fullName: 'John Smith', domain: 'acme.de' };

	it.each<[what: string, rows: object[], asked: Array<object | undefined>, owners: string]>([
		['of one who has hers already', [{ ...ana, tId: 1 }], [undefined, juan], '0-'],
		[
			'of a namesake with another site',
			[{ name: 'John Smith', domain: 'acme.com', tId: 1 }],
			[john, { fullName: 'John Smith', company: 'Globex' }],
			'0-',
		],
		[
			'of one letter, at another site',
			[{ name: '王伟', domain: 'b.cn', tId: 1 }],
			[{ fullName: '王 伟', domain: 'a.cn' }],
			'0',
		],
		[
			'with umlauts spelt out, at another site',
			[{ name: 'Joerg Mueller', domain: 'b.de', tId: 1 }],
			[{ fullName: 'Jörg Müller', domain: 'a.de' }],
			'0',
		],
		[
			'with an entity, at another site',
			[{ name: 'O&#39;Neill', domain: 'b.de', tId: 1 }],
			[{ fullName: "O'Neill", domain: 'a.de' }],
			'0',
		],
		[
			'of the shorter name',
			[
				{ name: 'Juan García', company: 'Acme', tId: 1 },
				{ name: 'Juan García', company: 'Acme', tId: 2 },
			],
			[juan, { fullName: 'Juan García', company: 'Acme' }],
			'01',
		],
		[
			'of one person under two names of the company',
			[
				{ name: 'Ana García López', company: 'Acme GmbH', domain: 'acme.de', tId: 1 },
				{ name: 'Ana García López', company: 'Acme GmbH', domain: 'acme.de', tId: 2 },
			],
			[{ ...ana, company: 'Acme GmbH' }, ana],
			'01',
		],
	])('%s', (_, rows, asked, owners) => {
		const found = rowsOf(
			rows.map((one) => ({ ...one })),
			asked,
		);
		expect(found.map((one) => (one ? Number(Object(one).tId) - 1 : '-')).join('')).toBe(owners);
	});
});

it('takes of a row that comes twice the one with the email', () => {
	const asked = { firstName: 'Ana', lastName: 'García', company: 'Acme' };
	const row = { ...asked, tId: 1 };
	const withEmail = { ...row, email: 'ana@acme.example' };
	expect(rowsOf([{ ...row, email: null }, withEmail], [asked])).toEqual([withEmail]);
});

it('takes no row that names nobody for the person of a number that may be of another job', () => {
	const row = { tId: 1, email: 'ana@acme.example' };
	const asked = { firstName: 'Ana', lastName: 'García', company: 'Acme' };
	expect(rowsOf([row], [asked])).toEqual([row]);
	expect(rowsOf([row], [asked], true)).toEqual([undefined]);
});

/** What each status makes of a job: it goes on, is done, is neither for sure, or has failed. */
const statuses = {
	on: 'processing PROCESSING queued in_progress In-Progress pending scheduled',
	done: 'done Completed complete FINISHED processed Succeeded success READY completed_with_errors',
	open: 'odd closed Processing-complete partially_completed not-ready incomplete already-started',
	failed:
		'failed FAILURE error cancelled canceled rejected expired aborted stopped timed_out terminated',
};

const inWords = (words: string) => words.split(' ').map((word) => word.replace('-', ' '));

describe('jobIn', () => {
	const keys = 'results people data rows items records output'.split(' ');

	it.each(keys)('takes all rows at once for done: %s', (key) => {
		for (const answer of [both, { [key]: both }]) {
			const whole = { jobId: undefined, rows: both, isDone: true };
			expect(jobIn(answer, 2)).toEqual(whole);
			expect(jobIn(answer)).toEqual(whole);
		}
	});

	it.each([
		...inWords(statuses.on).map((status) => [status, false] as const),
		...inWords(statuses.done).map((status) => [status, true] as const),
	])('goes by the status %j, whatever rows the job shows: %s', (status, isDone) => {
		for (const results of [undefined, [], [one], both]) {
			const job = jobIn({ id: 12, status, results }, 2);
			// Done before all rows are there, it is asked again for a while.
			const isWhole = results?.length === 2;
			const settlesAfter = isDone ? 10_000 : undefined;
			expect([job.jobId, job.isDone, job.settlesAfter]).toEqual([
				'12',
				isDone && isWhole,
				settlesAfter,
			]);
		}
	});

	it.each(inWords(statuses.open))('may be done where it says %j', (status) => {
		const isLikelyDone = (results: object[], people?: number) => {
			const job = jobIn({ id: 12, status, results }, people);
			expect(job.isDone).toBe(false);
			return job.settlesAfter === 60_000;
		};
		expect(isLikelyDone(both, 2)).toBe(true);
		expect(isLikelyDone(both, 3)).toBe(false);
		// Rows may be there before anybody was looked for, and nobody may know how many there are.
		expect(isLikelyDone([two, { tId: 1 }], 2)).toBe(false);
		expect(isLikelyDone([one])).toBe(false);
	});

	it.each<[object, number | undefined, boolean]>([
		[{ id: 12, rows: [one, { tId: 7 }, two, one] }, 2, true],
		[{ id: 12, results: [one] }, undefined, true],
		[{ id: 12, total: 2 }, 2, false],
		[{ id: 12, results: [] }, undefined, false],
		// One that is there twice, or that nobody asked for, stands for no other.
		[{ id: 12, results: [one, { tId: 7 }] }, 2, false],
		[{ id: 12, total: Number.MAX_VALUE, results: [one] }, undefined, false],
	])('goes by the rows without a status: %j, %j, %j', (answer, people, isDone) => {
		expect(jobIn(answer, people).isDone).toBe(isDone);
	});

	it.each(inWords(statuses.failed))('takes of a job that says %j only who was found', (status) => {
		const job = { jobId: '12', rows: [one], isDone: true, failure: expect.any(Error) };
		expect(jobIn({ id: 12, status, results: both }, 2)).toEqual(job);
		const failed = thrownBy(() => jobIn({ id: 12, status, results: [two] }, 2));
		expect(problemOf(failed)).toMatchObject({
			status: 'failed',
			reason: 'job_failed',
			message: `The bulk job 12 ended with the status "${status}"`,
		});
		// There is nothing to collect.
		expect(shown(problemOf(failed))).not.toHaveProperty('jobId');
	});

	const none = [
		{},
		{ message: 'ok' },
		{ status: 'error', message: 'ok' },
		{ status: 402 },
		{ results: ['ada@acme.com'] },
		{ data: [1, 2] },
		[1, 2],
	];

	it.each(none)('does not take %j for an answer', (answer) => {
		const told = { reason: 'unexpected_answer', mayBeCharged: true };
		expect(problemOf(thrownBy(() => jobIn(answer, 2)))).toMatchObject(told);
	});
});
