import Table from 'cli-table3';
import { z } from 'zod';

/** What the example workflow tells of a lead. */
export const leadSchema = z.object({
	name: z.string().min(1),
	email: z.string().nullable(),
	status: z.string().min(1),
});

export type Lead = z.infer<typeof leadSchema>;

export function leadTable(leads: Lead[]): string {
	const table = new Table({
		head: ['Name', 'Email', 'Status'],
		style: { head: ['bold'], border: [], compact: true },
	});
	for (const { name, email, status } of leads) {
		table.push([name, email ?? '', status]);
	}
	return table.toString();
}
