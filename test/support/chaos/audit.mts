/** @file What must hold after any run, whatever went wrong in it: judged by the ledger and the wire log. */

import type { IDataObject, INodeExecutionData, IRun, ITaskData } from 'n8n-workflow';
import { expect } from 'vitest';

import { expectedEmail, expectedVerification } from '../../service/addresses.mts';
import { creditKinds, type Charge } from '../../service/ledger.mts';
import type { Service } from '../../service/service.mts';
import type { WireRequest } from '../../service/wireLog.mts';
import { STATUSES } from '../outcomes.mts';
import type { Plan, Step } from './plan.mts';
import { isFinder, isVerifier, KEYS, nameOf, type Executed, type Outcome } from './run.mts';

/** What the runs have met, to see that they meet what they are to. */
export interface Seen {
	items: number;
	charges: number;
	'of them unclear': number;
	'executions stopped': number;
	'executions failed': number;
	'presses of Retry': number;
	'items pending': number;
	'at a cap': number;
	'at a floor': number;
	known: number;
}

/** One time that a lookup ran: what went in, and what came out. */
interface Round {
	step: Step;
	inputs: IDataObject[];
	output: INodeExecutionData[];
	errors: INodeExecutionData[];
}

/** Judges a run; throws at the first thing that does not hold. */
export function audit(outcome: Outcome, service: Service, seen: Seen): void {
	const { plan, executions, keys } = outcome;
	expect(service.violations).toEqual([]);
	// What was sent late, by a run before this one, has the key of that one.
	const strangers = service.requests.filter(({ headers }) => !keys.includes(keyIn(headers)));
	expect(strangers).toEqual([]);
	expectWithinBounds(outcome, service);
	expectFloorsKept(outcome, service);
	executions.forEach((executed, index) => {
		const charges = service.ledger.charges.filter(
			({ subject }) => ownerOf(subject, service) === index,
		);
		const rounds = roundsOf(executed, plan);
		for (const round of rounds) expectRound(round, service);
		expectPaidOnce(charges, service);
		expectDelivered(charges, rounds, executed, service);
		expectCapsKept(charges, executed, plan);
		expectFailuresExplained(charges, executed, plan, service);
		expectCostsTold(charges, executed);
		expectItemCosts(charges, rounds, executed, service);
		expect(JSON.stringify(executed.attempts)).not.toContain(KEYS);
		count(rounds, charges, executed, service, seen);
	});
}

function keyIn(headers: WireRequest['headers']): string {
	return String(headers['x-access-key']);
}

/** Whose leads these are: each execution has leads, and companies, of its own. */
function ownerOf(subject: string, { fixtures }: Service): number {
	const [, lead] = /ann(\d{5})/i.exec(subject) ?? [];
	if (lead !== undefined) return Math.floor(Number(lead) / 1_000);
	const company = fixtures.companies.findIndex(({ domain }) => domain === subject);
	if (company < 0) throw new Error(`Nobody has ${subject}`);
	return Math.floor(company / 10);
}

/** Every run of every lookup that gave something out, the waits and the attempts taken together. */
function roundsOf({ attempts }: Executed, { steps }: Plan): Round[] {
	const run = attempts[attempts.length - 1];
	return steps.flatMap((step, index) =>
		(run.data.resultData.runData[nameOf(index)] ?? [])
			.filter(({ data }) => data)
			.map((task) => ({
				step,
				inputs: inputsOf(task, run),
				output: task.data?.main[0] ?? [],
				errors: task.data?.main[1] ?? [],
			})),
	);
}

function inputsOf({ source }: ITaskData, run: IRun): IDataObject[] {
	const [from] = source;
	if (!from) throw new Error('A lookup has a node before it');
	const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = from;
	const task = run.data.resultData.runData[previousNode]?.[previousNodeRun];
	return (task?.data?.main[previousNodeOutput] ?? []).map(({ json }) => json);
}

/** Where an item tells what came of the lookup. */
function resultIn({ options }: Step, json: IDataObject): IDataObject {
	const { result } = json;
	if (options.resultField === undefined) return json;
	if (typeof result !== 'object' || result === null) throw new Error('A result is missing');
	return JSON.parse(JSON.stringify(result));
}

