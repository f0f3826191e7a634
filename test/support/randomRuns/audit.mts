/** @file What must hold after any run, whatever went wrong in it: judged by the ledger and the wire log. */

import type { IDataObject, INodeExecutionData, IRun, ITaskData } from 'n8n-workflow';
import { expect } from 'vitest';

import { expectedEmail, expectedVerification } from '../../emulator/addresses.mts';
import { isOfRows } from '../../emulator/faults.mts';
import type { PersonQuery } from '../../emulator/fixtures.mts';
import { creditKinds, kinds, type Charge, type CreditKind } from '../../emulator/ledger.mts';
import type { Service } from '../../emulator/service.mts';
import type { WireRequest } from '../../emulator/wireLog.mts';
import { known } from '../leads/expected.mts';
import { itemAfter } from '../leads/itemAfter.mts';
import { everyLookup, numbers, withJobs, type AnyLookup } from '../leads/lookups.mts';
import { isBlank, isProblem, picked } from '../leads/outcomes.mts';
import { GATEWAYS, type Plan, type Step } from './plan.mts';
import { isObject, KEYS, kindOf, nodesOf, type Executed, type Outcome } from './run.mts';

/** What the runs have met, to see that they meet what they are to. */
export type Seen = Record<string, number>;

/** An item that came out of a lookup. */
interface Item {
	step: Step;
	kind: CreditKind;
	/** Whether the lookup is the second run behind one that may have left a job pending. */
	isCollecting: boolean;
	isError: boolean;
	input: IDataObject;
	/** What the result was put into: the item, or only what was looked up. */
	before: IDataObject;
	json: IDataObject;
	/** What it says of the lookup, or what its error does: `status`, `reason`, `message`, `credits`, `jobId`, `jobRow`. */
	result: IDataObject;
}

/** An item before anybody looks at what it held. */
type Asked = Omit<Item, 'before' | 'result'>;

/** A charge, and what is known of its request. */
interface Payment extends Charge {
	/** The place of its request among all. */
	place: number;
	/** Whether the service let nobody know what it had charged. */
	isUnknown: boolean;
	/** What was paid for. */
	about: string;
	/** Whether the service has taken it as a job: the answer comes later. */
	isOfJob: boolean;
	/** Whether a gateway answered in place of the service, so that a bulk request may be sent once more. */
	isCut: boolean;
}

/** Judges a run; throws at the first thing that does not hold. */
export function audit(outcome: Outcome, service: Service, seen: Seen): void {
	const { plan, executions, keys } = outcome;
	expect(service.violations).toEqual([]);
	// What was sent late, by a run before this one, has the key of that one.
	const strangers = service.requests.filter(
		({ headers }) => !keys.includes(String(headers['x-access-key'])),
	);
	expect(strangers).toEqual([]);
	expectWithinBounds(outcome, service);
	expectFloorsKept(outcome, service);
	countRows(service, seen);
	const allPayments = service.ledger.charges.map((charge) => paymentOf(charge, service));
	for (const group of plan.executions.keys()) {
		const own = executions.filter((one) => one.group === group);
		const payments = allPayments.filter(({ subject }) => ownerOf(subject, service) === group);
		const all = own.map((executed) => itemsOf(executed, plan));
		const items = all.flat();
		for (const item of items) {
			expectOwnEmail(item, service);
			try {
				expectItem(item, service);
			} catch (error) {
				console.log('ITEM', JSON.stringify(item, null, 1));
				throw error;
			}
		}
		expectPaidOnce(payments, own, plan);
		expectDelivered(payments, items, own);
		own.forEach((executed, index) => {
			if (executed.isAlone) expectRemembered(payments, all[index], executed, keys, seen);
			if (own.every(({ isAlone }) => isAlone)) expectFailuresExplained(payments, own, index, plan);
		});
		expectCapsKept(payments, own, plan);
		expectCostsTold(payments, items, own, service);
		expectCostsInItems(payments, items, own);
		expect(JSON.stringify(own.map(({ attempts }) => attempts))).not.toContain(KEYS);
		count(payments, items, own, seen);
	}
}

