/** @file The lookups, seen from the outside, and the leads that they look up: each is told apart by a number. */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

import { expectedEmail, expectedVerification } from '../../emulator/addresses.mts';
import { rowsOf } from '../../emulator/operations/bulkFinder.mts';
import { submittedAddresses } from '../../emulator/operations/verifier.mts';
import type { Service } from '../../emulator/service.mts';
import type { CreditKind, MeteredOperation } from '../../emulator/ledger.mts';
import type { WireRequest } from '../../emulator/wireLog.mts';
import { emits, outputsOf } from '../node/chains.mts';
import {
	runNode,
	runWorkflow,
	type NodeResult,
	type NodeTest,
	type TestNode,
} from '../node/engine.mts';
import { operationOf, operations, type Sample } from '../../operations.mts';
import { credentialFor } from '../servers/service.mts';
import { fixtures } from './expected.mts';

/** Someone whom the finder may know. */
export interface Lead extends IDataObject {
	first: string;
	last: string;
	domain: string;
}

/** The lead with a number from 0 to 99,999. No name is the beginning of another. */
export function leadOf(number: number): Lead {
	const first = `Ann${String(number).padStart(5, '0')}`;
	return { first, last: 'Test', domain: `c${number % 40}.bulk.example` };
}

/** The email of the lead with a number, as a user would have it. */
export function addressOf(number: number): string {
	const { first, last, domain } = leadOf(number);
	return `${first}.${last}@${domain}`.toLowerCase();
}

/** Whole numbers from `first` on. */
export function numbers(length: number, first = 0): number[] {
	return Array.from({ length }, (_, index) => first + index);
}

function expectedFor(number: number) {
	const { first, last, domain } = leadOf(number);
	return expectedEmail(first, last, domain);
}

/** A lookup: what goes in, and what must come out for a number. */
export interface AnyLookup extends Pick<Sample, 'node' | 'operation' | 'columns' | 'job'> {
	endpoint: MeteredOperation;
	/** The most questions of one request. */
	perRequest: number;
	credits: CreditKind;
	parameters: INodeParameters;
	/** The parameter by which an item brings along what it looks up, if there is one. */
	existing: INodeParameters;
	item: (number: number) => IDataObject;
	/** The same question in another spelling. */
	twin: (number: number) => IDataObject;
	/** The part of the output item that only the right answer has. */
	answer: (number: number) => IDataObject;
	/** What the ledger calls it when it is paid for; null for a miss. */
	subject: (number: number) => string | null;
	/** How many questions a request asks. */
	asked: (request: WireRequest, service: Service) => number;
}

/** One whose result joins the item. */
export interface Lookup<Name = 'find' | 'findBulk' | 'verify' | 'verifyBulk'> extends AnyLookup {
	node: 'contactDataFinder' | 'contactDataVerifier';
	operation: Name & string;
	credits: 'email' | 'verifier';
}

export type Bulk = Lookup<'findBulk' | 'verifyBulk'>;

/** What the table of operations says of a lookup. */
function traitsOf(operation: string) {
	const { node, perRequest = 1, columns, job } = operationOf(operation);
	return { node, perRequest, columns, job };
}

function finder<Name extends Lookup['operation']>(operation: Name): Lookup<Name> {
	const { perRequest, ...traits } = traitsOf(operation);
	return {
		...{ ...traits, node: 'contactDataFinder', operation, endpoint: operation, perRequest },
		credits: 'email',
		existing: { existingEmail: '={{ $json.email }}' },
		parameters: {
			includeInputFields: false,
			operation,
			firstName: '={{ $json.first }}',
			lastName: '={{ $json.last }}',
			domain: '={{ $json.domain }}',
			existingEmail: '',
		},
		item: leadOf,
		twin: (number) => {
			const lead = leadOf(number);
			return { ...lead, domain: `https://www.${lead.domain.toUpperCase()}/about` };
		},
		answer: (number) => {
			const found = expectedFor(number);
			return {
				lookupStatus: found ? 'found' : 'not_found',
				email: found?.email ?? null,
				emailStatus: found?.status ?? null,
			};
		},
		subject: (number) => expectedFor(number)?.email ?? null,
		asked: ({ body }) => (perRequest > 1 ? rowsOf(body).length : 1),
	};
}

