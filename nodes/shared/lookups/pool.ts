import { sleep } from 'n8n-workflow';
import { Queue } from '../values/queue';

/** A task, and what is left to do with its result once the next task has started. */
type Task = () => Promise<(() => void) | undefined>;

/** Runs tasks, at most so many at once, in the order in which they came. */
export class Pool {
	private readonly waiting = new Queue<Task>();

	/** Tasks that run before all others, the last one first. */
	private readonly urgent: Task[] = [];

	private readonly running = new Set<Promise<void>>();
	private taken = 0;

	constructor(private readonly most: number) {}

	add(task: Task, isUrgent = false): void {
		if (isUrgent) this.urgent.push(task);
		else this.waiting.add(task);
		this.start();
	}

	/** Work that takes no place: the wait for a job. */
	addBeside(work: Promise<void>): void {
		const running = work.finally(() => this.running.delete(running));
		this.running.add(running);
	}

	/** Resolves when nothing is running or waiting any more. */
	async done(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	private start(): void {
		while (this.taken < this.most) {
			const task = this.urgent.pop() ?? this.waiting.next();
			if (!task) break;
			this.addBeside(this.run(task));
		}
	}

	private async run(task: Task): Promise<void> {
		this.taken++;
		const rest = await task();
		this.taken--;
		this.start();
		// The next request leaves before this result becomes items.
		if (rest) await sleep(0);
		rest?.();
	}
}
