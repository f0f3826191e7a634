import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'crypto';
import type { IContextObject, IDataObject } from 'n8n-workflow';
import { InvalidInput, NotProcessed } from '../failures/failure';
import type { Connection } from '../http/connection';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The key for one kind of text of an account. */
function sealingKey({ apiKey, id }: Connection, what: string): Uint8Array {
	return new Uint8Array(hkdfSync('sha256', apiKey, id, what, 32));
}

/**
 * Encrypts a text with the API key, so that only its account can read it where n8n stores it.
 * @param what kind of text it is: one kind does not open as another
 */
export function seal(text: string, connection: Connection, what: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, sealingKey(connection, what), iv);
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64');
}

/** Opens a sealed text; `undefined` if it cannot be opened, e.g. after the API key was rotated. */
export function unsealed(sealed: string, connection: Connection, what: string): string | undefined {
	try {
		const bytes = Buffer.from(sealed, 'base64');
		const decipher = createDecipheriv(
			CIPHER,
			sealingKey(connection, what),
			bytes.subarray(0, IV_BYTES),
		);
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/** The field that an answer fills: operations that find the same share their answers. */
export type Finds = 'email' | 'emailStatus' | 'companyData';

/** What is known of a question. */
export interface Answer {
	/** Best first; none for a miss. */
	results: IDataObject[];
	/** When the service gave it, in milliseconds since 1970; undefined for one that needs no service. */
	at?: number;
}

/** What a question has cost. */
export interface Paid {
	/** In credits; `null` where nobody knows. */
	credits: number | null;
	/** Whether a bulk job answered it, which an earlier run has paid for. */
	isOfJob?: boolean;
}

/** What came of a question; shared if another node or item of the execution has sent it and pays for it. */
export type Settled = Paid & { isShared?: true } & ({ answer: Answer } | { error: unknown });

/** An older answer is not reused, in milliseconds. */
const MAX_AGE = 24 * 60 * 60_000;

/** The most that n8n stores with the execution: so many answers, or so many characters. */
const MAX_STORED_ANSWERS = 10_000;
const MAX_STORED_LENGTH = 5_000_000;

/** The size of a batch: its answers are sealed together, and dropped together once they are the oldest. */
const ANSWERS_PER_BATCH = 100;
const BATCH_LENGTH = 500_000;

/** A longer answer, as JSON, is not stored: it would take the place of too many others. */
const MAX_ANSWER_LENGTH = 100_000;

/** Where n8n stores the answers with the execution. Another shape of them needs another name. */
const RECORD = 'contactDataAnswers';

interface StoredBatch {
	/** The `id` of the connection that can open it. */
	connection: string;
	count: number;
	/** A JSON list of entries. */
	sealed: string;
}

type Entry = [key: string, answer: Answer];

/**
 * The answers of one execution. Identical questions share one request: within a node, across nodes, and when n8n runs a
 * node again. n8n stores the latest answers with the execution, so they outlive a wait and reach a retry. They hold
 * personal data that n8n's redaction does not reach, so they are sealed with the API key.
 */
export class AnswerStore {
	private readonly answers = new Map<string, Answer>();
	private readonly inProgress = new Map<string, Promise<Settled>>();

	/** The latest entries, as JSON: too few for a batch. */
	private readonly unsaved = new Map<Connection, string[]>();
	private unsavedLength = 0;

	/** The oldest first. */
	private readonly stored: StoredBatch[];

	/** The connections whose stored answers are in memory. */
	private readonly loaded = new Set<string>();

	constructor(private readonly record: IContextObject) {
		this.stored = record[RECORD] ?? [];
	}

	/**
	 * Returns the answer that this execution, or the one that it retries, has to a question, if it is less than a day old.
	 * The first call for an account opens what is stored for it.
	 */
	find(key: string, connection: Connection): Answer | undefined {
		const { id } = connection;
		const sealed = this.loaded.has(id) ? [] : this.stored.filter((one) => one.connection === id);
		this.loaded.add(id);
		for (const batch of sealed) {
			for (const entry of entriesIn(batch, connection)) this.answers.set(...entry);
		}
		const answer = this.answers.get(key);
		return answer && Date.now() - (answer.at ?? 0) < MAX_AGE ? answer : undefined;
	}

	get isEmpty(): boolean {
		return this.answers.size === 0 && this.stored.length === 0;
	}

	/**
	 * Resolves a question once per execution. Concurrent callers share one request, which `work` begins at once. If the
	 * limits of another node blocked it, the caller sends it itself.
	 */
	async ask(key: string, connection: Connection, work: () => Promise<Settled>): Promise<Settled> {
		for (let asked; (asked = this.inProgress.get(key)); ) {
			const settled = await asked;
			const error = 'error' in settled ? settled.error : undefined;
			const isOfOthers = error instanceof NotProcessed || error instanceof InvalidInput;
			if (!isOfOthers) return { ...settled, credits: 0, isShared: true };
		}
		const answer = this.find(key, connection);
		if (answer) return { answer, credits: 0, isShared: true };
		try {
			const working = work();
			this.inProgress.set(key, working);
			const settled = await working;
			if ('answer' in settled) this.keep([key, settled.answer], connection);
			return settled;
		} finally {
			this.inProgress.delete(key);
		}
	}

	/** Puts the latest answers into what n8n stores with the execution, in place of the oldest ones. */
	save(): void {
		if (this.unsaved.size === 0) return;
		for (const [connection, texts] of this.unsaved) {
			const sealed = seal(`[${texts.join(',')}]`, connection, RECORD);
			this.stored.push({ connection: connection.id, count: texts.length, sealed });
		}
		this.unsaved.clear();
		this.unsavedLength = 0;
		let count = 0;
		let length = 0;
		const tooOld = this.stored.findLastIndex((batch) => {
			count += batch.count;
			length += batch.sealed.length;
			return count > MAX_STORED_ANSWERS || length > MAX_STORED_LENGTH;
		});
		this.stored.splice(0, tooOld + 1);
		this.record[RECORD] = this.stored;
	}

	/** Keeps an answer for later callers with the same question. */
	keep(entry: Entry, connection: Connection): void {
		const [key, { results }] = entry;
		if (this.answers.get(key)?.results === results) return;
		this.answers.set(...entry);
		const text = JSON.stringify(entry);
		if (text.length > MAX_ANSWER_LENGTH) return;
		const texts = this.unsaved.get(connection) ?? [];
		this.unsaved.set(connection, texts);
		texts.push(text);
		this.unsavedLength += text.length;
		if (texts.length === ANSWERS_PER_BATCH || this.unsavedLength > BATCH_LENGTH) this.save();
	}
}

/** The answers of a batch; none if it cannot be opened, e.g. after the API key was rotated. */
function entriesIn({ sealed }: StoredBatch, connection: Connection): Entry[] {
	const text = unsealed(sealed, connection, RECORD);
	return text === undefined ? [] : JSON.parse(text);
}
