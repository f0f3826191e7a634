import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type {
	ExecutionStatus,
	INodeCredentialTestResult,
	INodeListSearchResult,
	INodeParameters,
	INodeTypeDescription,
	IRunExecutionData,
} from 'n8n-workflow';
import { Failure } from '../machine/failure.mjs';
import { HANG_MS } from '../machine/hang.mts';
import type { Execution } from './execution.mts';
import { ALONE, type Host } from './host.mts';
import type { Workflow } from './workflow.mts';

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export type CredentialData = Record<string, string | number | boolean>;

/** A workflow that n8n holds. */
export interface SavedWorkflow extends Workflow {
	id: string;
	versionId: string;
}

/** A node as the editor describes it when it asks for the content of a From List. */
interface ParameterQuery {
	nodeType: string;
	/** e.g. `listId` */
	parameter: string;
	/** The node's method that fills the list. */
	method: string;
	credential: Credential;
	parameters: INodeParameters;
	/** What was typed into the search box. */
	filter?: string;
}

/** An execution as n8n sends it: its data is to be decoded. */
type ExecutionText = Omit<Execution, 'data'> & { data: string };

/** A table that n8n keeps for its workflows. */
export interface DataTable {
	id: string;
	name: string;
	/** In the REST interface. */
	path: string;
}

export type DataTableRow = Record<string, string | number | boolean | null>;

/** What n8n finds in an instance and in its workflows that another version changes. */
interface MigrationReport {
	totalWorkflows: number;
	report: {
		workflowResults: Array<{ ruleId: string; nbAffectedWorkflows: number }>;
		instanceResults: Array<{ ruleId: string }>;
	};
}

/** The login of the editor, known because its data is thrown away. */
export const owner = {
	email: 'owner@example.com',
	password: 'Contact-Data-1',
	firstName: 'Example',
	lastName: 'Owner',
} as const;

const POLL_MS = 100;

/** Nothing more happens to an execution with one of these. */
const ENDED: readonly ExecutionStatus[] = ['canceled', 'crashed', 'error', 'success'];

/** The most that n8n gives at once. */
const ROWS_PER_PAGE = 250;

/** The requests that the editor sends to n8n, signed in as the owner. */
export class RestClient {
	/** With which n8n knows the owner. */
	cookie = '';
	readonly #host: Host;
	readonly #signal: AbortSignal | undefined;

	private constructor(host: Host, signal?: AbortSignal) {
		this.#host = host;
		this.#signal = signal;
	}

	/** Creates the owner of a new n8n, and signs in. */
	static async setUp(host: Host, signal?: AbortSignal): Promise<RestClient> {
		const client = new RestClient(host, signal);
		await client.#post('/owner/setup', owner);
		return client;
	}

	static async signIn(host: Host, signal?: AbortSignal): Promise<RestClient> {
		const client = new RestClient(host, signal);
		const { email: emailOrLdapLoginId, password } = owner;
		await client.#post('/login', { emailOrLdapLoginId, password });
		return client;
	}

	async createCredential(name: string, type: string, data: CredentialData): Promise<Credential> {
		return await this.#post('/credentials', { name, type, data });
	}