function paymentOf(charge: Charge, { requests }: Service): Payment {
	const place = requests.findIndex(({ id }) => id === charge.requestId);
	const { faults, isLeft, status } = known(requests[place]);
	// Of a job, the service may leave a row out when it is read, or say that it is no more.
	const isOfJob = status === 202 && withJobs.some(({ endpoint }) => endpoint === charge.operation);
	const reads = requests.filter(isOfPoll);
	const isGivenUp = ({ status }: Faults[number]) => [404, 410].includes(status ?? 0);
	const isLost = reads.some((read) => read.faults.some((one) => leavesOut(one) || isGivenUp(one)));
	const isUnknown = isLeft || isUnclear(faults) || (isOfJob && isLost);
	const about = `${creditKinds[charge.operation]} ${lower(charge.subject)}`;
	return { ...charge, place, about, isUnknown, isOfJob, isCut: faults.some(isOfGateway) };
}

type Faults = WireRequest['faults'];

/** Whether a job may have what it looks up: its own, or that of a lookup for the same. */
function mayCollect({ credits }: AnyLookup): boolean {
	return withJobs.some((one) => one.credits === credits);
}

const isOfPoll = ({ operation }: WireRequest) => withJobs.some(({ job }) => job === operation);

/** After such a fault nobody knows what was charged. */
function isUnclear(faults: Faults): boolean {
	return faults.some(
		(fault) => 'reset' in fault || 'body' in fault || leavesOut(fault) || isOfGateway(fault),
	);
}

/** Whether the service says of each request, for credits of this kind if one is given, what it has cost. */
function isClear({ requests }: Service, kind?: CreditKind): boolean {
	const metered = Object.entries(creditKinds);
	const isMeant = ({ operation }: WireRequest) =>
		kind === undefined || metered.some(([name, own]) => name === operation && own === kind);
	return !requests.some((request) => isMeant(request) && isUnclear(request.faults));
}

function isOfGateway({ status = 0 }: Faults[number]): boolean {
	return GATEWAYS.includes(status);
}

const LOSING = ['missing', 'none', 'half', 'stranger', 'strangers', 'enveloped'];

/** Whether rows do not say, or not all of them, what was found for those who were asked for. */
function leavesOut({ rows = [], set }: Faults[number]): boolean {
	return [rows].flat().some((way) => LOSING.includes(way)) || set?.success === false;
}

/** The leads of all executions, by what the ledger calls them where that does not name them. */
const LEADS = new Map(
	everyLookup
		.filter(({ credits }) => !['email', 'verifier', 'search'].includes(credits))
		.flatMap(({ subject }) => numbers(3_000).map((number) => [subject(number), number] as const)),
);

/** Whose leads these are: each execution has leads, and companies, of its own. */
function ownerOf(subject: string, { fixtures }: Service): number {
	const [, lead = LEADS.get(subject)] = /ann(\d{5})/i.exec(subject) ?? [];
	if (lead !== undefined) return Math.floor(Number(lead) / 1_000);
	const company = fixtures.companies.findIndex(({ domain }) => domain === subject);
	if (company < 0) throw new Error(`Nobody has ${subject}`);
	return Math.floor(company / 10);
}

/** What came out of every run of every lookup, the waits and the attempts taken together. */
function itemsOf({ attempts }: Executed, plan: Plan): Item[] {
	const run = known(attempts.at(-1));
	const nodes = nodesOf(plan);
	return nodes.flatMap(({ step, name, isCollecting }) =>
		(run.data.resultData.runData[name] ?? []).flatMap((task) =>
			itemsOfRun(step, isCollecting, task, run),
		),
	);
}

/** Each item came out once, in order, linked to its own. */
function itemsOfRun(step: Step, isCollecting: boolean, task: ITaskData, run: IRun): Item[] {
	if (!task.data) return [];
	const inputs = inputsOf(task, run);
	const outputs = [0, 1].map((index) => task.data?.main[index] ?? []);
	const places = outputs.map((output) => output.map(placeOf));
	for (const one of places) expect(one).toEqual(one.toSorted((a, b) => a - b));
	expect(places.flat().toSorted((a, b) => a - b)).toEqual(inputs.map((_, place) => place));
	if (step.onError !== 'continueErrorOutput') expect(outputs[1]).toEqual([]);
	const kind = kindOf(step);
	return outputs.flatMap((output, index) =>
		output.map((one) => {
			const { json } = one;
			const [input, isError] = [inputs[placeOf(one)], index === 1];
			const item = { step, kind, isCollecting, isError, input, json } as const;
			const result = isError ? json.error : saidIn(json, step.lookup);
			if (!isObject(result)) throw new Error('An error is missing');
			return { ...item, result, before: heldBefore(item) };
		}),
	);
}

