/** How many answers one execution keeps for reuse; the oldest go first. */
export const MAX_ANSWERS = 100_000;

/**
 * The answers of one execution. Identical questions, under way or answered, share one request: within
 * a node, across nodes, and when n8n runs a node again (Retry On Fail).
 */
export class AnswerStore {
	private readonly underWay = new Map<string, Promise<object>>();

	private readonly answered = new Map<string, object>();

	constructor(private readonly maxAnswers = MAX_ANSWERS) {}

	/** The answer to a question, asked at most once; a question that failed may be asked again. */
	async once(question: string, ask: () => Promise<object>): Promise<object> {
		const answer = this.answered.get(question);
		if (answer) return answer;
		const known = this.underWay.get(question);
		if (known) return await known;
		const asked = ask().finally(() => this.underWay.delete(question));
		this.underWay.set(question, asked);
		const fresh = await asked;
		this.keep(question, fresh);
		return fresh;
	}

	private keep(question: string, answer: object): void {
		this.answered.set(question, answer);
		if (this.answered.size <= this.maxAnswers) return;
		for (const oldest of this.answered.keys()) {
			this.answered.delete(oldest);
			return;
		}
	}
}
