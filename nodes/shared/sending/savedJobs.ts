import type { IContextObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** How many pending jobs n8n stores with an execution; the oldest go first. */
const MAX_SAVED_JOBS = 1_000;

/** Where in the context of the execution they are. */
const NAME = 'contactDataJobs';

/** A bulk job that was left pending, as n8n stores it with the execution. */
export interface SavedJob {
	id: string;
	/** The `id` of the connection that it belongs to. */
	connection: string;
	/** The questions of the job, in their order. */
	questions: string[];
	/** What it may have cost, in credits; 0 once that is known. */
	credits: number;
	/** The node and the execution that counted it. */
	node: string;
	executionId: string;
}

/** The jobs that an earlier run of the execution has saved, or the execution that this one retries. */
export function savedJobs(record: IContextObject): SavedJob[] {
	const saved: unknown = record[NAME];
	return Array.isArray(saved) ? saved.filter(isSavedJob) : [];
}

/** Puts the jobs in progress into what n8n stores with the execution. */
export function saveJobs(record: IContextObject, jobs: SavedJob[]): void {
	if (jobs.length === 0) delete record[NAME];
	else record[NAME] = jobs.slice(-MAX_SAVED_JOBS);
}

function isSavedJob(job: unknown): job is SavedJob {
	if (!isObject(job)) return false;
	const { id, connection, questions, credits, node, executionId } = job;
	const areTexts = [id, connection, node, executionId].every((text) => typeof text === 'string');
	if (!areTexts || typeof credits !== 'number' || !Array.isArray(questions)) return false;
	return questions.every((question) => typeof question === 'string');
}
