import type { ExecutionStatus, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

/** A workflow's execution as n8n saved it. */
export interface Execution {
	readonly id: string;
	readonly status: ExecutionStatus;
	/** A time, once it ended. */
	readonly stoppedAt?: string | null;
	readonly data: IRunExecutionData;
	/** What nodes noted on it, for people to read and to search. */
	readonly customData: Readonly<Record<string, string>>;
}

/** What a node put out on one of its branches, over all its runs. */
export function outputOf({ data }: Execution, node: string, branch = 0): INodeExecutionData[] {
	const runs = data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[branch] ?? []);
}
