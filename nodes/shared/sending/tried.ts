/** Where the lookups of a manual run are noted; n8n stores it with the execution, across its waits. */
export interface TriedRecord {
	lookupsTried?: unknown;
	/** The execution that noted them: n8n hands a copy of the record to a retry. */
	lookupsTriedBy?: unknown;
}

/** The distinct lookups that a node has tried in one execution: as many as a manual run allows. */
export class Tried {
	private readonly keys: Set<unknown>;

	private readonly noted: unknown[];

	constructor(record: TriedRecord, executionId: string) {
		const { lookupsTried, lookupsTriedBy } = record;
		this.noted = lookupsTriedBy === executionId && Array.isArray(lookupsTried) ? lookupsTried : [];
		this.keys = new Set(this.noted);
		record.lookupsTried = this.noted;
		record.lookupsTriedBy = executionId;
	}

	get size(): number {
		return this.keys.size;
	}

	has(key: string): boolean {
		return this.keys.has(key);
	}

	add(key: string): void {
		if (this.keys.has(key)) return;
		this.keys.add(key);
		this.noted.push(key);
	}
}