function placeOf({ pairedItem }: INodeExecutionData): number {
	if (typeof pairedItem === 'object' && 'item' in pairedItem) return pairedItem.item;
	throw new Error('An item without its link');
}

function inputsOf({ source }: ITaskData, run: IRun): IDataObject[] {
	const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = known(source[0]);
	const task = run.data.resultData.runData[previousNode]?.[previousNodeRun];
	return (task?.data?.main[previousNodeOutput] ?? []).map(({ json }) => json);
}

/** The name of the field in which a lookup says this: `lookupStatus`, `companyStatus`. */
function nameFor({ columns }: AnyLookup, what: string): string {
	return known(columns)[0].replace('Status', what);
}

/** Why an item has no result, and which bulk job has it, in the fields of a lookup. */
const WHY = ['Reason', 'Message'];
const JOB = ['JobId', 'JobRow'];

function namesFor(lookup: AnyLookup, ...all: string[][]): string[] {
	return all.flat().map((what) => nameFor(lookup, what));
}

/** What an item says of a lookup. */
function saidIn(fields: IDataObject, lookup: AnyLookup): IDataObject {
	const said = ['Status', 'Credits', ...WHY, ...JOB].map((what) => [
		`${what.charAt(0).toLowerCase()}${what.slice(1)}`,
		fields[nameFor(lookup, what)],
	]);
	return Object.fromEntries(said);
}

/** Whether it comes with what it had: also where the input is off, if it is passed on. */
function includesInput(item: Asked): boolean {
	return item.step.includeInputFields || passedOnAs(item) !== undefined;
}

function heldBefore(item: Asked): IDataObject {
	const { kind, input } = item;
	if (includesInput(item)) return input;
	if (kind !== 'verifier' || isBlank(input.email) || isMixed(input.email)) return {};
	return { email: String(input.email).trim() };
}

/** What was looked up, as an item without its input shows it. */
const ASKED = ['fullName', 'firstName', 'lastName', 'domain', 'company', 'email', 'keyword'];

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An item is as the docs say, by what the service knows of it. */
function expectItem(item: Item, service: Service): void {
	const { step, isError, input, before, json } = item;
	const { lookup } = step;
	if (isError) {
		expect(json.error).toMatchObject({ status: expect.any(String), reason: expect.any(String) });
		expect(json.message).toEqual(expect.any(String));
		return;
	}
	expectFields(item);
	const says = broughtBy(item) ?? saidOf(item, service);
	// It may have collected a job; of a single lookup, that of the other.
	const ofJob = [false, mayCollect(lookup)];
	const outcomes = ofJob.flatMap((isOfJob) =>
		costsOf(item, isOfJob).map((costs) => {
			return itemAfter(before, { lookup, says, costs, isOfJob }, input);
		}),
	);
	const told = comparable(item, json);
	const possible = outcomes.map((after) => comparable(item, after));
	// What it did cost is judged by all items of a lead.
	const isLikely = (after: IDataObject) =>
		namesFor(lookup, ['Credits'], JOB).every((name) => after[name] === told[name]);
	expect(told).toEqual(possible.find(isLikely) ?? possible[0]);
}

/** What a lookup may have cost by itself: the row of a job says it, what another execution pays for and what is passed on is free. */
function costsOf(item: Item, isOfJob: boolean): Array<number | null> {
	if (passedOnAs(item)) return [0];
	const { status } = item.result;
	return isOfJob && !lacksResult(item) ? (status === 'found' ? [1, 0] : [0]) : [0, 1, null];
}

/** An item, but for the spelling of its email, and for fields that are empty beside an item without a result. */
function comparable(item: Item, { email, ...fields }: IDataObject): IDataObject {
	const own = namesFor(item.step.lookup, WHY, JOB, ['Response']);
	const empty = [...own, 'mailboxType'].filter((name) => isBlank(fields[name]));
	const left = includesInput(item) ? empty : [...empty, ...ASKED];
	return { ...picked(fields, left, false), email: lower(email) };
}

