import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import type { Company } from '../../service/fixtures.mts';
import type { Service } from '../../service/service.mts';
import { addressOf, leadOf } from '../bulk.mts';
import { collects, emits, waits } from '../chains.mts';
import { runWorkflow, type OurNode, type TestNode, type TestWorkflow } from '../engine.mts';
import { whenSent } from '../lookups.mts';
import { credentialFor, openAccount } from '../service.mts';
import { oddEmails, type Operation, type Plan, type Row, type Step } from './plan.mts';

/** What all keys of the accounts begin with; it stands in no item. */
export const KEYS = 'chaos-key-';

/** What one execution of a plan did, over its waits and retries. */
export interface Executed {
	/** What n8n stored last of each attempt: at its end, or at its failure. */
	attempts: IRun[];
	/** How many requests had arrived when a node began, for each time in each attempt. */
	begun: Array<Array<{ node: string; requests: number }>>;
	isStopped: boolean;
}

/** Everything that there is to look at after a run. */
export interface Outcome {
	plan: Plan;
	executions: Executed[];
	/** How many requests had arrived when the first execution was stopped. */
	requestsAtStop: number | undefined;
	keys: string[];
}

const nodeOf: Record<Operation, OurNode> = {
	find: 'contactDataFinder',
	findBulk: 'contactDataFinder',
	verify: 'contactDataVerifier',
	verifyBulk: 'contactDataVerifier',
	search: 'contactDataCompany',
};

export function isFinder({ operation }: Pick<Step, 'operation'>): boolean {
	return nodeOf[operation] === 'contactDataFinder';
}

export function isVerifier({ operation }: Pick<Step, 'operation'>): boolean {
	return nodeOf[operation] === 'contactDataVerifier';
}

let runs = 0;

/** Runs a plan in n8n's engine, against a service as it was at its start. */
export async function runPlan(plan: Plan, service: Service): Promise<Outcome> {
	service.reset();
	runs++;
	const keys = Array.from({ length: plan.accounts }, (_, account) => `${KEYS}${runs}-${account}`);
	for (const key of keys) openAccount(service, key);
	const { variants, options, faults } = service;
	Object.assign(variants, plan.variants);
	options.latencyMs = plan.latencyMs;
	if (plan.creditsLeft !== undefined) {
		const { creditsLeft } = plan;
		options.creditsLeft = { email: creditsLeft, verifier: creditsLeft, search: creditsLeft };
	}
	const stop = new AbortController();
	let requestsAtStop: number | undefined;
	if (plan.stopAt !== undefined) {
		whenSent(service, plan.stopAt, () => {
			requestsAtStop = plan.stopAt;
			stop.abort();
		});
	}
	for (const { effect, on } of plan.troubles) faults.add({ ...effect, on: { ...on } });
	const apiKey = `={{ "${KEYS}${runs}-" + ($json.account ?? 0) }}`;
	const credential = { ...credentialFor(service), apiKey };
	const executions = await Promise.all(
		plan.executions.map(async (rows, index) => {
			// Each execution searches for companies of its own.
			const sites = service.fixtures.companies.slice(10 * index, 10 * index + 10);
			const items = rows.map((row, id) => itemOf(row, id % plan.accounts, sites));
			const workflow = workflowOf(plan, items, credential);
			return await execute(workflow, plan, service, index === 0 ? stop.signal : undefined);
		}),
	);
	return { plan, executions, requestsAtStop, keys };
}

