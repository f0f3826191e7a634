import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Service } from '../service/service.mts';
import { numbers } from './bulk.mts';
import { find, lookups, runLookup, type Lookup, type LookupTest } from './lookups.mts';
import type { NodeResult } from './engine.mts';

/** Something that can become of an item, and how it is brought about. */
export interface Outcome {
	/** In a few words. */
	what: string;
	/** The status that the item comes out with. */
	status: string;
	/** How the service behaves. */
	arrange?: (service: Service) => void;
	options?: INodeParameters;
	/** Besides those of the lookup. */
	parameters?: INodeParameters;
	/** The fields of the item that the lookup goes by. */
	item: IDataObject;
}

/** The number of a lead who is found, and of one who is not. */
export const [hit] = numbersOf((number) => find.subject(number) !== null);
export const [miss] = numbersOf((number) => find.subject(number) === null);

function numbersOf(matches: (number: number) => boolean): number[] {
	return numbers(100).filter(matches);
}

/** The parameter by which an item brings along what a lookup looks up. */
export function existingOf({ credits }: Pick<Lookup, 'credits'>): INodeParameters {
	return credits === 'email'
		? { existingEmail: '={{ $json.email }}' }
		: { existingStatus: '={{ $json.emailStatus }}' };
}

/** Everything that can become of an item of a lookup. */
export function outcomesOf(lookup: Lookup): Outcome[] {
	const isFinder = lookup.credits === 'email';
	const item = lookup.item(hit);
	const isBulkFinder = lookup.operation === 'findBulk';
	const endless = { bulkAnswer: 'job', jobPolls: 1_000_000 } as const;
	return [
		{ what: 'the answer', status: isFinder ? 'found' : 'verified', item },
		...(isFinder ? [{ what: 'a miss', status: 'not_found', item: lookup.item(miss) }] : []),
		{
			what: 'what it brought along',
			status: 'known',
			parameters: existingOf(lookup),
			item: { ...item, ...(isFinder ? { email: 'ada@acme.example' } : { emailStatus: 'OK' }) },
		},
		{
			what: 'a field that it lacks',
			status: 'invalid_input',
			item: isFinder ? { first: 'Ann' } : { email: '' },
		},
		{ what: 'a cap', status: 'not_processed', options: { maxCredits: 0 }, item },
		{
			what: 'a refused key',
			status: 'failed',
			arrange: ({ faults }) => faults.add({ status: 401 }),
			item,
		},
		{
			what: 'a service that is busy',
			status: 'failed',
			arrange: ({ faults }) => faults.add({ status: 503 }),
			options: { maxRetries: 0 },
			item,
		},
		{
			what: 'a lost connection',
			status: 'failed',
			arrange: ({ faults }) => faults.add({ reset: 'after-charge' }),
			options: { maxRetries: 0 },
			item,
		},
		...(isFinder
			? []
			: [
					{
						what: 'no email, which is skipped',
						status: 'skipped',
						options: { skipEmpty: true },
						item: { email: '' },
					},
					{ what: 'no address', status: 'verified', item: { email: 'no-at-sign' } },
				]),
		...(isBulkFinder
			? [
					{
						what: 'a job that goes on',
						status: 'pending',
						arrange: ({ variants }: Service) => Object.assign(variants, endless),
						options: { jobTimeout: 0 },
						item,
					},
					{
						what: 'a job that fails',
						status: 'failed',
						arrange: ({ variants }: Service) =>
							Object.assign(variants, { ...endless, jobPolls: 0, jobOutcome: 'failed' }),
						options: { jobTimeout: 0 },
						item,
					},
				]
			: []),
	];
}

/** Every outcome of every lookup. */
export const everyOutcome = lookups.flatMap((lookup) =>
	outcomesOf(lookup).map((outcome) => ({ operation: lookup.operation, lookup, ...outcome })),
);

/** Brings an outcome about for these items, which hold the fields of its item, in a service as it was at its start. */
export async function bringAbout(
	lookup: Lookup,
	{ arrange, options, parameters }: Omit<Outcome, 'what' | 'status' | 'item'>,
	service: Service,
	items: IDataObject[],
	test: LookupTest = {},
): Promise<NodeResult> {
	service.reset();
	arrange?.(service);
	return await runLookup(lookup, service, items, {
		onError: 'continueRegularOutput',
		...test,
		options: { ...options, ...test.options },
		parameters: { ...parameters, ...test.parameters },
	});
}

/** Who a lead is: never replaced by the finder and the verifier. */
export const WHO = ['firstName', 'lastName', 'fullName', 'company', 'domain', 'country'];

/** The statuses of the package's items. */
export const STATUSES = [
	'found',
	'verified',
	'known',
	'skipped',
	'not_found',
	'invalid_input',
	'not_processed',
	'pending',
	'failed',
];

/** What goes with a status that is replaced. */
export const STALE = ['reason', 'message', 'httpCode', 'jobId', 'jobRow', 'credits'];

export function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/**
 * A result beside the fields of the input, as the contract has it.
 *
 * @param kept the fields that a result only fills
 */
export function besideInput(
	{ error: _, ...input }: IDataObject,
	result: IDataObject,
	kept: string[] = WHO,
): IDataObject {
	const keepsStatus = result.status === 'skipped' && !isBlank(input.status);
	// An answer with Simplify off has no status of its own: an earlier one is no longer true all the same.
	const isReplaced = !('status' in result) || (!isBlank(result.status) && !keepsStatus);
	const isStale = isReplaced && STATUSES.includes(String(input.status));
	const stale = ['status', ...STALE];
	const left = Object.entries(input).filter(([name]) => !(isStale && stale.includes(name)));
	const merged = Object.fromEntries(left);
	for (const [name, value] of Object.entries(result)) {
		const isAbsent = isBlank(value) && name in merged;
		// What stays when nothing is found was not checked now.
		const isOfBefore = name === 'checkedAt' && result.status === 'not_found';
		const isKept = (kept.includes(name) || isOfBefore) && !isBlank(merged[name]);
		// What an earlier node spent is not what this one did, even where that is not known.
		const isCost = name === 'credits';
		if ((!isAbsent || isCost) && !isKept && !(name === 'status' && keepsStatus))
			merged[name] = value;
	}
	return merged;
}

/** The items without the moment of their answer, which differs from run to run. */
export function timeless(items: IDataObject[]): IDataObject[] {
	const text = JSON.stringify(items);
	return JSON.parse(text.replaceAll(/"checkedAt":"20\d\d-[^"]+Z"/g, '"checkedAt":"then"'));
}
