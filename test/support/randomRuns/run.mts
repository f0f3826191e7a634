import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import { forgetRecentAnswers } from '../../../nodes/shared/execution/recent.ts';
import type { Company } from '../../emulator/fixtures.mts';
import { kinds, ofEachKind, type CreditKind } from '../../emulator/ledger.mts';
import type { Service } from '../../emulator/service.mts';
import { emits, waits } from '../node/chains.mts';
import { runWorkflow, type TestNode, type TestWorkflow } from '../node/engine.mts';
import type { QuickClock } from '../node/quickClock.mts';
import { addressOf, everyLookup, leadOf, whenSent } from '../leads/lookups.mts';
import { credentialFor, openAccount } from '../servers/service.mts';
import { oddEmails, type Plan, type Row, type Step } from './plan.mts';

/** What all keys of the accounts begin with; it stands in no item. */
export const KEYS = 'chaos-key-';

/** What one execution of a plan did, over its waits and retries. */
export interface Executed {
	/** What n8n stored last of each attempt: at its end, or at its failure. */
	attempts: IRun[];
	/** How many requests had arrived when a node began, for each time in each attempt. */
	begun: Array<Array<{ node: string; requests: number }>>;
	isStopped: boolean;
	/** How often it began, or went on after a Wait: then n8n reads from its database what it has stored of it. */
	stretches: number;
	/** Whose leads it looks up: the place of their rows in the plan. */
	group: number;
	/** Whether no other execution looks the same leads up at the same time. */
	isAlone: boolean;
}

/** Everything that there is to look at after a run. */
export interface Outcome {
	plan: Plan;
	executions: Executed[];
	keys: string[];
}

/** The kind of credits that a lookup is paid with. */
export function kindOf({ lookup }: Step): CreditKind {
	return lookup.credits;
}

let runs = 0;

/** How many milliseconds the clock goes on in a real one, where n8n ends executions: slow enough to deliver in 2 s. */
const STEP_TO_TIMEOUT = 20;

/** Runs a plan in n8n's engine, against a service as it was at its start. */
export async function runPlan(plan: Plan, service: Service, clock: QuickClock): Promise<Outcome> {
	service.reset();
	forgetRecentAnswers();
	runs++;
	const keys = Array.from({ length: plan.accounts }, (_, account) => `${KEYS}${runs}-${account}`);
	for (const key of keys) openAccount(service, key);
	const { variants, options, faults } = service;
	Object.assign(variants, plan.variants);
	options.latencyMs = plan.latencyMs;
	options.ids = plan.ids;
	const { creditsLeft: left, stopAt, changed } = plan;
	options.jobWord = plan.jobWord;
	if (left !== undefined) options.creditsLeft = ofEachKind(left);
	const stop = new AbortController();
	if (stopAt !== undefined) whenSent(service, stopAt, () => stop.abort());
	for (const { effect, on } of plan.troubles) faults.add({ ...effect, on: { ...on } });
	if (left === undefined && plan.isUnlimited) {
		const counters = kinds.map((kind, at) => [
			kind,
			{ quota: at === 1 ? 'unlimited' : -1, used: 7 },
		]);
		const set = { credit: Object.fromEntries(counters) };
		faults.add({ set, on: { operation: 'getAccount' } });
	}
	if (changed) {
		const { every, found, collected, verified } = changed;
		for (const { perRequest, endpoint, credits, job } of everyLookup) {
			const rows = credits === 'verifier' ? verified : found;
			if (perRequest > 1) faults.add({ ...rows, on: { operation: endpoint, every } });
			if (job) faults.add({ ...collected, on: { operation: job, every } });
		}
	}
	const apiKey = `={{ "${KEYS}${runs}-" + ($json.account ?? 0) }}`;
	const credential = { ...credentialFor(service), apiKey };
	const workflows = plan.executions.map((rows, group) => {
		// Each execution searches for companies of its own.
		const sites = service.fixtures.companies.slice(10 * group, 10 * group + 10);
		const items = rows.map((row, id) => itemOf(row, id % plan.accounts, sites));
		return workflowOf(plan, items, credential);
	});
	const groups = [...(plan.isDoubled ? [0] : []), ...workflows.keys()];
	const stopped = plan.stopped === 'double' && plan.isDoubled ? 1 : 0;
	const start = async (group: number, index: number, isLater = false) => ({
		...(await execute(workflows[group], plan, service, {
			stop: !isLater && index === stopped ? stop.signal : undefined,
			timeout: isLater ? undefined : plan.timeout,
		})),
		group,
		isAlone: isLater || group > 0 || !plan.isDoubled,
	});
	const startAll = async () =>
		await Promise.all(groups.map(async (group, index) => await start(group, index)));
	const executions =
		plan.timeout === undefined ? await startAll() : await clock.at(STEP_TO_TIMEOUT, startAll);
	if (plan.isWell) faults.clear();
	for (let click = 0; click < plan.clicks; click++) executions.push(await start(0, 0, true));
	return { plan, executions, keys };
}