/** Each item came out once, in order, linked to its own, with a status that fits what it asks. */
function expectRound(round: Round, service: Service): void {
	const { step, inputs, output, errors } = round;
	const links = (items: INodeExecutionData[]) => items.map(({ pairedItem }) => itemOf(pairedItem));
	for (const items of [output, errors]) {
		expect(links(items)).toEqual(links(items).toSorted((one, other) => one - other));
	}
	const all = [...links(output), ...links(errors)].toSorted((one, other) => one - other);
	expect(all).toEqual(inputs.map((_, item) => item));
	if (step.onError !== 'continueErrorOutput') expect(errors).toEqual([]);
	for (const item of output)
		expectAnswer(step, inputs[itemOf(item.pairedItem)], item.json, service);
	for (const { json } of errors) {
		expect(json.error).toMatchObject({ status: expect.any(String), reason: expect.any(String) });
		expect(json.message).toEqual(expect.any(String));
	}
}

function itemOf(link: INodeExecutionData['pairedItem']): number {
	if (typeof link === 'object' && 'item' in link) return link.item;
	throw new Error('An item without its link');
}

function expectAnswer(step: Step, input: IDataObject, json: IDataObject, service: Service): void {
	const result = resultIn(step, json);
	const { status, email } = result;
	if (status === undefined) {
		expect(step.simple).toBe(false);
		return;
	}
	expect(STATUSES).toContain(status);
	if (status === 'known' && isFinder(step)) expect(lower(email)).toBe(lower(input.email));
	if (status === 'known' || status === 'skipped') expect(result.credits).toBe(0);
	if (status === 'failed' || status === 'not_processed' || status === 'invalid_input') {
		expect(result.reason).toEqual(expect.any(String));
	}
	if (status === 'pending')
		expect(result).toMatchObject({ jobId: expect.anything(), jobRow: expect.anything() });
	if (status === 'found' && isFinder(step)) expect(lower(email)).toBe(subjectOf(step, input));
	if (status === 'not_found' && isFinder(step) && !wasHitBy(404, service)) {
		expect(subjectOf(step, input)).toBeUndefined();
	}
	if (status === 'verified') {
		expect(lower(email)).toBe(lower(input.email));
		expect(result.emailStatus).toBe(expectedVerification(lower(input.email)).email_status);
	}
}

function wasHitBy(status: number, { requests }: Service): boolean {
	return requests.some(({ faults }) =>
		faults.some((fault) => 'status' in fault && fault.status === status),
	);
}

function lower(value: unknown): string {
	return String(value).trim().toLowerCase();
}

/** What the ledger calls the answer to an item, if it costs anything. */
function subjectOf(
	step: Step,
	{ first, last, domain, email, site }: IDataObject,
): string | undefined {
	if (isVerifier(step)) return email === undefined ? undefined : lower(email);
	if (!isFinder(step)) return site === undefined ? undefined : lower(site);
	if (typeof first !== 'string' || typeof last !== 'string') return undefined;
	const host = lower(domain)
		.replace(/^https:\/\/www\./, '')
		.replace(/\/.*$/, '');
	return expectedEmail(first, last.trim(), host)?.email.toLowerCase();
}

/** Whether the service let nobody know what it had charged. */
function isSpoilt({ faults }: WireRequest): boolean {
	return faults.some((fault) => 'reset' in fault || 'body' in fault) || leavesOut(faults);
}

function leavesOut(faults: WireRequest['faults']): boolean {
	return faults.some((fault) => 'rows' in fault && fault.rows === 'missing');
}

/** The same of one charge: of a job, the service may leave a row out when it is read. */
function isUnknown(charge: Charge, service: Service): boolean {
	const reads = service.requests.filter(({ operation }) => operation === 'getBulkJob');
	const isOfJob = charge.operation === 'findBulk' && reads.some(({ faults }) => leavesOut(faults));
	return isOfJob || isSpoilt(requestOf(charge, service));
}

function requestOf({ requestId }: Charge, { requests }: Service): WireRequest {
	const request = requests.find(({ id }) => id === requestId);
	if (!request) throw new Error(`No request ${requestId}`);
	return request;
}