/** The lookup has set its own fields, the first ones behind whom they are about. */
function expectFields(item: Item): void {
	const { lookup } = item.step;
	const { columns = [] } = lookup;
	// Names that look like whole numbers come first in any object.
	const names = Object.keys(item.json).filter((name) => name !== '0');
	const why = lacksResult(item) && !passedOnAs(item) ? namesFor(lookup, WHY) : [];
	expect(names).toEqual(expect.arrayContaining([...columns, ...why]));
	const ofEmail = ['email', 'emailStatus'].filter((name) => columns.includes(name));
	const first = [nameFor(lookup, 'Status'), ...ofEmail];
	const start = names.indexOf(first[0] ?? '');
	expect(names.slice(start, start + first.length)).toEqual(first);
	for (const name of names.slice(0, start))
		expect(name).toMatch(/name|domain|site|company|account|keyword/i);
}

/** No item has the email of another person, by what the ledger knows of each: else it came with it. */
function expectOwnEmail({ input, json }: Item, { ledger }: Service): void {
	const email = lower(json.email);
	if (email === '' || lower(input.email).includes(email)) return;
	const person = askedIn(input);
	if (person) expect([email, ledger.isOf(email, person)]).toEqual([email, true]);
}

/** How an item comes out that needs no lookup, as it has what is wanted already, or nothing to look up. */
function passedOnAs(item: Asked & { before?: IDataObject }): 'known' | 'skipped' | undefined {
	const { step, kind, input } = item;
	if (isUnwanted(item)) return 'skipped';
	const { email } = input;
	const checkedAt = String(input.checkedAt);
	const takesKnown = step.takesKnown && !checkedAt.startsWith('2020');
	const emailStatus = inOurWords(input.emailStatus);
	if (kind === 'email') {
		const isGood =
			step.keepEmailIf === 'valid' ? emailStatus === 'valid' : emailStatus !== 'invalid';
		const isKept = isGood || step.keepEmailIf === undefined;
		return takesKnown && isEmail(email) && isKept ? 'known' : undefined;
	}
	if (kind !== 'verifier') return undefined;
	// What a finder says of an email is no verification.
	const isVerified = ['', 'verified'].includes(String(input.lookupStatus ?? ''));
	const isKnown =
		emailStatus === 'unknown'
			? checkedAt.startsWith('20') && isVerified
			: emailStatus !== undefined;
	if (takesKnown && isKnown) return 'known';
	return isBlank(email) || isUnread(step, email) ? 'skipped' : undefined;
}

/** Whether it does not meet the condition of its node. */
function isUnwanted({ step, input }: Asked): boolean {
	return step.isConditional && !input.wanted;
}

/** What Lead Fields recognizes as an email has an `@`. */
function isUnread({ takesKnown }: Step, email: unknown): boolean {
	return takesKnown && !String(email).includes('@');
}

/** An email beside other text is not read. */
function isMixed(email: unknown): boolean {
	return /^\s*ann lee /i.test(String(email));
}

function isEmail(value: unknown): boolean {
	return /^[^\s,;]+@[^\s,;@]+$/.test(String(value ?? '').trim());
}

function inOurWords(status: unknown): string | undefined {
	const words: IDataObject = { OK: 'valid', nok: 'invalid' };
	const word = String(words[String(status)] ?? status);
	return ['valid', 'invalid', 'catch-all', 'unknown'].find((one) => one === word);
}

/** What an item says that is passed on. */
function broughtBy(item: Item): IDataObject | undefined {
	const { step, kind, input } = item;
	const status = passedOnAs(item);
	if (status === undefined) return undefined;
	const { lookup } = step;
	const said = { [nameFor(lookup, 'Status')]: status };
	if (isUnwanted(item)) return { ...said, [nameFor(lookup, 'Reason')]: 'condition' };
	const email = String(input.email || '');
	if (status === 'skipped' || kind === 'email') return { ...said, email };
	return { ...said, email, emailStatus: inOurWords(input.emailStatus) };
}

