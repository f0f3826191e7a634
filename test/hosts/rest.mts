import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionStatus, INodeParameters, IRunExecutionData } from 'n8n-workflow';
import { z } from 'zod';
import { Failure } from '../machine/failure.mjs';
import { hasEnded, type Execution } from './execution.mts';
import type { Host } from './host.mts';
import type { Workflow } from './workflow.mts';

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export type CredentialData = Record<string, string | number | boolean>;

/** A node as the editor describes it when it asks for the content of a From List. */
export interface ParameterQuery {
	nodeType: string;
	typeVersion?: number;
	/** e.g. `listId` */
	parameter: string;
	/** The node's method that fills the list. */
	method: string;
	credential: Credential;
	parameters?: INodeParameters;
	/** What was typed into the search box. */
	filter?: string;
}

/** A table that n8n keeps for its workflows. */
export interface DataTable {
	id: string;
	name: string;
	/** In the REST interface. */
	path: string;
}

export interface DataTableColumn {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'date';
}

export type DataTableRow = Record<string, string | number | boolean | null>;

/** The login of the editor, known because its data is thrown away. */
export const owner = {
	email: 'owner@example.com',
	password: 'Contact-Data-1',
	firstName: 'Example',
	lastName: 'Owner',
} as const;

const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
/** n8n opens a webhook, and saves an execution, some time after it said that it did. */
const WEBHOOK_TIMEOUT_MS = 30_000;

/** The most that n8n gives at once. */
const ROWS_PER_PAGE = 250;

