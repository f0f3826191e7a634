/** @file What every item of the package has to be, whatever went in and whatever the service said. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';

import { root } from '../../machine/paths.mjs';
import { isRecord } from '../../emulator/values.mts';
import { operations } from '../../operations.mts';
import { STATUSES } from '../leads/outcomes.mts';

/** The reasons that the documentation tells, but for the one that is a fault of the package. */
const REASONS = new Set(
	readFileSync(join(root, 'docs', 'when-items-fail.md'), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| `'))
		.flatMap((line) => [...line.split('|')[1].matchAll(/`(\w+)`/g)].map(([, reason]) => reason))
		.filter((reason) => reason !== 'unexpected'),
);

/** Of the fields that an item lacks, or that hold what cannot be meant. */
const OF_FIELDS =
	/^(missing_(name|company|keyword|list|job)|invalid_value|(unevaluated|failing)_expression)$/;

/**
 * An item of a lookup, or one that says why there is no result: its status and reason are documented. What Search
 * Company says stands in the field `companyData` of its item.
 */
export function expectDefined({ status, reason, message }: IDataObject): void {
	expect(STATUSES).toContain(status);
	if (status === 'invalid_input') expect(reason).toMatch(OF_FIELDS);
	else if (status === 'pending') expect(['job_not_finished', ...REASONS]).toContain(reason);
	else if (status === 'failed' || status === 'not_processed') {
		expect([...REASONS]).toContain(reason);
	} else return;
	expect(message).toEqual(expect.any(String));
}

const objects = operations.flatMap(({ object }) => object ?? []);

/** Where an item says what became of it: some lookups say it in an object of their own, beside the fields of the item. */
export function outcomeIn(json: IDataObject): IDataObject {
	const isOutcome = (value: unknown): value is IDataObject => isRecord(value) && 'status' in value;
	return objects.map((name) => json[name]).find(isOutcome) ?? json;
}

/** Whether an item says why there is no result. */
export function isProblem({ status, reason }: IDataObject): boolean {
	return STATUSES.includes(String(status)) && typeof reason === 'string';
}

/**
 * What n8n can store: nothing `undefined`, no number that JSON does not have, nothing nested too deep.
 *
 * @param isRaw whether it is the service's own object, which may say 1e400
 */
export function expectJson(value: unknown, isRaw = false): void {
	const strangers: unknown[] = [];
	// The object that holds a value tells what it was before `toJSON`.
	const note = function (this: Record<string, unknown>, name: string): unknown {
		const one = this[name];
		const isPlain = isRecord(one) && Object.getPrototypeOf(one) === Object.prototype;
		if (!isPlain && !Array.isArray(one) && !isJsonValue(one, isRaw)) strangers.push([name, one]);
		return one;
	};
	expect(() => JSON.stringify(value, note)).not.toThrow();
	expect(strangers).toEqual([]);
}

function isJsonValue(value: unknown, isRaw: boolean): boolean {
	if (typeof value === 'number') return isRaw ? !Number.isNaN(value) : Number.isFinite(value);
	return value === null || typeof value === 'string' || typeof value === 'boolean';
}
