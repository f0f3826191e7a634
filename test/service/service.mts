import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import responseValidation from '@fastify/response-validation';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';

import { BulkJobs } from './bulkJobs.mts';
import { transportProblems, variantProblems } from './contract.mts';
import { endpointOf } from './endpoints.mts';
import { ContractViolation, notFound, ServiceError, unauthorized } from './errors.mts';
import { bodyEffect, delayOf, Faults, retryAfter, type StatusEffect } from './faults.mts';
import { Fixtures } from './fixtures.mts';
import { Ledger } from './ledger.mts';
import openapi from './openapi.json' with { type: 'json' };
import { Prng } from './prng.mts';
import { RateLimiter } from './rateLimiter.mts';
import { spoiltBody } from './spoiltBody.mts';
import { responseAjv, validateStrictly } from './validation.mts';
import { isRecord, text } from './values.mts';
import { mainVariants, type Variants } from './variants.mts';
import { violation, type Violation } from './violations.mts';
import { WireLog, type WireRequest } from './wireLog.mts';
import type { ServiceOptions, World } from './world.mts';

export interface StartOptions extends ServiceOptions {
	/** An ephemeral one unless given. */
	port?: number;
	/** The same seed gives the same fixtures. */
	seed?: number;
	variants?: Partial<Variants>;
}

export type RequestListener = (request: WireRequest) => void;

/** A running service and everything that a test turns or looks at. */
export interface Service {
	readonly baseUrl: string;
	readonly fixtures: Fixtures;
	readonly ledger: Ledger;
	/** The wire log. */
	readonly requests: readonly WireRequest[];
	/** The most requests in flight at once since the start or the last reset. */
	readonly maxInFlight: number;
	/** Empty as long as client and emulator keep to the contract. */
	readonly violations: readonly Violation[];
	readonly faults: Faults;
	/** Lets a test act on every request that keeps to the contract, before it is worked on. */
	onRequest(listener: RequestListener): void;
	/** Mutable. */
	readonly variants: Variants;
	/** Mutable. */
	readonly options: ServiceOptions;
	/** Back to the state after the start, with its options, variants and fixtures; nobody listens. */
	reset(): void;
	/** Ends at once, whatever is still in flight. */
	close(): Promise<void>;
}

/** The part of a latency that a request takes to the door, where the rate is limited: the rest is work. */
const WAY = 0.1;

async function pause(milliseconds: number): Promise<void> {
	if (milliseconds > 0) await wait(milliseconds, undefined, { ref: false });
}

/** Starts the emulated service on 127.0.0.1, over plain HTTP as behind a TLS proxy. */
export async function startService(start: StartOptions = {}): Promise<Service> {
	const { port = 0, seed, variants, ...options } = start;
	const emulator = new Emulator(new Fixtures(seed), variants ?? {}, options);
	const baseUrl = await emulator.listen(port);
	return {
		baseUrl,
		fixtures: emulator.world.fixtures,
		ledger: emulator.world.ledger,
		requests: emulator.log.requests,
		get maxInFlight() {
			return emulator.log.maxInFlight;
		},
		violations: emulator.violations,
		faults: emulator.faults,
		onRequest: (listener) => void emulator.listeners.push(listener),
		variants: emulator.world.variants,
		options: emulator.world.options,
		reset: () => emulator.reset(),
		close: () => emulator.close(),
	};
}