/** What the service says of an item, or the item where nothing was found out: then why. */
function saidOf(item: Item, service: Service): IDataObject {
	const { step, kind, input, json, result } = item;
	const { lookup } = step;
	const { columns = [] } = lookup;
	const { status } = result;
	const { email } = json;
	const statusName = nameFor(lookup, 'Status');
	if (lacksResult(item)) {
		expect(result.reason).toMatch(/^[a-z_]+$/);
		expect(result.message).toEqual(expect.any(String));
		const job = { jobId: expect.any(String), jobRow: expect.any(Number) };
		if (status === 'pending') expect(result).toMatchObject(job);
		return picked(json, namesFor(lookup, ['Status'], WHY, JOB));
	}
	const subject = subjectOf(item);
	const isOfEmail = columns.includes('email');
	const checkedAt = {
		[isOfEmail ? 'checkedAt' : nameFor(lookup, 'CheckedAt')]: expect.stringMatching(ISO),
	};
	if (status === 'not_found' || isMissBesideEmail(item)) {
		const miss = { [statusName]: 'not_found' };
		if (kind === 'email' && !wasToldNothing(service)) expect(subject).toBeUndefined();
		return isDue(item) ? miss : { ...miss, ...checkedAt };
	}
	expect(status).toBe(kind === 'verifier' ? 'verified' : 'found');
	if (kind === 'search') expect(json.companyData).toMatchObject({ domain: subject });
	else if (isOfEmail) expect(lower(email)).toBe(subject);
	else expect(Object.values(json).map(lower)).toContain(subject);
	// What can be no email is not sent.
	if (kind === 'verifier' && !isEmail(email)) {
		return { [statusName]: status, email, emailStatus: 'invalid' };
	}
	const response = { [nameFor(lookup, 'Response')]: step.simple ? null : expect.any(Object) };
	const said = { ...picked(json, columns), ...checkedAt, ...response };
	if (!isOfEmail) return said;
	const { email_status: verdict } = expectedVerification(lower(email));
	return { ...said, emailStatus: kind === 'email' ? personIn(input)?.status : verdict };
}

function lacksResult({ result }: Pick<Item, 'result'>): boolean {
	return isProblem({ lookupStatus: result.status });
}

/** Whether nobody was found for a lead that an earlier lookup has found: it keeps its status. */
function isMissBesideEmail(item: Item): boolean {
	const { kind, before, json } = item;
	if (kind !== 'email' || isBlank(before.email)) return false;
	const names = ['lookupStatus', 'email', 'checkedAt'];
	const isSame = names.every((name) => (before[name] ?? null) === (json[name] ?? null));
	const isReused = subjectOf(item) === lower(json.email) && ISO.test(String(json.checkedAt));
	return isSame && !isReused;
}

/** Whether it was looked up though the item has what is wanted: that is too old, and a miss is no check of it. */
function isDue({ step, kind, input }: Item): boolean {
	if (!step.takesKnown || Object.keys(step.lookup.existing).length === 0) return false;
	if (kind === 'email') return isEmail(input.email);
	return inOurWords(input.emailStatus) !== undefined;
}

/** Whether a lookup was answered as a miss is. */
function wasToldNothing({ requests }: Service): boolean {
	const faults = requests.flatMap((request) => request.faults);
	return faults.some(({ status, body }) => status === 404 || body === 'empty');
}

function lower(value: unknown): string {
	return String(value ?? '')
		.trim()
		.toLowerCase();
}

/** What the ledger calls the answer to an item, if it costs anything. */
function subjectOf({ step, kind, input }: Item): string | undefined {
	if (kind === 'email') return personIn(input)?.email.toLowerCase();
	const { firstName } = askedIn(input) ?? {};
	if (kind !== 'verifier' && kind !== 'search') {
		return step.lookup.subject(Number(firstName?.slice(3)))?.toLowerCase();
	}
	const value = kind === 'verifier' ? input.email : input.site;
	return isBlank(value) ? undefined : lower(value);
}

/** What a payment for it is about. */
const aboutOf = (item: Item) => `${item.kind} ${subjectOf(item)}`;

/** What the finder knows of the person that an item names. */
function personIn(item: IDataObject) {
	const { firstName, lastName, domain } = askedIn(item) ?? {};
	return firstName && lastName && domain ? expectedEmail(firstName, lastName, domain) : undefined;
}

/** The person that an item names, as the finder is asked. */
function askedIn({ firstName, lastName, domain }: IDataObject): PersonQuery | undefined {
	if (typeof firstName !== 'string' || typeof lastName !== 'string') return undefined;
	const host = lower(domain)
		.replace(/^https:\/\/www\./, '')
		.replace(/\/.*$/, '');
	return { firstName, lastName: lastName.trim(), domain: host };
}

/** The place of the first request that may be of an execution, and of the first that cannot be any more. */
function spanOf(own: Executed[], index: number): [from: number, to: number] {
	const startOf = (one?: Executed) => one?.begun[0]?.[0]?.requests;
	return [startOf(own[index]) ?? 0, startOf(own[index + 1]) ?? Infinity];
}

