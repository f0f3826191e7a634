/** @file What every item of the package has to be, whatever went in and whatever the service said. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';

import { root } from '../../machine/paths.mjs';
import { isRecord } from '../../emulator/values.mts';
import { STATUSES } from '../leads/outcomes.mts';

/** The reasons that the documentation tells, but for the one that is a fault of the package. */
const REASONS = new Set(
	readFileSync(join(root, 'docs', 'when-items-fail.md'), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| `'))
		.flatMap((line) => [...line.split('|')[1].matchAll(/`(\w+)`/g)].map(([, reason]) => reason))
		.filter((reason) => reason !== 'unexpected'),
);

/** Of the fields that an item lacks, or that hold what cannot be right. */
const OF_FIELDS =
	/^(missing_(name|company|keyword|list|job)|invalid_value|(unevaluated|failing)_expression)$/;

/** The outcome of a lookup, or one that says why there is no result: its status and reason are documented. */
export function expectDefined(outcome: IDataObject): void {
	const { lookupStatus: status, lookupReason: reason, lookupMessage: message } = outcome;
	expect(STATUSES).toContain(status);
	if (status === 'invalid_input') expect(reason).toMatch(OF_FIELDS);
	else if (status === 'pending') expect(['job_not_finished', ...REASONS]).toContain(reason);
	else if (status === 'failed' || status === 'not_processed') {
		expect([...REASONS]).toContain(reason);
	} else return;
	expect(message).toEqual(expect.any(String));
}

/** An item with what Search Company says of it, if anything, under the names that other lookups have for it. */
export function outcomeIn(json: IDataObject): IDataObject {
	const own = /^company(?=(Status|Reason|Message|Credits|Response)$)/;
	const said = Object.entries(json).filter(([name]) => own.test(name));
	const named = said.map(([name, value]) => [name.replace(own, 'lookup'), value]);
	return { ...json, ...Object.fromEntries(named) };
}

/** Whether an item says why there is no result. */
export function isProblem({ lookupStatus, lookupReason }: IDataObject): boolean {
	return STATUSES.includes(String(lookupStatus)) && typeof lookupReason === 'string';
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
