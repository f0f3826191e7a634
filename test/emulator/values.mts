/**
 * Readers for values that the OpenAPI document has already been applied to: they give them a type
 * and answer undefined for what was not sent.
 */

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function member(values: unknown, name: string): unknown {
	return isRecord(values) ? values[name] : undefined;
}

/** All members that are texts. */
export function textsOf(values: unknown): Partial<Record<string, string>> {
	const entries = Object.entries(isRecord(values) ? values : {});
	return Object.fromEntries(
		entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
	);
}

export function number(values: unknown, name: string): number | undefined {
	const value = member(values, name);
	return typeof value === 'number' ? value : undefined;
}

export function flag(values: unknown, name: string): boolean {
	return member(values, name) === true;
}

/** A part of a URL; one that cannot be decoded as it is. */
export function decoded(uriPart: string): string {
	try {
		return decodeURIComponent(uriPart);
	} catch {
		return uriPart;
	}
}