/** What was answered properly is never bought again, by the execution and its retries. */
function expectPaidOnce(charges: Charge[], service: Service): void {
	const proper = charges
		.filter((charge) => !isUnknown(charge, service))
		.map(
			({ account, operation, subject }) => `${account} ${creditKinds[operation]} ${lower(subject)}`,
		);
	expect(proper.filter((one, index) => proper.indexOf(one) !== index)).toEqual([]);
}

/** What was charged came out, or can be collected; or nobody knew that it was, and an item says that it failed. */
function expectDelivered(
	charges: Charge[],
	rounds: Round[],
	{ attempts, begun }: Executed,
	service: Service,
): void {
	const run = attempts[attempts.length - 1];
	const delivered = new Set<string>();
	const failed = new Set<string>();
	for (const { step, inputs, output, errors } of rounds) {
		const noteOf = (item: number) => `${kindOf(step)} ${subjectOf(step, inputs[item])}`;
		for (const { json, pairedItem } of output) {
			const result = resultIn(step, json);
			(isDelivered(result) ? delivered : failed).add(noteOf(itemOf(pairedItem)));
		}
		for (const { json, pairedItem } of errors) {
			const error: IDataObject = JSON.parse(JSON.stringify(json.error));
			(isDelivered(error) ? delivered : failed).add(noteOf(itemOf(pairedItem)));
		}
	}
	// Where n8n tries again, by itself or by its Retry button, only what became of the last try is seen.
	const triedAgain = attempts.length > 1 || rounds.some(({ step }) => step.retryOnFail);
	const lost = charges.filter((charge) => {
		const subject = `${creditKinds[charge.operation]} ${lower(charge.subject)}`;
		const isExplained = isUnknown(charge, service) && (triedAgain || failed.has(subject));
		return !delivered.has(subject) && !isExplained;
	});
	// A node that stops gives nothing out: what it bought, in any attempt, is kept for a retry.
	const isLast = ({ node }: { node: string }) => node === run.data.resultData.lastNodeExecuted;
	const stopped = run.status === 'error' ? begun.flat().find(isLast)?.requests : undefined;
	const index = (charge: Charge) => service.requests.indexOf(requestOf(charge, service));
	expect(lost.filter((charge) => index(charge) < (stopped ?? Infinity))).toEqual([]);
}

function kindOf(step: Step) {
	return isFinder(step) ? 'email' : isVerifier(step) ? 'verifier' : 'search';
}

/** The result itself, or the job that has it. An answer with Simplify off has no status. */
function isDelivered({ status, jobId }: IDataObject): boolean {
	return (
		['found', 'verified', 'pending', undefined].some((one) => one === status) || jobId !== undefined
	);
}

function expectCapsKept(charges: Charge[], { attempts }: Executed, { steps }: Plan): void {
	for (const operation of new Set(steps.map((step) => step.operation))) {
		const caps = steps
			.filter((step) => step.operation === operation)
			.map(({ options }) => Number(options.maxCredits ?? Infinity));
		const spent = charges
			.filter((charge) => charge.operation === operation)
			.reduce((sum, { credits }) => sum + credits, 0);
		// A retry counts anew.
		const most = caps.reduce((sum, cap) => sum + cap, 0) * attempts.length;
		expect(spent).toBeLessThanOrEqual(most);
	}
}

function expectFloorsKept({ plan, keys }: Outcome, { ledger }: Service): void {
	const { creditsLeft, keepCredits, variants } = plan;
	if (creditsLeft === undefined || keepCredits === undefined) return;
	// The short form of the account tells what is left for the finder only.
	const kinds = ['email', 'verifier', 'search'] as const;
	const told = kinds.slice(0, variants.accountShape === 'credits' ? 1 : 3);
	for (const key of keys) {
		for (const kind of told) {
			expect(ledger.spent(key, kind)).toBeLessThanOrEqual(Math.max(0, creditsLeft - keepCredits));
		}
	}
}

/** No more at once than is allowed, and nothing new once the execution is stopped. */
function expectWithinBounds({ plan, requestsAtStop, keys }: Outcome, service: Service): void {
	// A connection that was reset ends a little later here than there.
	if (service.requests.some(({ status }) => status === null)) return;
	const atOnce = Math.max(...plan.steps.map(({ options }) => Number(options.maxConcurrency)));
	// The gate of an account lets so many out; Get Bulk Job and the account's reading bring the default along.
	const most = Math.max(atOnce, 5) * keys.length;
	expect(service.maxInFlight).toBeLessThanOrEqual(most);
	if (requestsAtStop === undefined || plan.executions.length > 1) return;
	expect(service.requests.length - requestsAtStop).toBeLessThanOrEqual(most);
}

