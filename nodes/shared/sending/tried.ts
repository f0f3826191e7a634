/** Where the lookups of a manual run are counted; n8n stores it with the execution, across its waits. */
export interface TriedRecord {
	lookupsTried?: unknown;
	/** The execution that counted: n8n hands a copy of the record to a retry. */
	lookupsTriedBy?: unknown;
}

/** The distinct lookups that a node has tried in one execution. */
export class Tried {
	private readonly keys = new Set<string>();

	/** How many were tried before n8n stored the execution and read it again. */
	private readonly before: number;

	constructor(
		private readonly record: TriedRecord,
		private readonly executionId: string,
	) {
		const { lookupsTried, lookupsTriedBy } = record;
		const isOwn = lookupsTriedBy === executionId;
		this.before = isOwn && typeof lookupsTried === 'number' ? lookupsTried : 0;
	}

	get size(): number {
		return this.before + this.keys.size;
	}

	has(key: string): boolean {
		return this.keys.has(key);
	}

	add(key: string): void {
		this.keys.add(key);
		this.record.lookupsTried = this.size;
		this.record.lookupsTriedBy = this.executionId;
	}
}
