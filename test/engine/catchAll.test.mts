/** @file Verify Catch-All Domains Once: one answer for all emails of a domain that accepts every one, judged by the ledger. */

import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { expectedVerification } from '../emulator/addresses.mts';
import { known } from '../support/leads/expected.mts';
import {
	expectPaidOnce,
	numbers,
	requestsOf,
	runInLoop,
	runLookup,
	verify,
	verifyBulk,
} from '../support/leads/lookups.mts';
import { chain, emits, looksUp, outputOf, runOverWaits, waits } from '../support/node/chains.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

const domains = numbers(60).map((number) => `d${number}.catch.example`);
const isCatchAll = (domain: string) =>
	expectedVerification(`ada@${domain}`).email_status === 'catch-all';
const [open, other] = domains.filter(isCatchAll);
const [closed] = domains.filter((domain) => !isCatchAll(domain));
const emailsAt = (domain: string, many: number) =>
	numbers(many).map((number) => `p${number}@${domain}`);
const itemsOf = (emails: string[]) => emails.map((email) => ({ email }));
const charged = () => service().ledger.charges.map(({ subject }) => subject);

describe.each([verify, verifyBulk])('of $operation', (lookup) => {
	const once = { options: { catchAllOnce: true, maxConcurrency: 1 } };

	test('the first email of each domain is verified, then those of domains that are not catch-all', async () => {
		const emails = [open, closed, other].map((domain) => emailsAt(domain, 5));
		// In turn, and one twice.
		const all = [...numbers(5).flatMap((place) => emails.map((own) => own[place])), emails[0][3]];
		const { json, summary } = await runLookup(lookup, service(), itemsOf(all), once);
		const statusOf = (email: string) => expectedVerification(email).email_status;
		expect(json.map(({ emailStatus }) => emailStatus)).toEqual(all.map(statusOf));
		expect(json.every(({ status }) => status === 'verified')).toBe(true);
		const paid = [emails[0][0], emails[2][0], ...emails[1]];
		expect(charged().toSorted()).toEqual(paid.toSorted());
		expect(json.map(({ credits }) => credits)).toEqual(
			all.map((one) => Number(paid.includes(one))),
		);
		const byDomain = (email: string) => (paid.includes(email) ? null : 'catch_all_domain');
		expect(json.map(({ reason }) => reason)).toEqual(all.map(byDomain));
		expect(summary).toBe(
			'16 items: 16 verified. 7 credits used; for free: 9 at catch-all domains.',
		);
		// Two rounds, where one takes fifty.
		if (lookup.perRequest > 1) expect(requestsOf(service(), lookup.operation)).toHaveLength(2);
	});

	test('holds for the execution, not for another one, and not without the option', async () => {
		const emails = emailsAt(open, 4);
		const rounds = [emails.slice(0, 2), emails.slice(2)].map(itemsOf);
		await runInLoop(lookup, service(), rounds, once);
		expect(charged()).toEqual([emails[0]]);
		service().reset();
		forgetRecentAnswers();
		await runLookup(lookup, service(), itemsOf(emails));
		expectPaidOnce(service(), { subject: (number) => emails[number] }, numbers(4));
	});

	test('holds over a Wait, and gives the others the date of the answer', async () => {
		const emails = emailsAt(open, 4);
		const [first, second] = [emails.slice(0, 2), emails.slice(2)].map(itemsOf);
		const { options } = once;
		const begin = [emits('Start', first), looksUp('One', lookup, options), waits()];
		const nodes = [...begin, emits('More', second), looksUp('Other', lookup, options)];
		const runs = await runOverWaits(chain(nodes, credentialFor(service())));
		expect(charged()).toEqual([emails[0]]);
		const json = ['One', 'Other'].flatMap((name) => outputOf(known(runs.at(-1)), name));
		expect(json.map(({ checkedAt }) => checkedAt)).toEqual(Array(4).fill(json[0].checkedAt));
		expect(json[0].checkedAt).not.toBeNull();
	});

	test('a manual run pays for the same ones with each click', async () => {
		const emails = [...emailsAt(closed, 6), ...emailsAt(open, 1)];
		for (const _ of numbers(3)) {
			const parameters = { manualLimit: 3 };
			await runLookup(lookup, service(), itemsOf(emails), { ...once, mode: 'manual', parameters });
		}
		expect(charged()).toHaveLength(3);
	});

	test.each([{ status: 500 }, { status: 402 }])(
		'asks for the others where the first has no answer: %j',
		async (fault) => {
			service().faults.add({ ...fault, on: { nth: 1 } });
			const options = { ...once.options, maxRetries: 0 };
			const emails = emailsAt(open, 3);
			const { json } = await runLookup(lookup, service(), itemsOf(emails), {
				options,
				onError: 'continueRegularOutput',
			});
			const [first, ...others] = json;
			expect(first.emailStatus).toBe(null);
			const isOver = fault.status === 402;
			expect(others.map(({ status }) => status)).toEqual(
				others.map(() => (isOver ? 'not_processed' : 'verified')),
			);
			expect(charged()).toEqual(isOver ? [] : emails.slice(1));
		},
	);

	test('a later answer of its own takes the reason away', async () => {
		const { json } = await runLookup(lookup, service(), itemsOf(emailsAt(open, 2)), once);
		const second = known(json.at(1));
		expect(second.reason).toBe('catch_all_domain');
		const parameters = { existingStatus: '', includeInputFields: true };
		const again = await runLookup(lookup, service(), [second], { parameters });
		expect(again.json).toMatchObject([{ emailStatus: 'catch-all', credits: 1, reason: null }]);
	});
});