	/** What the Test button of the credential form says. */
	async testCredential(
		{ id, name, type }: Credential,
		data: CredentialData,
	): Promise<INodeCredentialTestResult> {
		return await this.#post('/credentials/test', { credentials: { id, name, type, data } });
	}

	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		return await this.#post('/workflows', { active: false, ...workflow });
	}

	/**
	 * Executes a workflow as its Execute button does.
	 *
	 * @param pushRef of the editor that n8n shows the outputs of the nodes
	 * @returns the execution's id
	 */
	async startWorkflow(workflow: SavedWorkflow, trigger: string, pushRef?: string): Promise<string> {
		const { executionId } = await this.#post<{ executionId: string }>(
			`/workflows/${workflow.id}/run`,
			{ workflowData: workflow, triggerToStartFrom: { name: trigger } },
			pushRef === undefined ? {} : { 'push-ref': pushRef },
		);
		return executionId;
	}

	/** Lets the triggers of a workflow start it from now on. */
	async activateWorkflow({ id, versionId }: SavedWorkflow): Promise<void> {
		await this.#post(`/workflows/${id}/activate`, { versionId });
	}

	async deactivateWorkflow({ id }: SavedWorkflow): Promise<void> {
		await this.#post(`/workflows/${id}/deactivate`);
	}

	/**
	 * Calls the webhook of an active workflow, with what it is given to work on.
	 *
	 * @param timeout how long it may take to answer, in milliseconds
	 * @returns its answer
	 */
	async callWebhook(path: string, body: object = {}, timeout = HANG_MS): Promise<string> {
		const headers = { 'content-type': 'application/json' };
		return await this.#call(`/webhook/${path}`, { headers, body: JSON.stringify(body) }, timeout);
	}

	/** Fills the fields of an active workflow's form, from the top, and sends it. */
	async submitForm(path: string, values: readonly string[]): Promise<void> {
		const form = new FormData();
		for (const [index, value] of values.entries()) form.set(`field-${index}`, value);
		// In one piece: n8n closes the connection at the first one while the form is not open yet.
		await this.#call(`/form/${path}`, { body: await new Response(form).blob() });
	}

	/** Sends a request to a path that n8n may open only soon. */
	async #call(path: string, init: RequestInit, timeout = HANG_MS): Promise<string> {
		return await this.#until(`${path} did not open.`, async () => {
			const signal = AbortSignal.timeout(timeout);
			const headers = { ...ALONE, ...init.headers };
			const request = { ...init, headers, method: 'POST', signal };
			const response = await fetch(`${this.#host.url}${path}`, request);
			const answer = await response.text();
			if (response.ok) return answer;
			// Somebody else has the path until n8n opens it.
			if (response.status === 404) return undefined;
			throw this.#failure(`${path} answered ${response.status}: ${answer}`);
		});
	}

	/** The executions of a workflow, the latest first, without their data; at most 100. */
	async listExecutions({ id }: SavedWorkflow) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const { results } = await this.#get<{ results: Array<Pick<Execution, 'id' | 'status'>> }>(
			`/executions?limit=100&filter=${filter}`,
		);
		// n8n asks for those in progress and for those that ended: one that ends meanwhile is in both.
		return [...new Map(results.map((one) => [one.id, one])).values()];
	}

	/**
	 * Waits until n8n has saved so many executions of a workflow besides those that were there before.
	 *
	 * @returns their ids, the latest first
	 */
	async newExecutions(
		workflow: SavedWorkflow,
		count = 1,
		before: string[] = [],
	): Promise<string[]> {
		const late = `n8n saved fewer than ${count} executions.`;
		return await this.#until(late, async () => {
			const ids = (await this.listExecutions(workflow)).map(({ id }) => id);
			const started = ids.filter((id) => !before.includes(id));
			return started.length >= count ? started : undefined;
		});
	}

	/** Waits until an execution ends, whichever way; stops it when it does not. */
	async waitForExecution(id: string): Promise<Execution> {
		try {
			return await this.#executionOnce(ENDED, id);
		} catch (error) {
			if (!this.#signal?.aborted) await this.stopExecution(id);
			throw error;
		}
	}

	/** Waits until an execution has this status, and gives it as it is then. */
	async waitForStatus(id: string, wanted: ExecutionStatus): Promise<Execution> {
		return await this.#executionOnce([wanted], id);
	}

	async #executionOnce(wanted: readonly ExecutionStatus[], id: string): Promise<Execution> {
		return await this.#until(`Execution ${id} did not get there.`, async () => {
			const execution = await this.#get<ExecutionText>(`/executions/${id}`);
			if (!wanted.includes(execution.status)) return undefined;
			return { ...execution, data: this.decodeRun(execution.data) };
		});
	}

	/** Tries again and again until there is something. */
	async #until<T>(late: string, attempt: () => Promise<T | undefined>): Promise<T> {
		const deadline = Date.now() + HANG_MS;
		while (Date.now() < deadline) {
			const found = await attempt();
			if (found !== undefined) return found;
			await delay(POLL_MS, undefined, { signal: this.#signal });
		}
		throw this.#failure(late);
	}

	/**
	 * What n8n shows of an execution to people who are not to see its items, with all that comes along; n8n 1
	 * shows all of it.
	 */
	async redactedExecution(id: string): Promise<ExecutionText> {
		return await this.#get(`/executions/${id}?redactExecutionData=true`);
	}

	/** What n8n finds in this instance and its workflows that n8n 3 changes. */
	async migrationReport(): Promise<MigrationReport> {
		return await this.#get('/breaking-changes/report?version=v3');
	}

	async stopExecution(id: string): Promise<void> {
		await this.#post(`/executions/${id}/stop`);
	}

	/**
	 * The button Retry of a failed execution; answers when the new one has ended.
	 * @param isCurrent with the workflow as it is now, or as it was then
	 */
	async retryExecution(id: string, isCurrent: boolean): Promise<void> {
		await this.#post(`/executions/${id}/retry`, { loadWorkflow: isCurrent });
	}

	/** Creates a data table in the owner's own project. */
	async createDataTable(
		name: string,
		columns: Array<{ name: string; type: 'string' | 'number' | 'boolean' | 'date' }>,
	): Promise<DataTable> {
		const { id: projectId } = await this.#get<{ id: string }>('/projects/personal');
		const path = `/projects/${projectId}/data-tables`;
		const { id } = await this.#post<{ id: string }>(path, { name, columns });
		return { id, name, path: `${path}/${id}` };
	}

	/** Changes the rows whose column has this value. */
	async updateRows(
		{ path }: DataTable,
		[columnName, value]: [string, number | string],
		data: DataTableRow,
	): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName, condition: 'eq', value }] };
		await this.#post(`${path}/upsert`, { filter, data });
	}

	/** All rows of a data table, in the order in which they were inserted. */
	async rowsOf({ path }: DataTable): Promise<DataTableRow[]> {
		const rows: DataTableRow[] = [];
		for (;;) {
			const query = `take=${ROWS_PER_PAGE}&skip=${rows.length}&sortBy=id:asc`;
			const { count, data } = await this.#get<{ count: number; data: DataTableRow[] }>(
				`${path}/rows?${query}`,
			);
			rows.push(...data);
			if (rows.length >= count || data.length === 0) return rows;
		}
	}

	/** The choices of a resource locator's From List. */
	async searchLocator({ credential, ...query }: ParameterQuery): Promise<INodeListSearchResult> {
		const { id, name, type } = credential;
		return await this.#post('/dynamic-node-parameters/resource-locator-results', {
			path: `parameters.${query.parameter}`,
			methodName: query.method,
			filter: query.filter,
			nodeTypeAndVersion: { name: query.nodeType, version: 1 },
			currentNodeParameters: query.parameters,
			credentials: { [type]: { id, name } },
		});
	}

	/** The nodes that the editor offers, of all packages. */
	async nodeTypes(): Promise<INodeTypeDescription[]> {
		return JSON.parse(await this.file('/types/nodes.json'));
	}

	/** The text of a file that n8n serves to the editor: an icon, say. */
	async file(path: string): Promise<string> {
		return await this.#send('GET', path);
	}

	/** Reads the data of an execution as n8n writes it, into its database too: with the library that n8n has for it. */
	decodeRun(data: string): IRunExecutionData {
		const fromHost = createRequire(join(this.#host.folder, 'node_modules/n8n/package.json'));
		return fromHost('flatted').parse(data);
	}

	async #get<Data>(path: string): Promise<Data> {
		return JSON.parse(await this.#send('GET', `/rest${path}`)).data;
	}

	async #post<Data>(
		path: string,
		body: object = {},
		headers: Record<string, string> = {},
	): Promise<Data> {
		return JSON.parse(await this.#send('POST', `/rest${path}`, body, headers)).data;
	}

	/** @returns the text of the answer */
	async #send(
		method: 'GET' | 'POST',
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	): Promise<string> {
		const timeout = AbortSignal.timeout(HANG_MS);
		const response = await fetch(`${this.#host.url}${path}`, {
			method,
			headers: { ...ALONE, 'content-type': 'application/json', cookie: this.cookie, ...headers },
			...(body && { body: JSON.stringify(body) }),
			signal: this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout,
		});
		const text = await response.text();
		if (!response.ok) {
			throw this.#failure(`n8n answered ${response.status} to ${method} ${path}: ${text}`);
		}
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		return text;
	}

	#failure(message: string): Failure {
		return new Failure(message, { log: this.#host.log });
	}
}