/**
 * What was answered properly, or waits for a job, is never bought again, whichever execution of the process asks. Where nobody knows, one run of a node repeats a single lookup once, and a bulk request
 * only behind a gateway; an execution asks three times at most
 * between two Waits.
 */
function expectPaidOnce(payments: Payment[], own: Executed[], { steps }: Plan): void {
	const nameOf = ({ account, about }: Payment) => `${account} ${about}`;
	const names = payments.filter(({ isUnknown }) => !isUnknown).map(nameOf);
	expect(names.filter((one, index) => names.indexOf(one) !== index)).toEqual([]);
	const attempts = own.flatMap(({ begun }) => begun);
	for (const { length } of Map.groupBy(payments, nameOf).values()) {
		expect(length).toBeLessThanOrEqual(3 * sum(own.map(({ stretches }) => stretches)));
	}
	if (own.some(({ isAlone }) => !isAlone)) return;
	if (steps.some(({ retryOnFail }) => retryOnFail)) return;
	const runs = attempts.flat().map(({ requests }) => requests);
	const paid = new Map<string, number>();
	const cut = new Set<string>();
	for (const { operation, account, about, place, isCut } of payments) {
		const run = runs.findLastIndex((requests) => requests <= place);
		const one = `${run} ${account} ${about}`;
		paid.set(one, (paid.get(one) ?? 0) + 1);
		const isOnce = operation.endsWith('Bulk') && !cut.has(one);
		expect(paid.get(one)).toBeLessThanOrEqual(isOnce ? 1 : 2);
		if (isCut) cut.add(one);
	}
}

/** The result itself, or the job that has it. */
function isDelivered({ result: { status, jobId } }: Item): boolean {
	return ['found', 'verified', 'pending'].includes(String(status)) || !isBlank(jobId);
}

const isAsked = (item: Item) => item.isError || !passedOnAs(item);

/** What was charged came out, or can be collected; or nobody knew that it was, and an item says that it failed. */
function expectDelivered(payments: Payment[], items: Item[], own: Executed[]): void {
	const asked = items.filter(isAsked);
	const delivered = new Set(asked.filter(isDelivered).map(aboutOf));
	const failed = new Set(asked.filter((item) => !isDelivered(item)).map(aboutOf));
	// Where n8n tries again, by itself or by its Retry button, only what became of the last try is seen.
	const isTriedAgain = own.some(({ attempts }) => attempts.length > 1);
	const triedAgain = isTriedAgain || items.some(({ step }) => step.retryOnFail);
	const lost = payments.filter(({ about, isUnknown }) => {
		const isExplained = isUnknown && (triedAgain || failed.has(about));
		return !delivered.has(about) && !isExplained;
	});
	// A node that stops gives nothing out: what it bought, in any attempt, is kept for a retry, and for the next execution.
	const stopped = own.map(({ attempts, begun }) => {
		const { status, data } = known(attempts.at(-1));
		const isLast = ({ node }: { node: string }) => node === data.resultData.lastNodeExecuted;
		return status === 'error' ? begun.flat().find(isLast)?.requests : undefined;
	});
	const from = Math.min(...stopped.map((place) => place ?? Infinity));
	expect(lost.filter(({ place }) => place < from)).toEqual([]);
}

/** What was answered before an execution, by whichever one, it has at once and for free, whatever ended that one. */
function expectRemembered(
	payments: Payment[],
	items: Item[],
	{ begun }: Executed,
	keys: string[],
	seen: Seen,
): void {
	const start = begun[0]?.[0]?.requests ?? 0;
	const answered = payments.filter(({ place, isUnknown }) => place < start && !isUnknown);
	const has = new Map(
		answered.map(({ account, about, isOfJob }) => [`${account} ${about}`, isOfJob]),
	);
	let remembered = 0;
	const forgotten = items.filter((item) => {
		const account = keys[Number(item.input.account ?? 0)];
		const { reason, status } = item.result;
		const isNotAsked = reason === 'manual_limit' || status === 'invalid_input';
		const isOfJob = has.get(`${account} ${aboutOf(item)}`);
		const isThere = isOfJob ? isDelivered(item) : ['found', 'verified'].includes(String(status));
		if (!isAsked(item) || isOfJob === undefined || isNotAsked) return false;
		if (isThere) remembered++;
		return !isThere;
	});
	expect(forgotten).toEqual([]);
	seen['answered before'] = (seen['answered before'] ?? 0) + remembered;
}

