import { z } from 'zod';

/** What a benchmark asks of the service in its own process. */
export const questionSchema = z.enum(['reset', 'books', 'bodies']);

export type Question = z.infer<typeof questionSchema>;

export const startedSchema = z.object({ baseUrl: z.string() });

export const booksSchema = z.object({
	/** How many requests were answered, by operation and status: `find 200`. */
	answers: z.record(z.number()),
	/** What was paid for, once per credit. */
	paid: z.array(z.string()),
	violations: z.array(z.string()),
});

/** What the wire log and the ledger hold since the last reset. */
export type Books = z.infer<typeof booksSchema>;

export const bodiesSchema = z.array(z.unknown());
