import type { Answer } from './answer';
import { MAX_SAVED_ANSWERS, type SavedAnswer, type SavedAnswers } from './savedAnswers';

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
