import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';

import {
	isBare,
	lacksPath,
	transportProblems,
	variantProblems,
	type Violation,
} from './contract.mts';
import { operationOf, operations } from './endpoints.mts';
import { ContractViolation, notFound, ServiceError } from './errors.mts';
import { Faults, isOfRows, retryAfterOf, spoiltBody, type StatusEffect } from './faults.mts';
import { Fixtures } from './fixtures.mts';
import { Ledger } from './ledger.mts';
import type { BulkJob } from './operations/bulkFinder.mts';
import { Prng } from './prng.mts';
import { problemsOf, serveDocument } from './validation.mts';
import { member, number } from './values.mts';
import { mainVariants, type Variants } from './variants.mts';
import { WireLog, type WireRequest } from './wireLog.mts';
import type { RateLimit, ServiceOptions, World } from './world.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** In the wire log of the emulator. */
		entry: WireRequest;
	}
}

export interface StartOptions extends ServiceOptions {
	/** An ephemeral one unless given. */
	port?: number;
	/** Has a list for people to look at too. */
	demo?: boolean;
	variants?: Partial<Variants>;
}

/** The part of a latency that a request takes to the door, where the rate is limited: the rest is work. */
const WAY = 0.1;

const SECOND_MS = 1_000;

/** What ids beyond 2^53 begin with: none of their neighbours has a number of its own. */
const HUGE = '922337203685';

async function pause(milliseconds: number): Promise<void> {
	if (milliseconds > 0) await wait(milliseconds, undefined, { ref: false });
}

/** Starts the emulated service on 127.0.0.1, over plain HTTP as behind a TLS proxy. */
export async function startService(start: StartOptions = {}): Promise<Service> {
	const service = new Service(start);
	await service.listen();
	return service;
}