function verifier<Name extends Lookup['operation']>(operation: Name): Lookup<Name> {
	const { perRequest, ...traits } = traitsOf(operation);
	return {
		...{ ...traits, node: 'contactDataVerifier', operation, endpoint: operation, perRequest },
		credits: 'verifier',
		existing: { existingStatus: '={{ $json.emailStatus }}' },
		parameters: {
			includeInputFields: false,
			operation,
			email: '={{ $json.email }}',
			existingStatus: '',
		},
		item: (number) => ({ email: addressOf(number) }),
		twin: (number) => ({ email: ` ${addressOf(number).toUpperCase()} ` }),
		answer: (number) => ({
			lookupStatus: 'verified',
			email: addressOf(number),
			emailStatus: expectedVerification(addressOf(number)).email_status,
		}),
		subject: addressOf,
		asked: ({ query }, { variants }) =>
			perRequest > 1 ? submittedAddresses(query, variants).length : 1,
	};
}

export const find = finder('find');
export const findBulk = finder('findBulk');
export const verify = verifier('verify');
export const verifyBulk = verifier('verifyBulk');

export const bulks: readonly Bulk[] = [findBulk, verifyBulk];
/** Those whose result joins the item. */
export const lookups: readonly Lookup[] = [find, verify, ...bulks];

const siteOf = (number: number) => fixtures.companies[number]?.domain ?? `none${number}.example`;

/** Searches for companies: there are fewer of them than leads. */
export const search: AnyLookup = {
	...traitsOf('searchCompany'),
	...{ operation: 'searchCompany', endpoint: 'searchCompany', credits: 'search', existing: {} },
	parameters: {
		includeInputFields: false,
		operation: 'searchCompany',
		keyword: '={{ $json.site }}',
	},
	item: (number) => ({ site: siteOf(number) }),
	twin: (number) => ({ site: `https://www.${siteOf(number)}/` }),
	answer: (number) => {
		const { domain } = fixtures.companies[number] ?? {};
		return {
			companyStatus: domain ? 'found' : 'not_found',
			companyData: domain ? { domain } : null,
		};
	},
	subject: (number) => fixtures.companies[number]?.domain ?? null,
	asked: () => 1,
};

const described: AnyLookup[] = [...lookups, search];

/** Every lookup of the table of operations: none is left out of the tests of what is paid. */
export const everyLookup: readonly AnyLookup[] = operations
	.filter(({ isLookup }) => isLookup)
	.map(({ label, operation }) => {
		const own = described.find((one) => one.operation === operation);
		if (!own) throw new Error(`${label} is in operations.mts, and not in lookups.mts`);
		return own;
	});

/** Those that may leave a job. */
export const withJobs = everyLookup.filter(({ job }) => job !== undefined);

/** The leads, among the first so many, whose answer costs something. */
export function paidAmong({ subject }: Pick<AnyLookup, 'subject'>, length: number): number[] {
	return numbers(length).filter((number) => subject(number) !== null);
}

/** The number of a lead who is found, and of one who is not. */
export const [hit] = paidAmong(find, 100);
export const [miss] = numbers(100).filter((number) => find.subject(number) === null);

/** What the ledger must hold when all of these are paid for once. */
export function subjectsOf({ subject }: Pick<AnyLookup, 'subject'>, wanted: number[]): string[] {
	return wanted.map(subject).filter((one) => one !== null);
}

/** The ledger holds each of these leads once, as far as they cost anything, and nothing else. */
export function expectPaidOnce(
	{ ledger }: Service,
	lookup: Pick<AnyLookup, 'subject'>,
	wanted: number[],
): void {
	const paid = ledger.charges.map(({ subject }) => subject);
	expect(paid.toSorted()).toEqual(subjectsOf(lookup, wanted).toSorted());
}

/** Each item says what it has to of these leads. */
export function expectAnswers(lookup: AnyLookup, json: IDataObject[], wanted: number[]): void {
	expect(json).toMatchObject(wanted.map(lookup.answer));
}