const endpointOf = ({ lookup }: Step) => lookup.endpoint;

function expectCapsKept(payments: Payment[], own: Executed[], plan: Plan): void {
	const steps = nodesOf(plan).map(({ step }) => step);
	const attempts = sum(own.map((one) => one.attempts.length));
	for (const operation of new Set(steps.map(endpointOf))) {
		const paid = payments.filter((payment) => payment.operation === operation);
		const caps = steps
			.filter((step) => endpointOf(step) === operation)
			.map(({ options }) => Number(options.maxCredits ?? Infinity));
		// A retry counts anew.
		expect(creditsOf(paid)).toBeLessThanOrEqual(sum(caps) * attempts);
	}
}

const sum = (figures: number[]) => figures.reduce((total, one) => total + one, 0);
const creditsOf = (payments: Payment[]) => sum(payments.map(({ credits }) => credits));

/** Leave Credits in Account leaves as much as it says; where nothing is unclear, an item is not sent only once no more is there. */
function expectFloorsKept({ plan, keys, executions }: Outcome, service: Service): void {
	const { creditsLeft, keepCredits, variants } = plan;
	if (creditsLeft === undefined || keepCredits === undefined) return;
	const most = Math.max(0, creditsLeft - keepCredits);
	// The short form of the account tells what is left for the finder only.
	const told = variants.accountShape === 'credits' ? kinds.slice(0, 1) : kinds;
	const spent = keys.flatMap((key) => told.map((kind) => service.ledger.spent(key, kind)));
	expect(Math.max(...spent)).toBeLessThanOrEqual(most);
	// What others reserve may turn out to be free, and a job counts as its most until it is collected.
	if (executions.length > 1 || told.length === 1) return;
	// What a stop cuts short was reserved, and may not have been charged.
	if (executions.some(({ isStopped }) => isStopped)) return;
	for (const item of executions.flatMap((one) => itemsOf(one, plan))) {
		const { step, kind, input, result } = item;
		// What is passed on says what an earlier lookup met.
		if (result.reason !== 'credit_floor' || passedOnAs(item)) continue;
		if (!isClear(service, kind)) continue;
		if (mayCollect(step.lookup) && variants.bulkAnswer === 'job') continue;
		expect(service.ledger.spent(known(keys[Number(input.account ?? 0)]), kind)).toBe(most);
	}
}

/** No more at once than is allowed, and nothing new once the execution is stopped. */
function expectWithinBounds({ plan, executions, keys }: Outcome, service: Service): void {
	// A connection that was reset ends a little later here than there.
	if (service.requests.some(({ status }) => status === null)) return;
	// The gate of an account lets so many out; Get Bulk Job and the account's reading bring the default along.
	const allowed = plan.steps.map(({ options }) => Number(options.maxConcurrency));
	const most = Math.max(...allowed, 5) * keys.length;
	expect(service.maxInFlight).toBeLessThanOrEqual(most);
	if (plan.stopAt === undefined || executions.length > 1) return;
	expect(service.requests.length - plan.stopAt).toBeLessThanOrEqual(most);
}

/** A workflow stops only where it is to, and then not if that would lose what it has bought. */
function expectFailuresExplained(
	payments: Payment[],
	own: Executed[],
	index: number,
	plan: Plan,
): void {
	const { attempts, begun } = own[index];
	const [, end] = spanOf(own, index);
	attempts.forEach((run, attempt) => {
		if (run.status !== 'error') return;
		const { error, lastNodeExecuted = '' } = run.data.resultData;
		expect(error?.message).toEqual(expect.any(String));
		const { step } = known(nodesOf(plan).find(({ name }) => name === lastNodeExecuted));
		expect(step.onError).toBe('stopWorkflow');
		if (step.options.incompleteRun === 'fail') return;
		const from = begun[attempt][0]?.requests ?? 0;
		const to = begun[attempt + 1]?.[0]?.requests ?? end;
		const proper = payments.filter(
			({ place, isUnknown }) => place >= from && place < to && !isUnknown,
		);
		expect(proper).toEqual([]);
	});
}

/** Whether it is no item of a bulk job that may go on. */
function isSettled({ step, isCollecting, isError, result }: Item): boolean {
	// A job that is pending is no failure.
	if (isError) expect(result.status).not.toBe('pending');
	if (result.status !== 'pending') return true;
	// Without its input, an item does not say whose account it belongs to.
	return step.collected !== 'not' && !isCollecting && step.includeInputFields;
}

