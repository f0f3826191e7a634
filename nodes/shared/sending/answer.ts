import type { IDataObject } from 'n8n-workflow';

/** What the service knows, best first; nothing for a miss. */
export type Results = IDataObject[];

/** An answer of the service. */
export interface Answer {
	results: Results;
	/** When the service gave it, in milliseconds since 1970. */
	at: number;
}
