import type { IContextObject } from 'n8n-workflow';

import { isObject, parsedJson } from '../values/json';
import { byteLength } from '../values/text';
import type { Answer } from './answer';

/** How much of an execution's answers n8n stores with it: whichever comes first. */
export const MAX_SAVED_ANSWERS = 10_000;
export const MAX_SAVED_BYTES = 5_000_000;

/** How much makes one text: the oldest go text by text. */
const ANSWERS_PER_TEXT = 250;
const LENGTH_PER_TEXT = 100_000;

/** The latest moment that there is, in milliseconds. */
const END_OF_TIME = 8.64e15;

/** Where in the context of the execution the answers are. */
const NAME = 'contactDataAnswers';

export type SavedAnswer = [key: string, answer: Answer];

/**
 * The answers that n8n stores with an execution, in its own context: as texts, the oldest first, each a
 * JSON list of answers. Adding takes time by what is added, not by what is there.
 */
export class SavedAnswers {
	private texts: string[] = [];

	/** What each text takes, and all of them. */
	private sizes: Array<{ count: number; bytes: number }> = [];

	private count = 0;

	private bytes = 0;

	constructor(private readonly record: IContextObject) {}

	get isEmpty(): boolean {
		return this.texts.length === 0;
	}

	/** What an earlier run of the execution has saved, or the execution that this one retries. */
	load(): SavedAnswer[] {
		const saved = this.record[NAME];
		const texts = Array.isArray(saved) ? saved.filter((text) => typeof text === 'string') : [];
		return texts.flatMap((text) => {
			const answers = answersIn(text);
			this.push(text, answers.length);
			return answers;
		});
	}

	/** Saves further answers, and drops the oldest where there are too many. */
	add(answers: SavedAnswer[]): void {
		let entries: string[] = [];
		let length = 0;
		const close = () => {
			if (entries.length > 0) this.push(`[${entries.join(',')}]`, entries.length);
			entries = [];
			length = 0;
		};
		for (const [key, { at, results }] of answers) {
			const entry = JSON.stringify([key, at, results]);
			// One that is as large as all may be together is not worth all others.
			if (entry.length > MAX_SAVED_BYTES / 2) continue;
			entries.push(entry);
			length += entry.length;
			if (entries.length >= ANSWERS_PER_TEXT || length >= LENGTH_PER_TEXT) close();
		}
		close();
		while (this.count > MAX_SAVED_ANSWERS || this.bytes > MAX_SAVED_BYTES) this.dropOldest();
		if (!this.isEmpty) this.record[NAME] = this.texts;
	}

	/** Forgets what is saved. */
	clear(): void {
		[this.texts, this.sizes, this.count, this.bytes] = [[], [], 0, 0];
		delete this.record[NAME];
	}

	private push(text: string, count: number): void {
		// As many as it takes inside the JSON that n8n stores.
		const bytes = byteLength(JSON.stringify(text));
		this.texts.push(text);
		this.sizes.push({ count, bytes });
		this.count += count;
		this.bytes += bytes;
	}

	private dropOldest(): void {
		this.texts.shift();
		const { count = 0, bytes = 0 } = this.sizes.shift() ?? {};
		this.count -= count;
		this.bytes -= bytes;
	}
}

/** The answers in a text; none in one that somebody else has written. */
function answersIn(text: string): SavedAnswer[] {
	const saved = parsedJson(text);
	if (!Array.isArray(saved)) return [];
	return saved.flatMap((entry: unknown): SavedAnswer[] => {
		if (!Array.isArray(entry)) return [];
		const [key, at, results]: unknown[] = entry;
		if (typeof key !== 'string' || typeof at !== 'number' || !Array.isArray(results)) return [];
		return Math.abs(at) <= END_OF_TIME ? [[key, { at, results: results.filter(isObject) }]] : [];
	});
}
