/** @file One vocabulary: in whatever form the interface exists, an operation gives the same items for the same credits. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../../nodes/shared/execution/recent.ts';
import { mainVariants, type Variants } from '../../emulator/variants.mts';
import { isRecord } from '../../emulator/values.mts';
import type { WireRequest } from '../../emulator/wireLog.mts';
import { deviations, emulatorForms, settingsFor } from '../../support/servers/emulatorForms.mts';
import { runNode } from '../../support/node/engine.mts';
import { ofItems, operations, readsJob, type Sample } from '../../operations.mts';
import { unfindable } from '../../support/leads/expected.mts';
import { ofEachStatus, valid } from '../../support/node/operationCases.mts';
import { ask, objectOf } from '../../support/node/operationRow.mts';
import { timeless } from '../../support/leads/outcomes.mts';
import { useQuickClock } from '../../support/node/quickClock.mts';
import { credentialFor, useService } from '../../support/servers/service.mts';

const service = useService();
// Jobs are read again after a while.
useQuickClock(1_000);

/** An email of each status, a miss, and a person whose company is known by its name. */
const people: IDataObject[] = [...ofEachStatus, unfindable].map(({ full, email, company }) => ({
	...{ fullName: full, email, domain: company.domain },
}));
people.push({ fullName: valid.full, company: valid.company.name });

/** An operation, and where its answer comes from. */
type Subject = Sample & { title: string; isOfJob?: boolean };

const subjects = operations
	// What Check API says of a form is its result.
	.filter(({ operation }) => operation !== 'check')
	.flatMap((sample): Subject[] => {
		const subject = { ...sample, title: `${sample.node} ${sample.operation}` };
		const ofJob = { ...subject, title: `${subject.title}, of a job`, isOfJob: true };
		if (readsJob(sample)) return [ofJob];
		return sample.job ? [subject, ofJob] : [subject];
	});

/** Fields that some forms cannot fill, by the operation; without fields, the table of the operation says what is there. */
const differences: Array<[variant: keyof Variants, operation: string, fields?: string[]]> = [
	['accountShape', 'contactDataAccount get'],
	['creditCounters', 'contactDataAccount get'],
	['creditCounters', 'contactDataVerifier estimate', ['creditsRemaining', 'enough']],
	['listEmailCount', 'contactDataList get'],
	['leadJob', 'contactDataList getLeads'],
	['listIndex', 'contactDataList getAll', ['leadCount']],
	['listIndexShape', 'contactDataList getAll'],
	['listShape', 'contactDataList get', ['createdAt']],
	['verifyEnrich', 'contactDataVerifier verify', ['personData']],
];

/** The items of the main form as another form gives them, if that can be said of them. */
function asIn(form: Variants, { title }: Subject, items: IDataObject[]): IDataObject[] | undefined {
	const main = mainVariants();
	const own = differences.filter(
		([name, operation]) => operation === title && String(form[name]) !== String(main[name]),
	);
	if (own.some(([, , fields]) => !fields)) return undefined;
	const isAbsent = (field: string) => own.some(([, , fields]) => fields?.includes(field));
	const text = JSON.stringify(items, (field, value: unknown) => (isAbsent(field) ? null : value));
	return JSON.parse(text);
}

/** What an operation gives in a form of the service, what it costs, and by which requests. */
async function run(subject: Subject, form: Variants, simple = true) {
	service().reset();
	forgetRecentAnswers();
	Object.assign(service().variants, form, subject.isOfJob && { bulkAnswer: 'job' });
	const { node } = subject;
	const isJob = readsJob(subject);
	const { options, ...parameters } = ofItems(subject);
	const credential = credentialFor(service(), settingsFor(form));
	const items = subject.isLookup || isJob ? people : people.slice(0, 1);
	const test = { node, parameters: { ...parameters, simple, options }, items, credential };
	if (isJob) {
		const sending = { operation: 'findBulk', existingEmail: '', options: { jobTimeout: 0 } };
		const { json } = await runNode({ ...test, parameters: sending });
		// The people whom the job shows already are delivered.
		test.items = json.filter(({ lookupStatus }) => lookupStatus === 'pending').slice(-1);
		expect(test.items).toHaveLength(1);
		service().variants.jobPolls = 0;
	}
	const { json, error } = await runNode(test);
	expect(error).toBeUndefined();
	return {
		items: timeless(json),
		spent: service().ledger.total(),
		requests: [...service().requests],
	};
}

const inMainForm = new Map<string, ReturnType<typeof run>>();

/** What an operation gives in the main form. */
async function mainOf(subject: Subject) {
	const known = inMainForm.get(subject.title) ?? run(subject, mainVariants());
	inMainForm.set(subject.title, known);
	return await known;
}

test.each(deviations.filter(({ name }) => name !== 'jobOutcome'))(
	'$name $value: every operation gives the same, for the same credits',
	async ({ form }) => {
		for (const subject of subjects) {
			const main = await mainOf(subject);
			const expected = asIn(form, subject, main.items);
			if (!expected) continue;
			const { items, spent } = await run(subject, form);
			expect(items, subject.title).toEqual(expected);
			expect(spent, subject.title).toBe(main.spent);
			expect(service().violations).toEqual([]);
		}
	},
);

/** The objects that the service answers to the same request, as they come over the wire. */
async function objectsFor({ path, rawQuery, body }: WireRequest): Promise<unknown[]> {
	const answer = await ask(service(), `${path}?${rawQuery}`, body);
	const lists = [answer, ...Object.values(Object(answer))].filter((one) => Array.isArray(one));
	return [answer, ...lists.flat()];
}

const withSimplify = subjects.filter(
	({ fields, operation }) =>
		operation !== 'estimate' && Object.keys(fields).some((name) => name.endsWith('.simple')),
);

describe.each(emulatorForms.map((form, index) => ({ form, index })))(
	"Simplify off gives the service's own object, in form $index",
	({ form }) => {
		test.each(withSimplify)('$title', async (subject) => {
			const isRead = !subject.isLookup;
			const simplified = (await run(subject, form)).items;
			const { items, requests } = await run(subject, form, false);
			const objects = (await Promise.all(requests.map(objectsFor))).flat();
			expect(items).toHaveLength(simplified.length);
			expect(items).not.toEqual([]);
			const bare = items.map((json) => {
				if (isRead) return expect(objects).toContainEqual(json);
				const { lookupResponse, companyResponse: response = lookupResponse, ...own } = json;
				const { lookupStatus, companyStatus: status = lookupStatus } = own;
				const isFound = status === 'found' || status === 'verified';
				if (isFound) {
					expect(objects).toContainEqual(response);
					const isOf = (value: unknown) =>
						Object.values(objectOf(response)).some((one) => one === value);
					const [, ...names] = subject.columns ?? [];
					const values = names
						.map((name) => own[name])
						.flatMap((value) => (isRecord(value) ? Object.values(value) : value));
					expect(values.filter(isOf)).not.toEqual([]);
				} else expect(response ?? null).toBeNull();
				return own;
			});
			if (isRead) return;
			expect(bare).toEqual(simplified);
			expect(JSON.stringify(items)).toContain('Response":');
		});
	},
);
