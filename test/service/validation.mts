import compilers from '@fastify/ajv-compiler';
import type { FastifyInstance } from 'fastify';

/** Nothing is added, removed or ignored silently, and all problems are named. */
const strict = {
	allErrors: true,
	allowUnionTypes: true,
	removeAdditional: false,
	strictRequired: false,
	strictTypes: false,
	useDefaults: false,
} as const;

/** Options of the response validator. */
export const responseAjv = { ...strict, coerceTypes: false } as const;

/**
 * Judges requests by the document. Paths and query strings are text, so there numbers, booleans and
 * single values of an array are read from it; a body has its types already.
 */
export function validateStrictly(app: FastifyInstance): void {
	const build = compilers();
	const compileText = build({}, { customOptions: { ...strict, coerceTypes: 'array' } });
	const compileBody = build({}, { customOptions: { ...strict, coerceTypes: false } });
	app.setValidatorCompiler((route) =>
		route.httpPart === 'body' ? compileBody(route) : compileText(route),
	);
	app.setSerializerCompiler(() => JSON.stringify);
}
