import type { IContextObject, IDataObject } from 'n8n-workflow';
import { isObject, parsedJson } from '../values/json';
import { byteLength } from '../values/text';

/** What the service knows, best first; nothing for a miss. */
export type Results = IDataObject[];

/** An answer of the service. */
export interface Answer {
	results: Results;
	/** When the service gave it, in milliseconds since 1970. */
	at: number;
}

/** How many answers one execution keeps for reuse; the oldest go first. */
export const MAX_ANSWERS = 100_000;

/** The oldest go many at once: finding the oldest of a map takes longer the more were deleted before. */
const MARGIN = 1.1;

/** What came of a question, and what it did cost whoever asked it, in credits; `null` where that is not known. */
export type Settled = { credits: number | null } & ({ answer: Answer } | { error: unknown });

/** A question that is being answered. It tells all who wait at once: there may be thousands. */
export class OpenQuestion {
	private readonly waiting: Array<(settled: Settled) => void> = [];

	private settled: Settled | undefined;

	/** @param onSettled is told first */
	constructor(onSettled: (settled: Settled) => void) {
		this.waiting.push(onSettled);
	}

	/** Is told at once where the question is settled already. */
	wait(onSettled: (settled: Settled) => void): void {
		if (this.settled) onSettled(this.settled);
		else this.waiting.push(onSettled);
	}

	/** Only the first call counts. */
	settle(settled: Settled): void {
		if (this.settled) return;
		this.settled = settled;
		for (const onSettled of this.waiting.splice(0)) onSettled(settled);
	}
}

/**
 * The answers of one execution. Identical questions, in progress or answered, share one request: within
 * a node, across nodes, and when n8n runs a node again (Retry On Fail).
 */
export class AnswerStore {
	private readonly answered = new Map<string, Answer>();

	private readonly open = new Map<string, OpenQuestion>();

	/** The latest answers that are not saved. */
	private unsaved: SavedAnswer[] = [];

	/** @param saved keeps answers where n8n stores the execution and reads it again */
	constructor(
		private readonly saved: SavedAnswers,
		private readonly maxAnswers = MAX_ANSWERS,
	) {
		for (const [key, answer] of saved.load()) this.answered.set(key, answer);
	}

	/** Saves what n8n may need after it has stored the execution and read it again. */
	save(): void {
		this.saved.add(this.unsaved.splice(0).slice(-MAX_SAVED_ANSWERS));
	}

	/** Saves nothing: nobody will need it. */
	unsave(): void {
		if (this.saved.isEmpty) return;
		this.saved.clear();
		this.unsaved = [...this.answered].slice(-MAX_SAVED_ANSWERS);
	}

	/** The answer to a question, if somebody has it or is getting it. */
	find(key: string): Answer | OpenQuestion | undefined {
		return this.answered.get(key) ?? this.open.get(key);
	}

	/**
	 * Opens a question, which the caller is to settle; whoever asks it meanwhile gets the same answer.
	 * One that was settled with an error may be opened again.
	 */
	ask(key: string): OpenQuestion {
		const question = new OpenQuestion((settled) => {
			this.open.delete(key);
			if ('answer' in settled) this.keep(key, settled.answer);
		});
		this.open.set(key, question);
		return question;
	}

	private keep(key: string, answer: Answer): void {
		this.answered.set(key, answer);
		this.unsaved.push([key, answer]);
		// Who never saves is not to hold on to all of them.
		if (this.unsaved.length > 2 * MAX_SAVED_ANSWERS) this.unsaved.splice(0, MAX_SAVED_ANSWERS);
		if (this.answered.size <= this.maxAnswers * MARGIN) return;
		for (const oldest of this.answered.keys()) {
			if (this.answered.size <= this.maxAnswers) return;
			this.answered.delete(oldest);
		}
	}
}

/** How much of an execution's answers n8n stores with it: whichever comes first. */
export const MAX_SAVED_ANSWERS = 10_000;
export const MAX_SAVED_BYTES = 5_000_000;

/** How much makes one text: the oldest go text by text. */
const ANSWERS_PER_TEXT = 250;
const LENGTH_PER_TEXT = 100_000;

/** The latest moment that there is, in milliseconds. */
const END_OF_TIME = 8.64e15;

/** Where in the context of the execution the answers are. */
const NAME = 'contactDataAnswers';

export type SavedAnswer = [key: string, answer: Answer];

/**
 * The answers that n8n stores with an execution, in its own context: as texts, the oldest first, each a
 * JSON list of answers. Adding takes time by what is added, not by what is there.
 */
export class SavedAnswers {
	private texts: string[] = [];

	/** What each text takes, and all of them. */
	private sizes: Array<{ count: number; bytes: number }> = [];

	private count = 0;

	private bytes = 0;

	constructor(private readonly record: IContextObject) {}

	get isEmpty(): boolean {
		return this.texts.length === 0;
	}

	/** What an earlier run of the execution has saved, or the execution that this one retries. */
	load(): SavedAnswer[] {
		const saved = this.record[NAME];
		const texts = Array.isArray(saved) ? saved.filter((text) => typeof text === 'string') : [];
		return texts.flatMap((text) => {
			const answers = answersIn(text);
			this.push(text, answers.length);
			return answers;
		});
	}

	/** Saves further answers, and drops the oldest where there are too many. */
	add(answers: SavedAnswer[]): void {
		let entries: string[] = [];
		let length = 0;
		const close = () => {
			if (entries.length > 0) this.push(`[${entries.join(',')}]`, entries.length);
			entries = [];
			length = 0;
		};
		for (const [key, { at, results }] of answers) {
			const entry = JSON.stringify([key, at, results]);
			// One that is as large as all may be together is not worth all others.
			if (entry.length > MAX_SAVED_BYTES / 2) continue;
			entries.push(entry);
			length += entry.length;
			if (entries.length >= ANSWERS_PER_TEXT || length >= LENGTH_PER_TEXT) close();
		}
		close();
		while (this.count > MAX_SAVED_ANSWERS || this.bytes > MAX_SAVED_BYTES) this.dropOldest();
		if (!this.isEmpty) this.record[NAME] = this.texts;
	}

	/** Forgets what is saved. */
	clear(): void {
		[this.texts, this.sizes, this.count, this.bytes] = [[], [], 0, 0];
		delete this.record[NAME];
	}

	private push(text: string, count: number): void {
		// As many as it takes inside the JSON that n8n stores.
		const bytes = byteLength(JSON.stringify(text));
		this.texts.push(text);
		this.sizes.push({ count, bytes });
		this.count += count;
		this.bytes += bytes;
	}

	private dropOldest(): void {
		this.texts.shift();
		const { count = 0, bytes = 0 } = this.sizes.shift() ?? {};
		this.count -= count;
		this.bytes -= bytes;
	}
}

/** The answers in a text; none in one that somebody else has written. */
function answersIn(text: string): SavedAnswer[] {
	const saved = parsedJson(text);
	if (!Array.isArray(saved)) return [];
	return saved.flatMap((entry: unknown): SavedAnswer[] => {
		if (!Array.isArray(entry)) return [];
		const [key, at, results]: unknown[] = entry;
		if (typeof key !== 'string' || typeof at !== 'number' || !Array.isArray(results)) return [];
		return Math.abs(at) <= END_OF_TIME ? [[key, { at, results: results.filter(isObject) }]] : [];
	});
}
