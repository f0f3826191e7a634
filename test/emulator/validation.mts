import compilers from '@fastify/ajv-compiler';
import responseValidation from '@fastify/response-validation';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';

import { ContractViolation } from './errors.mts';
import openapi from './openapi.json' with { type: 'json' };
import { member, textsOf } from './values.mts';

/** Nothing is added, removed or ignored silently, and all problems are named. */
const strict = {
	allErrors: true,
	allowUnionTypes: true,
	removeAdditional: false,
	strictRequired: false,
	strictTypes: false,
	useDefaults: false,
} as const;

/**
 * Serves the paths of the document. A request that breaks it is answered nevertheless, unless the answer looks at its
 * `validationError`; an answer that breaks it ends in the error handler.
 *
 * Paths and query strings are text, so there numbers, booleans and single values of an array are read from it; a body
 * has its types already.
 */
export async function serveDocument(
	app: FastifyInstance,
	answer: RouteHandlerMethod,
): Promise<void> {
	app.removeContentTypeParser('text/plain');
	const build = compilers();
	const compileText = build({}, { customOptions: { ...strict, coerceTypes: 'array' } });
	const compileBody = build({}, { customOptions: { ...strict, coerceTypes: false } });
	app.setValidatorCompiler((route) =>
		route.httpPart === 'body' ? compileBody(route) : compileText(route),
	);
	app.setSerializerCompiler(() => JSON.stringify);
	app.addHook('onRoute', (route) => void Object.assign(route, { attachValidation: true }));
	await app.register(responseValidation, {
		ajv: { ...strict, coerceTypes: false },
		responseStatusCodeValidation: true,
	});
	await app.register(openapiGlue, { specification: openapi, operationResolver: () => answer });
}

/** What breaks the document, by place. */
export function problemsOf(error: unknown): string[] {
	if (error instanceof ContractViolation) return error.problems;
	const found = member(error, 'validation');
	if (!Array.isArray(found)) return [error instanceof Error ? error.message : String(error)];
	const { validationContext = 'response' } = textsOf(error);
	return found.map((problem: unknown) => {
		const { instancePath = '', message = 'is wrong' } = textsOf(problem);
		const { additionalProperty } = textsOf(member(problem, 'params'));
		const unexpected = additionalProperty === undefined ? '' : ` (${additionalProperty})`;
		return `${validationContext}${instancePath} ${message}${unexpected}`;
	});
}