/** A running service and everything that a test turns or looks at. */
export class Service implements World {
	baseUrl = '';
	readonly fixtures: Fixtures;
	ledger = new Ledger();
	faults = new Faults();
	jobs: BulkJob[] = [];
	variants = mainVariants();
	options: ServiceOptions = {};
	/** Empty as long as client and emulator keep to the contract. */
	violations: Violation[] = [];
	#listeners: Array<(request: WireRequest) => void> = [];
	/** When requests were let in, per access key: refused ones do not count. */
	#admitted = new Map<string, number[]>();
	#prng = new Prng(1);
	readonly #log = new WireLog();
	readonly #start: StartOptions;
	readonly #app = fastify({
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		rewriteUrl: ({ url = '' }) => url.replaceAll(HUGE, ''),
	});

	constructor(start: StartOptions) {
		this.fixtures = new Fixtures(start);
		this.#start = structuredClone(start);
		this.reset();
	}

	/** The wire log. */
	get requests(): readonly WireRequest[] {
		return this.#log.requests;
	}

	/** The most requests in flight at once since the start or the last reset. */
	get maxInFlight(): number {
		return this.#log.maxInFlight;
	}

	/** Lets a test act on every request that keeps to the contract, before it is worked on. */
	onRequest(listener: (request: WireRequest) => void): void {
		this.#listeners.push(listener);
	}

	/** Back to the state after the start, with its options, variants and fixtures; nobody listens. */
	reset(): void {
		const { port, demo, variants, ...options } = structuredClone(this.#start);
		this.fixtures.reset();
		this.ledger = new Ledger();
		this.faults = new Faults();
		this.jobs = [];
		this.variants = { ...mainVariants(), ...variants };
		this.options = options;
		this.violations = [];
		this.#listeners = [];
		this.#admitted = new Map();
		this.#prng = new Prng(1);
		this.#log.clear();
	}

	/** Ends at once, whatever is still in flight. */
	async close(): Promise<void> {
		await this.#app.close();
	}

	async listen(): Promise<void> {
		const app = this.#app;
		app.addHook('onRequest', async (request, reply) => this.#record(request, reply));
		app.addHook('preValidation', async (request) => this.#checkTransport(request));
		app.addHook('preHandler', (request, reply) => this.#admit(request, reply));
		app.addHook('onSend', async (request, reply, payload) => this.#send(request, reply, payload));
		app.setErrorHandler((error, request, reply) => this.#refuse(error, request, reply));
		app.setNotFoundHandler((request, reply) => {
			this.#violate('request', request, [
				`${request.method} ${request.url} is not in the document`,
			]);
			return this.#refuse(notFound('The path'), request, reply);
		});
		await serveDocument(app, (request, reply) => this.#answer(request, reply));
		this.baseUrl = await app.listen({ host: '127.0.0.1', port: this.#start.port ?? 0 });
	}

	#record(request: FastifyRequest, reply: FastifyReply): void {
		const { method, originalUrl: url, headers, query, routeOptions } = request;
		const operation = operationOf(member(routeOptions.schema, 'operationId'), query);
		request.entry = this.#log.start({ method, url, headers, query, operation });
		reply.raw.once('close', () => {
			request.entry.isLeft = request.entry.finishedAt === null;
			this.#log.finish(request.entry);
		});
	}

	#checkTransport({ entry, body }: FastifyRequest): void {
		entry.body = body;
		const keys = this.fixtures.accounts.map(({ key }) => key);
		const problems = transportProblems(entry, keys);
		if (problems.length > 0) throw new ContractViolation(problems);
	}

	/** Everything between the contract and the work: variants, latency, rate limit, faults. */
	async #admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
		const { entry, validationError } = request;
		if (entry.operation === null) return undefined;
		entry.query = request.query;
		if (lacksPath(entry, this.variants)) throw notFound('The path');
		if (!isBare(entry)) {
			if (validationError) throw validationError;
			const problems = variantProblems(entry, this.variants);
			if (problems.length > 0) throw new ContractViolation(problems);
		}

		for (const listener of this.#listeners) listener(entry);
		entry.faults = this.faults.hitting(entry);
		const { latencyMs = 0, jitter = 0, rateLimit } = this.options;
		const drawn = latencyMs * (1 + jitter * (2 * this.#prng.next() - 1));
		await pause(WAY * drawn);
		if (rateLimit) this.#limit(rateLimit, String(request.headers['x-access-key']), reply);
		const delayed = entry.faults.reduce((sum, { delayMs = 0 }) => sum + delayMs, 0);
		await pause((1 - WAY) * drawn + delayed);
		for (const { reset, redirect, body, status, ...effect } of entry.faults) {
			if (reset === 'before-charge') {
				reply.hijack();
				request.raw.socket.resetAndDestroy();
				return reply;
			}
			if (redirect !== undefined) return reply.redirect(redirect);
			if (status !== undefined && body === undefined) throw refusal({ status, ...effect }, reply);
		}
		return undefined;
	}

	/** Refuses what is beyond the limit. One of windows is stated. */
	#limit({ window, ...limit }: RateLimit, key: string, reply: FastifyReply): void {
		const now = performance.now();
		const begun = window ? now - (now % (window * SECOND_MS)) : now - SECOND_MS;
		const recent = (this.#admitted.get(key) ?? []).filter((at) => at > begun);
		const left = limit.perSecond * (window ?? 1) - recent.length;
		this.#admitted.set(key, left > 0 ? [...recent, now] : recent);
		const seconds = window && Math.ceil((begun - now) / SECOND_MS) + window;
		if (seconds !== undefined) {
			reply.header('X-RateLimit-Remaining', Math.max(0, left - 1));
			reply.header('X-RateLimit-Reset', seconds);
		}
		if (left <= 0) throw refusal({ status: 429, ...limit, ...(seconds && { seconds }) }, reply);
	}

	#answer({ entry, headers, params, query, body }: FastifyRequest, reply: FastifyReply): unknown {
		const account = this.fixtures.account(headers['x-access-key']);
		if (!account) {
			const message = 'A valid access key is required in X-Access-Key.';
			throw new ServiceError(401, 'unauthorized', message);
		}
		if (isBare(entry)) throw new ServiceError(400, 'bad_request', 'Parameters are missing.');
		if (!entry.operation) throw new Error(`Nobody answers ${entry.method} ${entry.path}`);
		const { id: requestId, faults } = entry;
		const call = { world: this, account, requestId, params, query, body, faults };
		const answer = operations[entry.operation](call);
		if (answer.isUnfinished) entry.faults = faults.filter((fault) => !isOfRows(fault));
		return reply.code(answer.status).send(answer.body);
	}

	#send({ entry, raw }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
		this.#log.finish(entry);
		if (entry.faults.some(({ reset }) => reset)) {
			raw.socket.resetAndDestroy();
			return payload;
		}
		const sent = this.#withIds(spoiltBody(reply, payload, entry.faults), entry);
		entry.status = reply.statusCode;
		return sent;
	}

	/** The ids of jobs and of leads in the form that the options say. */
	#withIds(payload: unknown, { operation }: WireRequest): unknown {
		const { ids } = this.options;
		const hasIds = /Bulk$|Job$|^getListLeads$/.test(operation ?? '');
		if (ids === undefined || !hasIds || typeof payload !== 'string') return payload;
		return payload.replaceAll(/"(id|next_start)":(\d+)/g, (_, name: string, id: string) => {
			if (ids === 'huge') return `"${name}":${HUGE}${id.padStart(7, '0')}`;
			return name === 'id' ? `"id":"${id}"` : `"${name}":${id}`;
		});
	}

	#refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
		if (error instanceof ServiceError) return reply.code(error.status).send(error.body);
		const violations = problemsOf(error);
		const message = violations.join('; ');
		// An error of ours, of Fastify or of the glue says what it is; any other is a bug of the emulator.
		const isOwn = (number(error, 'statusCode') ?? 500) === 500;
		this.#violate(isOwn ? 'response' : 'request', request, violations);
		return isOwn
			? reply.code(500).send({ error: 'emulator_bug', message })
			: reply.code(400).send({ error: 'contract_violation', message, violations });
	}

	#violate(kind: Violation['kind'], { entry }: FastifyRequest, problems: string[]): void {
		const { id: requestId, operation, method, path } = entry;
		this.violations.push({ kind, requestId, operation, method, path, problems });
	}
}

/** An error status, and when to come back. */
function refusal(effect: StatusEffect, reply: FastifyReply): ServiceError {
	const { status, statedIn = 'Retry-After' } = effect;
	const interval = retryAfterOf(effect);
	const isInBody = statedIn.startsWith('retry');
	if (interval !== undefined && !isInBody) reply.header(statedIn, interval);
	for (const [name, value] of Object.entries(effect.headers ?? {})) reply.header(name, value);
	const reason = STATUS_CODES[status] ?? 'Unknown';
	const error = reason.toLowerCase().replaceAll(' ', '_');
	const more = isInBody && Number(interval) >= 0 ? { [statedIn]: Number(interval) } : {};
	return new ServiceError(status, error, effect.words ?? reason, more);
}