/** What an execution tells that it has cost holds what it did; where nothing is unclear, it is just that. */
function expectCostsTold(
	payments: Payment[],
	items: Item[],
	own: Executed[],
	service: Service,
): void {
	if (own.some(({ isStopped }) => isStopped)) return;
	const attempts = own.flatMap((one) => one.attempts);
	const told = attempts.map(({ data }) => {
		const text = data.resultData.metadata?.contact_data_credits ?? '0 credits spent';
		const [, low, high = low] = /^(\d+)(?: to (\d+))? credits? spent/.exec(text) ?? [];
		return [Number(low), Number(high)];
	});
	const [low, high] = [0, 1].map((index) => sum(told.map((range) => range[index])));
	const total = creditsOf(payments);
	// Of two at once, the one may collect the job that the other has begun.
	const isWhole =
		attempts.every(({ status }) => status === 'success') && own.every(({ isAlone }) => isAlone);
	if (isWhole && isClear(service) && items.every(isSettled)) {
		expect([low, high]).toEqual([total, total]);
	}
	expect(low).toBeLessThanOrEqual(total);
	expect(high).toBeGreaterThanOrEqual(total);
}

/** What the items of a lead say that it has cost was charged; and is all that was, where it is known and came out. */
function expectCostsInItems(payments: Payment[], items: Item[], own: Executed[]): void {
	const inItems = items.filter(({ isError }) => !isError);
	const charged = new Map<string, number>();
	const add = (about: string, credits: number) =>
		charged.set(about, (charged.get(about) ?? 0) + credits);
	for (const { about, credits } of payments) add(about, credits);
	const unknown = new Set(payments.filter(({ isUnknown }) => isUnknown).map(({ about }) => about));
	for (const item of inItems) {
		const { step, input, result } = item;
		const was = Number(saidIn(input, step.lookup).credits ?? 0);
		if (result.credits === null) unknown.add(aboutOf(item));
		else add(aboutOf(item), was - Number(result.credits));
	}
	const isHidden = items.some(({ step }) => step.retryOnFail);
	const runs = own.flatMap(({ attempts }) => attempts);
	const isWhole = !isHidden && runs.every(({ status }) => status !== 'error');
	for (const [about, rest] of charged) {
		expect(rest).toBeGreaterThanOrEqual(0);
		if (isWhole && !unknown.has(about)) expect(rest).toBe(0);
	}
}

/** How often rows were changed, to see that it is a third of the responses with rows. */
function countRows({ requests }: Service, seen: Seen): void {
	const add = (what: string, { length }: unknown[]) => (seen[what] = (seen[what] ?? 0) + length);
	const ofRows = requests.filter(
		({ operation, status }) => status === 200 && operation?.includes('Bulk'),
	);
	add('responses with rows', ofRows);
	const isChanged = ({ faults }: WireRequest) => faults.some(isOfRows);
	add('of them with other rows', ofRows.filter(isChanged));
}

function count(payments: Payment[], items: Item[], own: Executed[], seen: Seen): void {
	const many = (field: 'status' | 'reason', value: string) =>
		items.filter(({ isError, result }) => !isError && result[field] === value).length;
	const attempts = sum(own.map((one) => one.attempts.length));
	const lastOf = ({ attempts: all }: Executed) => all.at(-1)?.status;
	const met: Seen = {
		items: items.length,
		executions: own.length,
		charges: payments.length,
		'of them unclear': payments.filter(({ isUnknown }) => isUnknown).length,
		'executions stopped': own.filter(({ isStopped }) => isStopped).length,
		'executions failed': own.filter((one) => lastOf(one) === 'error').length,
		'presses of Retry': attempts - own.length,
		'items pending': many('status', 'pending'),
		'rows collected': items.filter(
			({ step, before, result }) =>
				mayCollect(step.lookup) && before.lookupStatus === 'pending' && result.status === 'found',
		).length,
		'out of time': many('reason', 'run_time_over'),
		'at a cap': many('reason', 'credit_limit'),
		'at a floor': many('reason', 'credit_floor'),
		known: many('status', 'known'),
		unwanted: many('reason', 'condition'),
	};
	for (const [what, times] of Object.entries(met)) seen[what] = (seen[what] ?? 0) + times;
}
