import type { IDataObject } from 'n8n-workflow';

/** How many answers one execution keeps for reuse; the oldest go first. */
export const MAX_ANSWERS = 100_000;

/** The oldest go many at once: finding the oldest of a map takes longer the more were deleted before. */
const MARGIN = 1.1;

/** What the service knows, best first; nothing for a miss. */
export type Results = IDataObject[];

/** What came of a question. */
export type Settled = { results: Results } | { error: unknown };

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
	private readonly answered = new Map<string, Results>();

	private readonly open = new Map<string, OpenQuestion>();

	constructor(private readonly maxAnswers = MAX_ANSWERS) {}

	/** The answer to a question, if somebody has it or is getting it. */
	find(key: string): Results | OpenQuestion | undefined {
		return this.answered.get(key) ?? this.open.get(key);
	}

	/**
	 * Opens a question, which the caller is to settle; whoever asks it meanwhile gets the same answer.
	 * One that was settled with an error may be opened again.
	 */
	ask(key: string): OpenQuestion {
		const question = new OpenQuestion((settled) => {
			this.open.delete(key);
			if ('results' in settled) this.keep(key, settled.results);
		});
		this.open.set(key, question);
		return question;
	}

	private keep(key: string, results: Results): void {
		this.answered.set(key, results);
		if (this.answered.size <= this.maxAnswers * MARGIN) return;
		for (const oldest of this.answered.keys()) {
			if (this.answered.size <= this.maxAnswers) return;
			this.answered.delete(oldest);
		}
	}
}
