import openapi from '../openapi.json' with { type: 'json' };
import { decoded, isRecord } from '../values.mts';
import type { Exchange } from './recording.mts';

/** The fields of the document, with the words that it has for each. */
const WORDS = wordsIn(openapi);
const SEGMENTS = new Set(Object.keys(openapi.paths).flatMap((path) => path.split('/')));

/** Fields whose numbers count or measure, and tell nobody from another. */
const COUNTS =
	/^(?:quota|used|remaining|total|count_leads|leads|count_results|total_all|total_results|size|accuracy|month)$/;

const MEDIA_TYPE =
	/^(?:application|text)\/(?:problem\+)?(?:json|html|plain|xml)\b(?:; ?charset=utf-8)?/i;
const PACE_HEADER = /^(?:retry-after|(?:x-)?rate-?limit-(?:limit|remaining|reset))$/;
const NUMBER_OR_DATE = /^(?:\d+(?:\.\d+)?|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** A number, with the signs inside it (of a phone, a range, a price), or a word. What stands between these is kept. */
const PART = /\d(?:[\d\s!-/:-@[-`{-~]*\d)?|[^\s!-/:-@[-`{-~]+/g;
/** A URL stays one. */
const SCHEME = /^(?:https?|www)$/i;
const DAY = /^\d{4}-\d\d-\d\d(?=$|[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?$)/;
const DAY_MS = 86_400_000;

/** Exchanges in which all that is not known to be harmless is replaced. */
export interface Replaced {
	exchanges: Exchange[];
	/** Names of fields, and words where the document lists words, that it does not have; with their stand-ins. */
	unknown: Map<string, string>;
}

/**
 * Puts stand-ins in the place of all that was said, the same for the same. Kept is only what the document
 * has: its paths, its fields, its words, and numbers in fields that count.
 */
export function withStandIns(exchanges: readonly Exchange[]): Replaced {
	const standIns = new StandIns();
	const replaced = () => exchanges.map((exchange) => standIns.exchange(exchange));
	// The stand-ins of numbers are in the order of the numbers, so all of these have to be known.
	replaced();
	standIns.rankNumbers();
	return { exchanges: replaced(), unknown: standIns.unknown };
}

class StandIns {
	readonly unknown: Replaced['unknown'] = new Map();
	readonly #given = new Map<string, Map<string, number>>();
	readonly #numbers = new Set<string>();
	readonly #ranked = new Map<string, string>();

	exchange({ request, response }: Exchange): Exchange {
		const path = request.path.split('/').map((segment) => this.#segment(segment));
		return {
			request: {
				...request,
				path: path.join('/'),
				query: this.#object(request.query),
				...('body' in request && { body: this.#value(request.body) }),
			},
			response: {
				...response,
				headers: harmlessHeaders(response.headers),
				...('body' in response && { body: this.#value(response.body) }),
			},
		};
	}

	/** Numbers keep their order and their length: cursors are ids, and moments are milliseconds. */
	rankNumbers(): void {
		for (const [length, numbers] of Map.groupBy(this.#numbers, (digits) => digits.length)) {
			const first = length === 1 ? 1n : 10n ** BigInt(length - 1);
			const inOrder = [...numbers].sort();
			inOrder.forEach((digits, rank) => this.#ranked.set(digits, String(first + BigInt(rank))));
		}
	}

	#value(value: unknown, field = ''): unknown {
		if (typeof value === 'string') return this.#text(value, field);
		if (typeof value === 'number') return this.#number(value, field);
		if (Array.isArray(value)) return value.map((one) => this.#value(one, field));
		return isRecord(value) ? this.#object(value) : value;
	}

	#object<T extends object>(values: T): T {
		const entries = Object.entries(values).map(([name, value]): unknown[] => [
			this.#field(name),
			this.#value(value, name),
		]);
		return Object.fromEntries(entries);
	}

	#field(name: string): string {
		if (WORDS.has(name)) return name;
		const standIn = this.#nth('field', name);
		this.unknown.set(name, standIn);
		return standIn;
	}

	#segment(encoded: string): string {
		return SEGMENTS.has(encoded) ? encoded : encodeURIComponent(this.#parts(decoded(encoded)));
	}

	#number(value: number, field: string): number {
		const text = String(value);
		return isCount(text, field) ? value : Number(/[^\d.-]/.test(text) ? 0 : this.#digits(text));
	}

	#text(text: string, field: string): string {
		const words = WORDS.get(field);
		if (isCount(text, field) || words?.has(text.toLowerCase())) return text;
		const standIn = DAY.test(text) ? this.#day(text) : this.#parts(text);
		if (words !== undefined && words.size > 0 && text !== '') this.unknown.set(text, standIn);
		return standIn;
	}

	#day(text: string): string {
		const date = new Date(Date.UTC(2001) + this.#count('day', text) * DAY_MS);
		return date.toISOString().slice(0, 10) + text.slice(10).replace(/\d/g, '0');
	}

	/** Part by part, so that a full name or an email consists of the first name and the last name. */
	#parts(text: string): string {
		return text.replace(PART, (part) => (/^\d/.test(part) ? this.#digits(part) : this.#word(part)));
	}

	#word(part: string): string {
		if (SCHEME.test(part)) return part;
		const word = part.normalize('NFC');
		// A cursor may differ from another in the case of a letter.
		const standIn = this.#nth('word', /\d/.test(word) ? word : word.toLowerCase());
		return /^\p{Lu}/u.test(word) ? `W${standIn.slice(1)}` : standIn;
	}

	#digits(text: string): string {
		const digits = text.replace(/\D/g, '');
		if (/^0+$/.test(digits)) return text;
		this.#numbers.add(digits);
		const standIn = [...(this.#ranked.get(digits) ?? '')];
		return text.replace(/\d/g, () => standIn.shift() ?? '0');
	}

	#nth(kind: string, value: string): string {
		return `${kind}-${this.#count(kind, value)}`;
	}

	/** Counts the values of a kind from 1. */
	#count(kind: string, value: string): number {
		const given = this.#given.get(kind) ?? new Map<string, number>();
		this.#given.set(kind, given);
		const number = given.get(value) ?? given.size + 1;
		given.set(value, number);
		return number;
	}
}

/** A longer number may be that of a phone, or the id of a customer; rows of a request are numbered. */
function isCount(text: string, field: string): boolean {
	return (
		(COUNTS.test(field) && /^\d{1,6}(?:\.\d{1,3})?$/.test(text)) ||
		(field === 'tId' && /^\d{1,3}$/.test(text))
	);
}

function harmlessHeaders(headers: Exchange['response']['headers']): Record<string, string> {
	const kept = Object.entries(headers).flatMap(([name, value]): Array<[string, string]> => {
		if (PACE_HEADER.test(name)) return NUMBER_OR_DATE.test(value) ? [[name, value]] : [];
		const [mediaType] = (name === 'content-type' && MEDIA_TYPE.exec(value)) || [];
		return mediaType === undefined ? [] : [[name, mediaType]];
	});
	return Object.fromEntries(kept);
}

/** The fields that a document describes, with the words that it lists for each (`enum`, `const`, `examples`). */
function wordsIn(document: typeof openapi): Map<string, Set<string>> {
	const found = new Map<string, Set<string>>();
	const schemas: Record<string, unknown> = document.components.schemas;
	const listed = (schema: unknown): string[] => {
		if (!isRecord(schema)) return [];
		if (schema.type === 'boolean') return ['true', 'false'];
		const named = typeof schema.$ref === 'string' && schemas[schema.$ref.split('/').at(-1) ?? ''];
		const values = [schema.enum, schema.const, schema.examples].flat();
		const own = values.filter((value) => typeof value === 'string');
		return [...own.map((word) => word.toLowerCase()), ...listed(named)];
	};
	JSON.stringify(document, (key, value: unknown) => {
		for (const [name, property] of Object.entries(key === 'properties' ? Object(value) : {})) {
			found.set(name, new Set([...(found.get(name) ?? []), ...listed(property)]));
		}
		return value;
	});
	return found;
}