/** A workflow stops only where it is to, and then not for a lookup that was answered. */
function expectFailuresExplained(
	charges: Charge[],
	{ attempts, begun }: Executed,
	{ steps }: Plan,
	service: Service,
): void {
	attempts.forEach((run, attempt) => {
		if (run.status !== 'error') return;
		const { error, lastNodeExecuted = '' } = run.data.resultData;
		expect(error?.message).toEqual(expect.any(String));
		const step = steps.find((_, nth) => nameOf(nth) === lastNodeExecuted);
		expect(step?.onError).toBe('stopWorkflow');
		if (step?.options.incompleteRun === 'fail') return;
		const from = begun[attempt].findLast(({ node }) => node === lastNodeExecuted)?.requests ?? 0;
		const to = begun[attempt + 1]?.[0]?.requests ?? service.requests.length;
		const sent = service.requests.slice(from, to);
		const proper = charges.filter(
			(charge) => sent.includes(requestOf(charge, service)) && !isUnknown(charge, service),
		);
		expect(proper).toEqual([]);
	});
}

/** What the executions tell that they cost, in all, holds what they did cost. */
function expectCostsTold(charges: Charge[], { attempts, isStopped }: Executed): void {
	if (isStopped) return;
	const total = charges.reduce((sum, { credits }) => sum + credits, 0);
	let least = 0;
	let most = 0;
	for (const { data } of attempts) {
		const told = data.resultData.metadata?.contact_data_credits ?? '0 credits spent';
		const [, low, high = low] = /^(\d+)(?: to (\d+))? credits? spent/.exec(told) ?? [];
		least += Number(low);
		most += Number(high);
	}
	expect(least).toBeLessThanOrEqual(total);
	expect(most).toBeGreaterThanOrEqual(total);
}

/** What the items say that they cost is what was charged, where all of it is known and came out. */
function expectItemCosts(
	charges: Charge[],
	rounds: Round[],
	{ attempts }: Executed,
	service: Service,
): void {
	const isPlain = rounds.every(({ step }) => step.simple && !step.retryOnFail);
	const isKnown = charges.every((charge) => !isUnknown(charge, service));
	if (!isPlain || !isKnown || attempts.some(({ status }) => status === 'error')) return;
	const costs = rounds.flatMap(({ step, output }) =>
		output.map(({ json }) => resultIn(step, json).credits),
	);
	// What a job that goes on will have cost is not known yet.
	const pending = rounds.some(({ errors }) =>
		errors.some(({ json }) => JSON.stringify(json.error).includes('"pending"')),
	);
	if (pending || costs.includes(null)) return;
	const total = charges.reduce((sum, { credits }) => sum + credits, 0);
	expect(costs.reduce<number>((sum, credits) => sum + Number(credits ?? 0), 0)).toBe(total);
}

function count(
	rounds: Round[],
	charges: Charge[],
	{ attempts, isStopped }: Executed,
	service: Service,
	seen: Seen,
): void {
	const results = rounds.flatMap(({ step, output }) =>
		output.map(({ json }) => resultIn(step, json)),
	);
	const many = (wanted: (result: IDataObject) => boolean) => results.filter(wanted).length;
	seen.items += rounds.reduce((sum, { inputs }) => sum + inputs.length, 0);
	seen.charges += charges.length;
	seen['of them unclear'] += charges.filter((charge) => isUnknown(charge, service)).length;
	seen['items pending'] += many(({ status }) => status === 'pending');
	seen.known += many(({ status }) => status === 'known');
	seen['at a cap'] += many(({ reason }) => reason === 'credit_limit');
	seen['at a floor'] += many(({ reason }) => reason === 'credit_floor');
	if (isStopped) seen['executions stopped']++;
	if (attempts.at(-1)?.status === 'error') seen['executions failed']++;
	seen['presses of Retry'] += attempts.length - 1;
}
