import type { IContextObject, IDataObject } from 'n8n-workflow';
import { endedBy, failureOf, isPending } from '../failures/failure';
import type { Connection } from '../http/connection';
import { MAX_AGE, Recent } from './recent';
import { seal, unsealed } from './sealing';

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
	/** How often its request was sent, if that may have been charged more than once. */
	sent?: number;
}

/** What came of a question; shared if another node or execution sends it and pays for it, earlier if it was known before. */
export type Settled = Paid & { isShared?: true; isEarlier?: true } & (
		| { answer: Answer }
		| { error: unknown }
	);

/** So often a question is sent in one execution, if it brings no answer and nobody knows what it costs. */
const MAX_UNANSWERED = 3;

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

/** The charged answers of all executions of this process, each as the JSON of its entry: no reader changes what others read. */
const recent = new Recent<string>();

/** The questions that an execution of this process is asking. */
const asking = new Map<string, Promise<Settled>>();

/**
 * The answers of one execution. Identical questions share one request: within a node, across nodes, when n8n runs a node
 * again, and across the executions of this process, which keeps what was charged for a day: a second click, or an event
 * that comes twice, costs nothing. n8n stores the latest answers with the execution, so they outlive a wait and reach a
 * retry. They hold personal data that n8n's redaction does not reach, so they are sealed with the API key.
 */
export class AnswerStore {
	private readonly answers = new Map<string, Answer>();

	/** What may have been paid for without an answer: how often, how often by its last request, what came then. */
	private readonly unanswered = new Map<string, { times: number; sent: number; error: unknown }>();

	/** The latest entries, as JSON: too few for a batch. */
	private readonly unsaved = new Map<Connection, string[]>();
	private unsavedLength = 0;

	/** The oldest first. */
	private readonly stored: StoredBatch[];

	/** The connections whose stored answers are in memory. */
	private readonly loaded = new Set<string>();

	/** What comes of a question that another execution is asking, when this one ends before. */
	private readonly ended: Promise<Settled>;

	constructor(
		private readonly record: IContextObject,
		private readonly signal?: AbortSignal,
	) {
		this.stored = record[RECORD] ?? [];
		this.ended = new Promise((resolve) => {
			signal?.addEventListener('abort', () => resolve({ error: endedBy(signal), credits: 0 }));
		});
	}

	/**
	 * Returns the answer that this execution, the one that it retries, or this process has to a question, if it is less than
	 * a day old. The first call for an account opens what is stored for it.
	 * @param since a time in milliseconds since 1970: an answer has to be newer
	 */
	find(key: string, connection: Connection, since: number): Answer | undefined {
		const { id } = connection;
		if (!this.loaded.has(id)) {
			this.loaded.add(id);
			const own = this.stored.filter((batch) => batch.connection === id);
			for (const batch of own) {
				for (const entry of entriesIn(batch, connection)) this.answers.set(...entry);
			}
		}
		const oldest = Math.max(since, Date.now() - MAX_AGE);
		const isNew = (answer?: Answer) => (answer?.at ?? 0) > oldest;
		const known = this.answers.get(key);
		if (isNew(known)) return known;
		const text = recent.get(key);
		const [, answer]: Partial<Entry> = text === undefined ? [] : JSON.parse(text);
		return isNew(answer) ? answer : undefined;
	}

	/** Whether this execution has, or had, an answer to a question. */
	has(key: string): boolean {
		return this.answers.has(key);
	}

	get isEmpty(): boolean {
		return this.answers.size === 0 && this.stored.length === 0;
	}

	/**
	 * Resolves a question once. Concurrent callers of all executions share one request, which `work` begins at once. If it
	 * ends without an answer and for free, the caller sends it itself.
	 */
	async ask(
		key: string,
		connection: Connection,
		work: () => Promise<Settled>,
		since: number,
	): Promise<Settled> {
		for (let asked; (asked = asking.get(key)); ) {
			const settled = await Promise.race([asked, this.ended]);
			if ('answer' in settled) this.keep([key, settled.answer], connection);
			// What has cost nothing, or waits for a job, ended by the settings of whoever asked.
			const isOfOthers = 'error' in settled && (settled.credits === 0 || isPending(settled.error));
			if (!isOfOthers || this.signal?.aborted) return { ...settled, credits: 0, isShared: true };
		}
		const answer = this.find(key, connection, since);
		if (answer) {
			this.keep([key, answer], connection);
			return { answer, credits: 0, isEarlier: true };
		}
		const refusal = this.refusalOf(key);
		if (refusal) return refusal;
		try {
			const working = work();
			asking.set(key, working);
			const settled = await working;
			if ('answer' in settled) this.keep([key, settled.answer], connection);
			else if (settled.credits === null && !isPending(settled.error)) this.sentInVain(key, settled);
			return settled;
		} finally {
			asking.delete(key);
		}
	}

	/** Counts a question that was sent, and whose cost nobody knows: a loop would pay for it without end. */
	sentInVain(key: string, { error, sent = 1 }: Pick<Paid, 'sent'> & { error: unknown }): void {
		const { times = 0 } = this.unanswered.get(key) ?? {};
		this.unanswered.set(key, { times: times + sent, sent, error });
	}

	/** Why a question is not sent again, if it was sent in vain too often. */
	refusalOf(key: string): Settled | undefined {
		const before = this.unanswered.get(key);
		if (!before || before.times + before.sent <= MAX_UNANSWERED) return undefined;
		const { times } = before;
		const failure = failureOf(before.error);
		const message = `Not sent again: it was sent ${times} times and may have been charged (${failure.message})`;
		return { error: failure.with({ status: 'not_processed', message }), credits: 0 };
	}

	/** Puts the latest answers into what n8n stores with the execution, in place of the oldest ones. */
	save(): void {
		if (this.unsaved.size === 0) return;
		for (const [connection, texts] of this.unsaved) {
			const sealed = seal(`[${texts.join(',')}]`, connection);
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
		const [key, answer] = entry;
		if (this.answers.get(key)?.results === answer.results) return;
		this.answers.set(...entry);
		const text = JSON.stringify(entry);
		// A miss is free, and may be none tomorrow.
		if (answer.results.length > 0) recent.set(key, text, answer.at, text.length);
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
	return JSON.parse(unsealed(sealed, connection) ?? '[]');
}
