import type { ExecutionStatus, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

/** A workflow's execution as n8n saved it. */
export interface Execution {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly startedAt: Date;
	/** Once it ended. */
	readonly stoppedAt?: Date | null;
	readonly data: IRunExecutionData;
	/** What nodes noted on it, for people to read and to search. */
	readonly customData: Readonly<Record<string, string>>;
}

const ENDED: ReadonlySet<ExecutionStatus> = new Set(['canceled', 'crashed', 'error', 'success']);

/** Whether nothing more happens to an execution with this status. */
export function hasEnded(status: ExecutionStatus): boolean {
	return ENDED.has(status);
}

/** What a node put out on one of its branches, over all its runs. */
export function outputOf({ data }: Execution, node: string, branch = 0): INodeExecutionData[] {
	const runs = data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[branch] ?? []);
}