/** The fields of an output item that tell whose answer it holds. */
export function answerIn({ lookupStatus, email, emailStatus }: IDataObject): IDataObject {
	return { lookupStatus, email, emailStatus };
}

/** The requests of an operation, in the order in which they arrived. */
export function requestsOf({ requests }: Service, operation: WireRequest['operation']) {
	return requests.filter((request) => request.operation === operation);
}

/** For a fault: whether a request asks, among others, for the lead with a number. */
export function asksFor(number: number): (request: WireRequest) => boolean {
	const wanted = leadOf(number).first.toLowerCase();
	return ({ body, rawQuery }) =>
		`${JSON.stringify(body)} ${rawQuery}`.toLowerCase().includes(wanted);
}

/** For a refusal: a pause that the service does not ask for long. */
export const atOnce = { retryAfter: 'seconds', seconds: 0 } as const;

/** On Error: Continue. */
export const continues = { onError: 'continueRegularOutput' } as const;

/** How a test runs a lookup; `options` are those of the node. */
export interface LookupTest extends Partial<Omit<NodeTest, 'node' | 'items'>> {
	options?: INodeParameters;
}

/** Runs a lookup over these items. */
export async function runLookup(
	lookup: Pick<NodeTest, 'node' | 'parameters'>,
	service: Service,
	items: IDataObject[],
	{ options = {}, parameters, ...test }: LookupTest = {},
): Promise<NodeResult> {
	return await runNode({
		node: lookup.node,
		credential: credentialFor(service),
		...test,
		parameters: { ...lookup.parameters, options, ...parameters },
		items,
	});
}

/** What came of one of the runs of a node. */
interface Round {
	json: IDataObject[];
	/** What it tells above its output. */
	summary: string;
}

/** Runs a lookup several times in one execution, as a loop does, each time over other items. */
export async function runInLoop(
	lookup: Pick<NodeTest, 'node' | 'parameters'>,
	service: Service,
	rounds: IDataObject[][],
	{ options = {}, ...test }: Partial<Pick<LookupTest, 'options' | 'onError' | 'mode'>> = {},
): Promise<{ run: IRun; rounds: Round[] }> {
	const { mode, ...settings } = test;
	const starts = rounds.map((items, index): TestNode => {
		const start = emits(index === 0 ? 'Start' : `Again ${index}`, items);
		return { ...start, position: [0, index * 100] };
	});
	const parameters = { ...lookup.parameters, options };
	const connections = starts.map(({ name }) => `${name} > Node`);
	const run = await runWorkflow({
		nodes: [...starts, { name: 'Node', type: lookup.node, parameters, ...settings }],
		connections: [...starts.slice(1).map(({ name }) => `Start > ${name}`), ...connections],
		credential: credentialFor(service),
		mode,
	});
	const summaries = run.data.resultData.runData.Node.map(({ hints }) => hints?.[0]?.message ?? '');
	const outputs = outputsOf(run, 'Node');
	return { run, rounds: outputs.map((json, round) => ({ json, summary: summaries[round] })) };
}

/** Longer than a request of the tests takes: what is still to come has come then. */
const AFTERMATH = 300;

/** Waits a while after the end of an execution and gives what was sent nevertheless. */
export async function sentAfterwards({ requests }: Service): Promise<string[]> {
	const { length } = requests;
	await delay(AFTERMATH);
	return requests.slice(length).map(({ path, rawQuery }) => `${path}?${rawQuery}`);
}

/** Does something when a request arrives, counted from 1. */
export function whenSent(service: Service, nth: number, action: () => unknown): void {
	service.onRequest(() => {
		if (service.requests.length === nth) action();
	});
}

/** The first bulk search becomes a job, those after it are answered at once. */
export function takeOneJob(service: Service, { endpoint }: AnyLookup): void {
	service.onRequest(() => {
		const isFirst = requestsOf(service, endpoint).length <= 1;
		service.variants.bulkAnswer = isFirst ? 'job' : 'rows';
	});
}
