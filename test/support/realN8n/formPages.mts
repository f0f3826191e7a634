/** @file The pages of n8n's forms as a browser goes through them. */

import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { ALONE } from '../../hosts/host.mts';
import { HANG_MS } from '../../machine/hang.mts';
import type { UploadedFile } from './spreadsheets.mts';

const POLL_MS = 100;

const submittedSchema = z.object({ formWaitingUrl: z.string() });
const fileSchema = z.object({
	fileName: z.string(),
	type: z.string(),
	data: z.union([
		z.object({ type: z.literal('Buffer'), data: z.array(z.number()) }),
		// A character for each byte
		z.string(),
	]),
});

/** The last page of a form. */
export interface LastPage {
	title: string;
	/** Its lines, as people see them. */
	lines: string[];
	/** That it gives, if any. */
	file?: UploadedFile;
}

/** Sends a file with the form of an active workflow, waits for the last page, and ends the execution as that page does. */
export async function sendFile(
	hostUrl: string,
	path: string,
	file: UploadedFile,
): Promise<LastPage> {
	const { pathname, search } = await submitFile(hostUrl, path, file);
	const page = `${hostUrl}${pathname}${search}`;
	await until(async () => {
		const state = await textOf(`${hostUrl}${pathname}/n8n-execution-status${search}`);
		if (state === 'form-waiting') return true;
		if (/^(?:canceled|crashed|error|success)$/.test(state)) throw new Error(`It ended: ${state}`);
		return undefined;
	});
	const lastPage = readLastPage(await textOf(page));
	await fetch(page, { method: 'POST', headers: ALONE });
	return lastPage;
}

/** Sends a file with the form of an active workflow, and closes the tab; gives what it would have opened next. */
export async function submitFile(
	hostUrl: string,
	path: string,
	{ name, type, bytes }: UploadedFile,
): Promise<URL> {
	const form = new FormData();
	form.set('field-0', new File([bytes], name, { type }));
	// In one piece: n8n closes the connection at the first one while the form is not open yet.
	const body = await new Response(form).blob();
	const submitted = await until(async () => {
		const response = await fetch(`${hostUrl}/form/${path}`, {
			method: 'POST',
			headers: ALONE,
			body,
		});
		const text = await response.text();
		if (response.ok) return submittedSchema.parse(JSON.parse(text));
		if (response.status === 404) return undefined;
		throw new Error(`The form answered ${response.status}: ${text}`);
	});
	return new URL(submitted.formWaitingUrl);
}

function readLastPage(html: string): LastPage {
	const [, title = ''] = /<h1>(.*?)<\/h1>/s.exec(html) ?? [];
	const [, message = ''] = /<\/h1>\s*<p[^>]*>(.*?)<\/p>/s.exec(html) ?? [];
	const [, binary = ''] = /decodeURIComponent\("(.*?)"\)/s.exec(html) ?? [];
	if (binary === '') throw new Error(`This is no last page: ${html}`);
	const page = { title, lines: message.split(/<br\s*\/?>/) };
	// n8n 1 gives one file, or an empty text for none, n8n 2 a list.
	const given: unknown = JSON.parse(decodeURIComponent(binary));
	const [file] = z.array(fileSchema).parse([given].flat().filter(Boolean));
	if (!file) return page;
	const { fileName: name, type, data } = file;
	const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data.data;
	return { ...page, file: { name, type, bytes: Uint8Array.from(bytes) } };
}

async function textOf(url: string): Promise<string> {
	const response = await fetch(url, { headers: ALONE });
	const text = (await response.text()).trim();
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
	return text;
}

/** Tries again and again until there is something. */
async function until<T>(attempt: () => Promise<T | undefined>): Promise<T> {
	const deadline = Date.now() + HANG_MS;
	for (;;) {
		const found = await attempt();
		if (found !== undefined) return found;
		if (Date.now() > deadline) throw new Error('The form took too long');
		await delay(POLL_MS);
	}
}
