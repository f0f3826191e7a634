import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'crypto';
import type { IContextObject, IDataObject } from 'n8n-workflow';

import type { Connection } from '../http/connection';
import { isObject } from '../values/json';

/** What the service knows, best first; nothing for a miss. */
export type Results = IDataObject[];

export interface Answer {
	results: Results;
	/** When the service gave it, in milliseconds since 1970. */
	at: number;
}

/** What came of a question, and what it has cost in credits; `null` where nobody knows that. */
export type Settled = { credits: number | null } & ({ answer: Answer } | { error: unknown });

/** An older answer is not reused, in milliseconds. */
const MAX_AGE = 24 * 60 * 60_000;

/** How many answers one execution keeps in memory. */
export const MAX_ANSWERS = 100_000;

/** Deleting many old entries at once is quicker: a Map steps over all that were deleted before. */
const MARGIN = 1.1;

/** How much of it n8n stores with the execution: whichever comes first. */
export const MAX_STORED_ANSWERS = 10_000;
export const MAX_STORED_LENGTH = 5_000_000;

/** So many answers are sealed together, and dropped together when they are the oldest. */
const ANSWERS_PER_BATCH = 25;

/** A longer answer, as JSON, is not stored: it would take the place of too many others. */
const MAX_ANSWER_LENGTH = 100_000;

/** Where n8n stores the answers with the execution. */
const RECORD = 'contactDataAnswers';

/** Answers of one account as n8n stores them. */
interface StoredBatch {
	/** The `id` of the connection that can open it. */
	connection: string;
	count: number;
	/** A JSON list of answers with their keys, sealed. */
	sealed: string;
}

/** The answer to a question, as it is sealed. */
type Entry = [key: string, at: number, results: Results];

/**
 * The answers of one execution. Identical questions share one request: within a node, across nodes, and when n8n runs a
 * node again. n8n stores the latest answers with the execution, so they outlive a wait and reach a retry. They hold
 * personal data that n8n's redaction does not reach, so they are sealed with the API key.
 */
export class AnswerStore {
	private readonly answers = new Map<string, Answer>();

	private readonly inProgress = new Map<string, Promise<Settled>>();

	/** The latest answers that n8n does not store yet. */
	private readonly unsaved = new Map<Connection, Entry[]>();

	private stored: StoredBatch[];

	/** The connections whose stored answers are in memory. */
	private readonly loaded = new Set<string>();

	constructor(
		private readonly record: IContextObject,
		private readonly maxAnswers = MAX_ANSWERS,
	) {
		const stored: unknown = record[RECORD];
		this.stored = Array.isArray(stored) ? stored.filter(isStoredBatch) : [];
	}

	/** Reads what an earlier run of the execution, or the one that it retries, has stored for an account. */
	load(connection: Connection): void {
		if (this.loaded.has(connection.id)) return;
		this.loaded.add(connection.id);
		for (const { sealed } of this.stored.filter((batch) => batch.connection === connection.id)) {
			for (const [key, at, results] of unsealed(sealed, connection)) {
				// The same question may have been answered again, after 24 hours.
				if (at >= (this.answers.get(key)?.at ?? 0)) this.answers.set(key, { at, results });
			}
		}
	}

	/** The answer to a question, if there is one or a request for it is in progress. */
	find(key: string): Answer | Promise<Settled> | undefined {
		const answer = this.answers.get(key);
		return answer && Date.now() - answer.at < MAX_AGE ? answer : this.inProgress.get(key);
	}

	/**
	 * Opens a question: until it is settled, all others who ask it wait for the same answer.
	 * @returns the coming answer, and the function that settles the question
	 */
	open(key: string, connection: Connection) {
		let resolve: (settled: Settled) => void = () => {};
		const settled = new Promise<Settled>((resolved) => (resolve = resolved));
		this.inProgress.set(key, settled);
		const settle = (outcome: Settled) => {
			this.inProgress.delete(key);
			if ('answer' in outcome) this.keep(key, outcome.answer, connection);
			resolve(outcome);
		};
		return { settled, settle };
	}

	/** Puts the latest answers into what n8n stores with the execution. */
	save(): void {
		if (this.unsaved.size === 0) return;
		const added = [...this.unsaved].flatMap(([connection, entries]) =>
			batchesOf(connection, entries),
		);
		this.unsaved.clear();
		this.stored = [...this.stored, ...added];
		let count = 0;
		let length = 0;
		const tooOld = this.stored.findLastIndex((batch) => {
			count += batch.count;
			length += batch.sealed.length;
			return count > MAX_STORED_ANSWERS || length > MAX_STORED_LENGTH;
		});
		this.stored = this.stored.slice(tooOld + 1);
		if (this.stored.length > 0) this.record[RECORD] = this.stored;
	}

	private keep(key: string, answer: Answer, connection: Connection): void {
		const { answers, maxAnswers, unsaved } = this;
		// An answer that comes again is the newest one.
		answers.delete(key);
		answers.set(key, answer);
		const entries = unsaved.get(connection) ?? [];
		unsaved.set(connection, entries);
		entries.push([key, answer.at, answer.results]);
		if (entries.length > 2 * MAX_STORED_ANSWERS) entries.splice(0, MAX_STORED_ANSWERS);
		if (answers.size <= maxAnswers * MARGIN) return;
		for (const oldest of answers.keys()) {
			if (answers.size <= maxAnswers) return;
			answers.delete(oldest);
		}
	}
}

/** Seals the latest answers of one account. */
function batchesOf(connection: Connection, entries: Entry[]): StoredBatch[] {
	const texts = entries
		.slice(-MAX_STORED_ANSWERS)
		.map(textOf)
		.filter(({ length }) => length > 0 && length <= MAX_ANSWER_LENGTH);
	const batches: StoredBatch[] = [];
	for (let start = 0; start < texts.length; start += ANSWERS_PER_BATCH) {
		const part = texts.slice(start, start + ANSWERS_PER_BATCH);
		const sealed = seal(`[${part.join(',')}]`, connection);
		batches.push({ connection: connection.id, count: part.length, sealed });
	}
	return batches;
}

/** An entry as JSON; empty where it is nested too deep for that. */
function textOf(entry: Entry): string {
	try {
		return JSON.stringify(entry);
	} catch {
		return '';
	}
}

function isStoredBatch(batch: unknown): batch is StoredBatch {
	if (!isObject(batch)) return false;
	const { connection, count, sealed } = batch;
	return typeof connection === 'string' && typeof count === 'number' && typeof sealed === 'string';
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function sealingKey({ apiKey, id }: Connection): Uint8Array {
	return new Uint8Array(hkdfSync('sha256', apiKey, id, RECORD, 32));
}

/** Encrypts a text (AES-256-GCM) with a key that is derived from the API key. */
function seal(text: string, connection: Connection): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, sealingKey(connection), iv);
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64');
}

/** The answers in a sealed text; none where it does not open, as after a rotation of the API key. */
function unsealed(sealed: string, connection: Connection): Entry[] {
	try {
		const bytes = Buffer.from(sealed, 'base64');
		const decipher = createDecipheriv(CIPHER, sealingKey(connection), bytes.subarray(0, IV_BYTES));
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		const text = Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
		return JSON.parse(text);
	} catch {
		return [];
	}
}