/** Runs a workflow over its waits, and again while it fails, as a user does with the Retry button. */
async function execute(
	workflow: TestWorkflow,
	{ retries }: Plan,
	{ requests, faults }: Service,
	{ stop, timeout }: { stop?: AbortSignal; timeout?: number },
): Promise<Omit<Executed, 'group' | 'isAlone'>> {
	const attempts: IRun[] = [];
	const begun: Executed['begun'] = [];
	let stretches = 0;
	for (let attempt = 0; attempt <= retries; attempt++) {
		const own: Executed['begun'][number] = [];
		begun.push(own);
		const onNode = (node: string) => void own.push({ node, requests: requests.length });
		const retryOf = attempts.at(-1);
		// As n8n calls it, whatever it was.
		const mode = retryOf ? 'retry' : workflow.mode;
		// n8n gives an execution its time anew after each wait.
		const test = () => {
			const timeoutAt = timeout === undefined ? undefined : Date.now() + timeout * 1_000;
			return { ...workflow, stop, onNode, mode, timeoutAt };
		};
		let run = await runWorkflow({ ...test(), retryOf });
		stretches++;
		for (; run.status === 'waiting'; stretches++) {
			run = await runWorkflow({ ...test(), resumes: run });
		}
		attempts.push(run);
		if (run.status !== 'error' || stop?.aborted) break;
		// Whoever retries waits until the service is well again.
		if (attempt === retries - 1) faults.clear();
	}
	return { attempts, begun, stretches, isStopped: attempts.at(-1)?.status === 'canceled' };
}

function workflowOf(
	plan: Plan,
	items: IDataObject[],
	credential: TestWorkflow['credential'],
): TestWorkflow {
	const nodes: TestNode[] = [emits('Start', items)];
	const connections: string[] = [];
	let last = 'Start';
	const append = (node: TestNode) => {
		nodes.push(node);
		connections.push(`${last} > ${node.name}`);
		last = node.name;
	};
	for (const { step, name, isCollecting } of nodesOf(plan)) {
		if (isCollecting && step.collected === 'later') append(waits(`Wait for ${name}`));
		append(nodeFor(step, name, plan));
		connections.push(`${last} !> Failed`);
		if (step.waits && !isCollecting) append(waits(`Wait after ${name}`));
	}
	nodes.push({ name: 'Failed', type: 'end' });
	if (plan.again) {
		nodes.push({ ...emits('Again', items), position: [200, 900] });
		connections.push('Start > Again', 'Again > Step 0');
	}
	return { nodes, connections, credential, mode: plan.mode };
}

/** The lookups of a plan in their order: where one is collected, its second run right behind it. */
export function nodesOf({
	steps,
}: Plan): Array<{ step: Step; name: string; isCollecting: boolean }> {
	return steps.flatMap((step, index) => {
		const name = `Step ${index}`;
		const isCollected = step.lookup.job !== undefined && step.collected !== 'not';
		const first = { step, name, isCollecting: false };
		const collector: Step = { ...step, jobTimeout: 30 };
		if (!isCollected) return [first];
		return [first, { step: collector, name: `Collect ${index}`, isCollecting: true }];
	});
}

function nodeFor(step: Step, name: string, { keepCredits }: Plan): TestNode {
	const { lookup, onError, retryOnFail, simple, includeInputFields, manualLimit } = step;
	const { keepEmailIf, isConditional } = step;
	return {
		name,
		type: lookup.node,
		onError,
		retryOnFail,
		waitBetweenTries: 1,
		parameters: {
			...{ operation: lookup.operation, simple, includeInputFields },
			...(manualLimit !== undefined && { manualLimit }),
			...fieldsOf(step),
			options: {
				...step.options,
				...(keepCredits !== undefined && { keepCredits }),
				...(lookup.job && { jobTimeout: step.jobTimeout }),
				...(kindOf(step) === 'email' && keepEmailIf && { keepEmailIf }),
				...(isConditional && { lookUpIf: '={{ $json.wanted }}' }),
				...(step.takesKnown && { refreshAfterDays: 90 }),
			},
		},
	};
}

/** The fields stand at their defaults where these are meant. */
function fieldsOf(step: Step): INodeParameters {
	const { takesKnown } = step;
	if (kindOf(step) === 'email') return takesKnown ? {} : { existingEmail: '' };
	if (kindOf(step) === 'search') return { keyword: '={{ $json.site }}' };
	if (kindOf(step) !== 'verifier') {
		const names = ['firstName', 'lastName', 'domain'];
		const chosen = Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
		return chosen;
	}
	return takesKnown ? {} : { existingStatus: '' };
}

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function itemOf(
	{ lead, twin, lacks, odd, wanted, emailStatus, checkedAt, earlier, others }: Row,
	account: number,
	sites: Company[],
): IDataObject {
	const { first, last, domain } = leadOf(lead);
	const hasName = lacks !== 'name' && lacks !== 'all';
	const hasEmail = lacks !== 'email' && lacks !== 'all';
	const plain = odd ? oddEmails[odd](addressOf(lead)) : addressOf(lead);
	const email = twin ? ` ${plain.toUpperCase()}` : plain;
	return {
		...others,
		...{ account, wanted },
		...(lead % 3 !== 0 && { site: sites[lead % sites.length].domain }),
		...(hasName && { firstName: first, lastName: twin ? `${last} ` : last }),
		domain: twin ? `https://www.${domain.toUpperCase()}/about` : domain,
		...(hasEmail && { email }),
		emailStatus,
		checkedAt,
		...earlier,
	};
}
