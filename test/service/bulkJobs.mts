import type { BulkRow } from './operations/bulkFinder.mts';

export interface BulkJob {
	id: number;
	/** The access key that sent it; others cannot see it. */
	account: string;
	rows: BulkRow[];
	/** Rows submitted; interface specification 2.9. */
	total: number;
	/** How often it has been asked for. */
	polls: number;
}

const FIRST_ID = 9_001;

/** Bulk finder jobs; interface specification 4.6. */
export class BulkJobs {
	readonly #jobs = new Map<number, BulkJob>();
	#nextId = FIRST_ID;

	accept(account: string, rows: BulkRow[], total: number): BulkJob {
		const job = { id: this.#nextId++, account, rows, total, polls: 0 };
		this.#jobs.set(job.id, job);
		return job;
	}

	get(account: string, id: number): BulkJob | undefined {
		const job = this.#jobs.get(id);
		return job?.account === account ? job : undefined;
	}

	clear(): void {
		this.#jobs.clear();
		this.#nextId = FIRST_ID;
	}
}
