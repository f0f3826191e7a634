/**
 * Readers for values that the OpenAPI document has already been applied to: they give them a type
 * and answer undefined for what was not sent.
 */

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(values: unknown, name: string): unknown {
	return isRecord(values) ? values[name] : undefined;
}

export function text(values: unknown, name: string): string | undefined {
	const value = member(values, name);
	return typeof value === 'string' ? value : undefined;
}

export function number(values: unknown, name: string): number | undefined {
	const value = member(values, name);
	return typeof value === 'number' ? value : undefined;
}

export function flag(values: unknown, name: string): boolean {
	return member(values, name) === true;
}

export function texts(values: unknown, name: string): string[] {
	const value = member(values, name);
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