/** Runs a workflow over its waits, and again while it fails, as a user does with the Retry button. */
async function execute(
	workflow: TestWorkflow,
	{ retries }: Plan,
	{ requests, faults }: Service,
	stop: AbortSignal | undefined,
): Promise<Executed> {
	const attempts: IRun[] = [];
	const begun: Executed['begun'] = [];
	for (let attempt = 0; attempt <= retries; attempt++) {
		const own: Executed['begun'][number] = [];
		begun.push(own);
		const test = {
			...workflow,
			stop,
			onNode: (node: string) => void own.push({ node, requests: requests.length }),
		};
		let run = await runWorkflow({ ...test, retryOf: attempts.at(-1) });
		while (run.status === 'waiting') run = await runWorkflow({ ...test, resumes: run });
		attempts.push(run);
		if (run.status !== 'error' || stop?.aborted) break;
		// Whoever retries waits until the service is well again.
		if (attempt === retries - 1) faults.clear();
	}
	return { attempts, begun, isStopped: attempts.at(-1)?.status === 'canceled' };
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
	plan.steps.forEach((step, index) => {
		append(nodeFor(step, index, plan));
		connections.push(`${last} !> Failed`);
		if (step.operation === 'findBulk' && step.collected !== 'not') {
			if (step.collected === 'later') append(waits(`Wait for Job ${index}`));
			append(collects(collectorOf(index), jobParameters));
		}
		if (step.waits) append(waits(`Wait ${index}`));
	});
	nodes.push({ name: 'Failed', type: 'end' });
	if (plan.again) {
		nodes.push({ ...emits('Again', items), position: [200, 900] });
		connections.push('Start > Again', `Again > ${nameOf(0)}`);
	}
	return { nodes, connections, credential, mode: plan.mode };
}

/** A pending item tells its job in the field for the result, if there is one. */
const jobParameters: INodeParameters = {
	jobId: '={{ $json.jobId ?? $json.result?.jobId }}',
	jobRow: '={{ $json.jobRow ?? $json.result?.jobRow }}',
};

export function nameOf(step: number): string {
	return `Step ${step}`;
}

function collectorOf(step: number): string {
	return `Collect ${step}`;
}

function nodeFor(step: Step, index: number, { keepCredits }: Plan): TestNode {
	const { operation, onError, retryOnFail, simple, includeInputFields, takesKnown } = step;
	return {
		name: nameOf(index),
		type: nodeOf[operation],
		onError,
		retryOnFail,
		waitBetweenTries: 1,
		parameters: {
			...{ operation, simple, includeInputFields },
			...fieldsOf(step),
			...(takesKnown && isFinder(step) && { existingEmail: '={{ $json.email }}' }),
			...(takesKnown && isVerifier(step) && { existingStatus: '={{ $json.emailStatus }}' }),
			options: {
				...parametersIn(step.options),
				...(keepCredits !== undefined && { keepCredits }),
				...(operation === 'findBulk' && { jobTimeout: 0 }),
				...(takesKnown && { checkedAt: '={{ $json.checkedAt }}' }),
				...(takesKnown && isVerifier(step) && { skipEmpty: true }),
			},
		},
	};
}

function fieldsOf(step: Step): INodeParameters {
	if (isVerifier(step)) return { email: '={{ $json.email }}' };
	if (!isFinder(step)) return { keyword: '={{ $json.site }}' };
	return {
		firstName: '={{ $json.first }}',
		lastName: '={{ $json.last }}',
		domain: '={{ $json.domain }}',
	};
}

function parametersIn(options: IDataObject): INodeParameters {
	return JSON.parse(JSON.stringify(options));
}

function itemOf(
	{ lead, twin, lacks, odd, emailStatus, checkedAt }: Row,
	account: number,
	sites: Company[],
): IDataObject {
	const { first, last, domain } = leadOf(lead);
	const hasName = lacks !== 'name' && lacks !== 'all';
	const hasEmail = lacks !== 'email' && lacks !== 'all';
	const plain = odd ? oddEmails[odd](addressOf(lead)) : addressOf(lead);
	const email = twin ? ` ${plain.toUpperCase()}` : plain;
	return {
		account,
		...(lead % 3 !== 0 && { site: sites[lead % sites.length].domain }),
		...(hasName && { first, last: twin ? `${last} ` : last }),
		domain: twin ? `https://www.${domain.toUpperCase()}/about` : domain,
		...(hasEmail && { email }),
		emailStatus,
		checkedAt,
	};
}