class Emulator {
	readonly world: World;
	readonly log = new WireLog();
	readonly faults = new Faults();
	readonly listeners: RequestListener[] = [];
	readonly violations: Violation[] = [];
	readonly #app: FastifyInstance = fastify({
		exposeHeadRoutes: false,
		forceCloseConnections: true,
	});
	readonly #rateLimiter = new RateLimiter();
	#prng = new Prng(1);
	readonly #recorded = new WeakMap<FastifyRequest, WireRequest>();
	readonly #initialVariants: Partial<Variants>;
	readonly #initialOptions: ServiceOptions;

	constructor(fixtures: Fixtures, variants: Partial<Variants>, options: ServiceOptions) {
		this.#initialVariants = structuredClone(variants);
		this.#initialOptions = structuredClone(options);
		this.world = {
			fixtures,
			ledger: new Ledger(),
			jobs: new BulkJobs(),
			variants: { ...mainVariants(), ...variants },
			options: { ...options },
		};
	}

	async listen(port: number): Promise<string> {
		const app = this.#app;
		app.removeContentTypeParser('text/plain');
		validateStrictly(app);
		app.addHook('onRequest', async (request, reply) => this.#record(request, reply));
		app.addHook('preValidation', async (request) => this.#checkTransport(request));
		app.addHook('preHandler', (request, reply) => this.#admit(request, reply));
		app.addHook('onSend', async (request, reply, payload) => this.#send(request, reply, payload));
		app.setErrorHandler((error, request, reply) => this.#refuse(error, request, reply));
		app.setNotFoundHandler((request, reply) => this.#missRoute(request, reply));
		await app.register(responseValidation, {
			ajv: responseAjv,
			responseStatusCodeValidation: true,
		});
		await app.register(openapiGlue, {
			specification: openapi,
			securityHandlers: { accessKey: async (request: FastifyRequest) => this.#account(request) },
			operationResolver: () => (request, reply) => this.#answer(request, reply),
		});
		return app.listen({ host: '127.0.0.1', port });
	}

	reset(): void {
		const { fixtures, ledger, jobs, variants, options } = this.world;
		fixtures.reset();
		ledger.clear();
		jobs.clear();
		this.log.clear();
		this.faults.clear();
		this.listeners.length = 0;
		this.#rateLimiter.clear();
		this.#prng = new Prng(1);
		this.violations.length = 0;
		restore(variants, { ...mainVariants(), ...this.#initialVariants });
		restore(options, this.#initialOptions);
	}

	async close(): Promise<void> {
		await this.#app.close();
	}

	#record(request: FastifyRequest, reply: FastifyReply): void {
		const entry = this.log.start(request.method, request.url, request.headers);
		entry.query = request.query;
		entry.operation = this.#endpoint(request)?.operation ?? null;
		this.#recorded.set(request, entry);
		reply.raw.once('close', () => this.log.finish(entry));
	}

	#entry(request: FastifyRequest): WireRequest {
		const entry = this.#recorded.get(request);
		if (!entry) throw new Error(`${request.method} ${request.url} was not recorded`);
		return entry;
	}

	#endpoint({ routeOptions, query }: FastifyRequest): ReturnType<typeof endpointOf> {
		return endpointOf(text(routeOptions.schema, 'operationId') ?? '', query);
	}

	#checkTransport(request: FastifyRequest): void {
		const entry = this.#entry(request);
		entry.body = request.body;
		const keys = this.world.fixtures.accounts.map(({ key }) => key);
		const problems = transportProblems(entry, keys);
		if (problems.length > 0) throw new ContractViolation(problems);
	}

	/** Everything between the contract and the work: variants, latency, rate limit, faults. */
	async #admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
		const entry = this.#entry(request);
		const { operation } = entry;
		if (operation === null) return undefined;
		entry.query = request.query;
		const { variants, options } = this.world;
		const problems = variantProblems(operation, request.query, request.body, variants);
		if (problems.length > 0) throw new ContractViolation(problems);

		for (const listener of this.listeners) listener(entry);
		entry.faults = this.faults.hitting(entry);
		const { latencyMs = 0, jitter = 0 } = options;
		const drawn = latencyMs * (1 + jitter * (2 * this.#prng.next() - 1));
		await pause(WAY * drawn);
		this.#limitRate(request, reply);
		await pause((1 - WAY) * drawn + delayOf(entry.faults));
		for (const fault of entry.faults) {
			if ('reset' in fault && fault.reset === 'before-charge') {
				reply.hijack();
				request.raw.socket.resetAndDestroy();
				return reply;
			}
			if ('redirect' in fault) {
				return reply.redirect(fault.redirect);
			}
			if ('status' in fault && !('body' in fault)) this.#refuseByFault(fault, reply);
		}
		return undefined;
	}

	#limitRate(request: FastifyRequest, reply: FastifyReply): void {
		const limit = this.world.options.rateLimit;
		const key = String(request.headers['x-access-key']);
		if (!limit || this.#rateLimiter.admits(key, limit.perSecond)) return;
		this.#refuseByFault({ status: 429, ...limit }, reply);
	}

	#refuseByFault(effect: StatusEffect, reply: FastifyReply): never {
		const interval = retryAfter(effect);
		if (interval !== undefined) reply.header('retry-after', interval);
		const reason = STATUS_CODES[effect.status] ?? 'Unknown';
		throw new ServiceError(effect.status, reason.toLowerCase().replaceAll(' ', '_'), reason);
	}

	#account({ headers }: FastifyRequest) {
		const account = this.world.fixtures.account(headers['x-access-key']);
		if (!account) throw unauthorized();
		return account;
	}

	#answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const endpoint = this.#endpoint(request);
		if (!endpoint) throw new Error(`Nobody answers ${request.method} ${request.url}`);
		const { params, query, body } = request;
		const { id, faults } = this.#entry(request);
		const answer = endpoint.answer({
			world: this.world,
			account: this.#account(request),
			requestId: id,
			params,
			query,
			body,
			faults,
		});
		return reply.code(answer.status).send(answer.body);
	}

	#send(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
		const entry = this.#entry(request);
		const { faults } = entry;
		this.log.finish(entry);
		if (faults.some((fault) => 'reset' in fault)) {
			request.raw.socket.resetAndDestroy();
			return payload;
		}
		const effect = bodyEffect(faults);
		const sent =
			effect && typeof payload === 'string' ? spoiltBody(reply, payload, effect) : payload;
		entry.status = reply.statusCode;
		return sent;
	}

	#missRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const problems = [`${request.method} ${request.url} is not in the document`];
		this.violations.push(violation('request', this.#entry(request), problems));
		const { status, body } = notFound('The path');
		return reply.code(status).send(body);
	}

	#refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
		if (error instanceof ServiceError) return reply.code(error.status).send(error.body);
		if (statusOf(error) === 401) return this.#refuse(unauthorized(), request, reply);
		const entry = this.#entry(request);
		const problems = problemsOf(error);
		if (statusOf(error) === 500) {
			this.violations.push(violation('response', entry, problems));
			return reply.code(500).send({ error: 'emulator_bug', message: problems.join('; ') });
		}
		this.violations.push(violation('request', entry, problems));
		return reply.code(400).send({
			error: 'contract_violation',
			message: problems.join('; '),
			violations: problems,
		});
	}
}

/** Gives an object that others hold the content of another, and nothing else. */
function restore<T extends object>(target: T, content: T): void {
	for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
	Object.assign(target, structuredClone(content));
}

/** The status that goes with an error of ours, of Fastify or of the glue; 500 is a bug. */
function statusOf(error: unknown): number {
	if (error instanceof ContractViolation) return 400;
	const status = isRecord(error) ? error.statusCode : undefined;
	return typeof status === 'number' ? status : 500;
}

function problemsOf(error: unknown): string[] {
	if (error instanceof ContractViolation) return error.problems;
	if (isRecord(error) && Array.isArray(error.validation)) {
		const part = text(error, 'validationContext') ?? 'response';
		return error.validation.map((problem) => problemOf(part, problem));
	}
	return [error instanceof Error ? error.message : String(error)];
}

function problemOf(part: string, problem: unknown): string {
	const unexpected = isRecord(problem) ? text(problem.params, 'additionalProperty') : undefined;
	const place = `${part}${text(problem, 'instancePath') ?? ''}`;
	return `${place} ${text(problem, 'message') ?? 'is wrong'}${unexpected ? ` (${unexpected})` : ''}`;
}
