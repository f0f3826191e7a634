/** How many answers one execution keeps for reuse; the oldest go first. */
export const MAX_ANSWERS = 100_000;

/**
 * The answers of one execution. Identical questions, under way or answered, share one request: within
 * a node, across nodes, and when n8n runs a node again (Retry On Fail).
 */
export class AnswerStore {
	private readonly answers = new Map<string, Promise<object>>();

	constructor(private readonly maxAnswers = MAX_ANSWERS) {}

	/** The answer to a question, asked at most once; a question that failed may be asked again. */
	async once(question: string, ask: () => Promise<object>): Promise<object> {
		const known = this.answers.get(question);
		if (known) return await known;
		const asked = ask();
		this.answers.set(question, asked);
		if (this.answers.size > this.maxAnswers) {
			for (const oldest of this.answers.keys()) {
				this.answers.delete(oldest);
				break;
			}
		}
		asked.catch(() => {
			if (this.answers.get(question) === asked) this.answers.delete(question);
		});
		return await asked;
	}
}
