import { z } from 'zod';

/** How the service is while something is measured. */
export const circumstancesSchema = z.object({
	/** The mean time that a request takes. */
	latencyMs: z.number().default(0),
	/** By how much of it the latency differs at most, more or less; every value is as likely. */
	jitter: z.number().default(0),
	/** What the service allows, and nobody is told of. */
	perSecond: z.number().optional(),
	/** Which share of the requests fails with a 503. */
	failing: z.number().default(0),
	/** How many people work at the first company beyond those of the fixtures. */
	morePeople: z.number().default(0),
	/** How many leads are in list 101 beyond those of the fixtures. */
	moreLeads: z.number().default(0),
});

export type Circumstances = z.input<typeof circumstancesSchema>;

/** What a benchmark asks of the service in its own process. */
export const questionSchema = z.discriminatedUnion('kind', [
	z.object({ kind: z.literal('reset'), circumstances: circumstancesSchema }),
	z.object({ kind: z.literal('books') }),
	z.object({ kind: z.literal('requests') }),
]);

export type Question = z.input<typeof questionSchema>;

export const startedSchema = z.object({ baseUrl: z.string() });

export const booksSchema = z.object({
	/** How many requests were answered, by operation and status: `find 200`. */
	answers: z.record(z.number()),
	/** What was paid for, once per credit. */
	paid: z.array(z.string()),
	violations: z.array(z.string()),
	/** When requests arrived that were not refused for the rate limit, in milliseconds since the first one. */
	admitted: z.array(z.number()),
});

/** What the wire log and the ledger hold since the last reset. */
export type Books = z.infer<typeof booksSchema>;

const sentSchema = z.object({
	method: z.string(),
	/** With the query. */
	path: z.string(),
	body: z.unknown(),
});

/** A request as it was sent. */
export type Sent = z.infer<typeof sentSchema>;

export const requestsSchema = z.array(sentSchema);