const choiceSchema = z.object({ name: z.string(), value: z.union([z.string(), z.number()]) });
const credentialSchema = z.object({ id: z.string(), name: z.string(), type: z.string() });
const credentialTestSchema = z.object({ status: z.enum(['OK', 'Error']), message: z.string() });
const executionSchema = z.object({
	id: z.string(),
	status: z.custom<ExecutionStatus>((value) => typeof value === 'string'),
	startedAt: z.coerce.date(),
	stoppedAt: z.coerce.date().nullish(),
	data: z.string(),
	customData: z.record(z.string()),
});
const wholeExecutionSchema = executionSchema.pick({ data: true }).passthrough();
const migrationSchema = z.object({
	totalWorkflows: z.number(),
	report: z.object({
		workflowResults: z.array(z.object({ ruleId: z.string(), nbAffectedWorkflows: z.number() })),
		instanceResults: z.array(z.object({ ruleId: z.string() })),
	}),
});
const executionListSchema = z.object({
	results: z.array(executionSchema.pick({ id: true, status: true })),
});
const idSchema = z.object({ id: z.string() });
const rowsSchema = z.object({
	count: z.number(),
	data: z.array(z.record(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});
const locatorSchema = z.object({
	results: z.array(choiceSchema),
	paginationToken: z.unknown(),
});
const savedWorkflowSchema = z.object({ id: z.string(), versionId: z.string() }).passthrough();
const startedSchema = z.object({ executionId: z.string() });

const nodeTypeSchema = z.object({
	name: z.string(),
	displayName: z.string(),
	version: z.union([z.number(), z.array(z.number())]),
	iconUrl: z.union([z.string(), z.object({ light: z.string(), dark: z.string() })]).optional(),
	codex: z.object({ alias: z.array(z.string()).optional() }).optional(),
});

/** A node as the editor knows it. */
export type NodeTypeInEditor = z.infer<typeof nodeTypeSchema>;

/** A workflow that n8n holds. */
export type SavedWorkflow = z.infer<typeof savedWorkflowSchema>;

/** The requests that the editor sends to n8n, signed in as the owner. */
export class RestClient {
	readonly #host: Host;
	readonly #signal: AbortSignal | undefined;
	readonly #decode: (text: string) => unknown;
	#cookie = '';

	private constructor(host: Host, signal?: AbortSignal) {
		this.#host = host;
		this.#signal = signal;
		this.#decode = decoderOf(host.folder);
	}

	/** Creates the owner of a new n8n, and signs in. */
	static async setUp(host: Host, signal?: AbortSignal): Promise<RestClient> {
		const client = new RestClient(host, signal);
		await client.#request('POST', '/owner/setup', z.unknown(), owner);
		return client;
	}

	static async signIn(host: Host, signal?: AbortSignal): Promise<RestClient> {
		const client = new RestClient(host, signal);
		const { email: emailOrLdapLoginId, password } = owner;
		await client.#request('POST', '/login', z.unknown(), { emailOrLdapLoginId, password });
		return client;
	}

	/** With which n8n knows the owner. */
	get cookie(): string {
		return this.#cookie;
	}

	async createCredential(name: string, type: string, data: CredentialData): Promise<Credential> {
		return await this.#request('POST', '/credentials', credentialSchema, { name, type, data });
	}

	/** What the Test button of the credential form says. */
	async testCredential({ id, name, type }: Credential, data: CredentialData) {
		const credentials = { id, name, type, data };
		return await this.#request('POST', '/credentials/test', credentialTestSchema, { credentials });
	}

	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		const body = { active: false, ...workflow };
		return await this.#request('POST', '/workflows', savedWorkflowSchema, body);
	}

	/**
	 * Executes a workflow as its Execute button does.
	 *
	 * @param pushRef of the editor that n8n shows the outputs of the nodes
	 * @returns the execution's id
	 */
	async startWorkflow(workflow: SavedWorkflow, trigger: string, pushRef?: string): Promise<string> {
		const { executionId } = await this.#request(
			'POST',
			`/workflows/${workflow.id}/run`,
			startedSchema,
			{ workflowData: workflow, triggerToStartFrom: { name: trigger } },
			pushRef,
		);
		return executionId;
	}

	/** Lets the triggers of a workflow start it from now on. */
	async activateWorkflow({ id, versionId }: SavedWorkflow): Promise<void> {
		await this.#request('POST', `/workflows/${id}/activate`, z.unknown(), { versionId });
	}

	async deactivateWorkflow({ id }: SavedWorkflow): Promise<void> {
		await this.#request('POST', `/workflows/${id}/deactivate`, z.unknown());
	}

	/**
	 * Calls the webhook of an active workflow, with what it is given to work on.
	 *
	 * @param timeout how long it may take to answer, in milliseconds
	 * @returns its answer
	 */
	async callWebhook(
		path: string,
		body: object = {},
		timeout = WEBHOOK_TIMEOUT_MS,
	): Promise<string> {
		const headers = { 'content-type': 'application/json' };
		return await this.#post(`/webhook/${path}`, { headers, body: JSON.stringify(body) }, timeout);
	}

	/** Fills the fields of an active workflow's form, from the top, and sends it. */
	async submitForm(path: string, values: readonly string[]): Promise<void> {
		const body = new FormData();
		for (const [index, value] of values.entries()) body.set(`field-${index}`, value);
		await this.#post(`/form/${path}`, { body });
	}

	/** Sends a request to a path that n8n may open only soon. */
	async #post(path: string, init: RequestInit, timeout = WEBHOOK_TIMEOUT_MS): Promise<string> {
		const deadline = Date.now() + WEBHOOK_TIMEOUT_MS;
		while (Date.now() < deadline) {
			const response = await fetch(`${this.#host.url}${path}`, {
				...init,
				method: 'POST',
				signal: AbortSignal.timeout(timeout),
			});
			const answer = await response.text();
			if (response.ok) return answer;
			// Somebody else has the path until n8n opens it.
			if (response.status !== 404) {
				throw new Failure(`${path} answered ${response.status}: ${answer}`, {
					log: this.#host.log,
				});
			}
			await delay(POLL_MS);
		}
		throw new Failure(`${path} did not open.`, { log: this.#host.log });
	}

	/** The executions of a workflow, the latest first, without their data; at most 100. */
	async listExecutions({ id }: SavedWorkflow) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const path = `/executions?limit=100&filter=${filter}`;
		return (await this.#request('GET', path, executionListSchema)).results;
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
		const deadline = Date.now() + WEBHOOK_TIMEOUT_MS;
		while (Date.now() < deadline) {
			const ids = (await this.listExecutions(workflow)).map(({ id }) => id);
			const started = ids.filter((id) => !before.includes(id));
			if (started.length >= count) return started;
			await delay(POLL_MS);
		}
		throw new Failure(`n8n saved fewer than ${count} executions.`, { log: this.#host.log });
	}

	/** Waits until an execution ends, whichever way; stops it when it does not. */
	async waitForExecution(id: string, timeout: number): Promise<Execution> {
		const ended = await this.#executionOnce(hasEnded, id, timeout);
		if (ended) return ended;
		await this.stopExecution(id);
		throw new Failure(`Execution ${id} did not end within ${timeout / 1000} seconds.`, {
			log: this.#host.log,
		});
	}

	/** Waits until an execution has this status, and gives it as it is then. */
	async waitForStatus(id: string, wanted: ExecutionStatus, timeout: number): Promise<Execution> {
		const found = await this.#executionOnce((status) => status === wanted, id, timeout);
		if (found) return found;
		throw new Failure(`Execution ${id} did not become "${wanted}".`, { log: this.#host.log });
	}

	async #executionOnce(
		isWanted: (status: ExecutionStatus) => boolean,
		id: string,
		timeout: number,
	): Promise<Execution | undefined> {
		const deadline = Date.now() + timeout;
		while (Date.now() < deadline) {
			const { data, ...rest } = await this.#request('GET', `/executions/${id}`, executionSchema);
			if (isWanted(rest.status)) return { ...rest, data: this.decodeRun(data) };
			await delay(POLL_MS, undefined, { ...(this.#signal && { signal: this.#signal }) });
		}
		return undefined;
	}

	/**
	 * What n8n shows of an execution to people who are not to see its items, with all that comes along; n8n 1
	 * shows all of it.
	 */
	async redactedExecution(id: string): Promise<z.infer<typeof wholeExecutionSchema>> {
		const path = `/executions/${id}?redactExecutionData=true`;
		return await this.#request('GET', path, wholeExecutionSchema);
	}

	/** What n8n finds in this instance and its workflows that n8n 3 changes. */
	async migrationReport(): Promise<z.infer<typeof migrationSchema>> {
		return await this.#request('GET', '/breaking-changes/report?version=v3', migrationSchema);
	}

	async stopExecution(id: string): Promise<void> {
		await this.#request('POST', `/executions/${id}/stop`, z.unknown());
	}

	/**
	 * The button Retry of a failed execution; answers when the new one has ended.
	 * @param isCurrent with the workflow as it is now, or as it was then
	 */
	async retryExecution(id: string, isCurrent: boolean): Promise<void> {
		await this.#request('POST', `/executions/${id}/retry`, z.unknown(), {
			loadWorkflow: isCurrent,
		});
	}

	/** Creates a data table in the owner's own project. */
	async createDataTable(name: string, columns: DataTableColumn[]): Promise<DataTable> {
		const { id: projectId } = await this.#request('GET', '/projects/personal', idSchema);
		const path = `/projects/${projectId}/data-tables`;
		const { id } = await this.#request('POST', path, idSchema, { name, columns });
		return { id, name, path: `${path}/${id}` };
	}

	/** Changes the rows whose column has this value. */
	async updateRows(
		{ path }: DataTable,
		[columnName, value]: [string, number | string],
		data: DataTableRow,
	): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName, condition: 'eq', value }] };
		await this.#request('POST', `${path}/upsert`, z.unknown(), { filter, data });
	}

	/** All rows of a data table, in the order in which they were inserted. */
	async rowsOf({ path }: DataTable): Promise<DataTableRow[]> {
		const rows: DataTableRow[] = [];
		for (;;) {
			const query = `take=${ROWS_PER_PAGE}&skip=${rows.length}&sortBy=id:asc`;
			const page = await this.#request('GET', `${path}/rows?${query}`, rowsSchema);
			rows.push(...page.data);
			if (rows.length >= page.count || page.data.length === 0) return rows;
		}
	}

	/** The choices of a resource locator's From List. */
	async searchLocator(query: ParameterQuery) {
		const path = '/dynamic-node-parameters/resource-locator-results';
		return await this.#request('POST', path, locatorSchema, dropdownRequest(query));
	}

	/** The nodes that the editor offers, of all packages. */
	async nodeTypes(): Promise<NodeTypeInEditor[]> {
		return z.array(nodeTypeSchema).parse(JSON.parse(await this.file('/types/nodes.json')));
	}

	/** The text of a file that n8n serves to the editor: an icon, say. */
	async file(path: string): Promise<string> {
		const response = await fetch(`${this.#host.url}${path}`, {
			headers: { cookie: this.#cookie },
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		if (!response.ok) throw new Failure(`n8n answered ${response.status} to GET ${path}`);
		return await response.text();
	}

	/** Reads the data of an execution as n8n writes it, into its database too. */
	decodeRun(data: string): IRunExecutionData {
		const decoded = this.#decode(data);
		if (isRunData(decoded)) return decoded;
		throw new Error(`This is no run data: ${data.slice(0, 200)}`);
	}

	async #request<Schema extends z.ZodTypeAny>(
		method: 'GET' | 'POST',
		path: string,
		schema: Schema,
		body?: object,
		pushRef?: string,
	): Promise<z.infer<Schema>> {
		const send = async () => {
			const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
			return await fetch(`${this.#host.url}/rest${path}`, {
				method,
				headers: {
					'content-type': 'application/json',
					cookie: this.#cookie,
					...(pushRef !== undefined && { 'push-ref': pushRef }),
				},
				...(body && { body: JSON.stringify(body) }),
				signal: this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout,
			});
		};
		// n8n may close an idle connection in the moment in which it is used again.
		const response = await send().catch(async (error: unknown) => {
			if (method !== 'GET' || this.#signal?.aborted) throw error;
			return await send();
		});
		const text = await response.text();
		if (!response.ok) {
			throw new Failure(`n8n answered ${response.status} to ${method} ${path}: ${text}`, {
				log: this.#host.log,
			});
		}
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
		if (cookies.length > 0) this.#cookie = cookies.join('; ');
		return z.object({ data: schema }).parse(JSON.parse(text)).data;
	}
}

function dropdownRequest(query: ParameterQuery) {
	const { id, name, type } = query.credential;
	return {
		path: `parameters.${query.parameter}`,
		methodName: query.method,
		filter: query.filter,
		nodeTypeAndVersion: { name: query.nodeType, version: query.typeVersion ?? 1 },
		currentNodeParameters: query.parameters ?? {},
		credentials: { [type]: { id, name } },
	};
}

/** Execution data is read with the library that the host writes it with. */
function decoderOf(hostFolder: string): (text: string) => unknown {
	const fromHost = createRequire(join(hostFolder, 'node_modules', 'n8n', 'package.json'));
	const flatted: { parse: (text: string) => unknown } = fromHost('flatted');
	return flatted.parse;
}

function isRunData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}
