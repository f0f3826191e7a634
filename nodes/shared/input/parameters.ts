import { type IGetNodeParameterOptions, isSafeObjectProperty } from 'n8n-workflow';
import { Failure } from '../failures/failure';
import { hasExpression, type NodeContext } from '../host/context';
import type { InvalidReason } from '../failures/reasons';
import type { Meaning } from '../lead/columnNames';
import { isMixed } from '../values/email';
import { isObject } from '../values/json';
import { asError, cleanText, hasExpressionLeft } from '../values/text';
import { allFields, type Declaration, pathsOf, requestFields } from './declaration';

type Reader = (item: number) => unknown;

/** The fallback by which an option that was not added differs from an empty one. */
const NOT_THERE = Symbol('not there');

/** What the parameters of a node are read from. */
export type ParameterContext = Pick<NodeContext, 'json' | 'parameter'> &
	Partial<Pick<NodeContext, 'inputs' | 'isTool'>>;

/**
 * The parameters of a node for each item. n8n takes 0.4 ms to evaluate an expression: so a value that is
 * the same for all items is read once, and a plain reference into the item is looked up directly.
 */
export class Parameters {
	/** The fields whose values are sent. */
	readonly sent: ReturnType<typeof requestFields>;

	private readonly paths: Map<string, string>;
	private readonly readers = new Map<string, Reader>();
	private readonly labels: Map<string, string>;

	constructor(
		protected readonly context: ParameterContext,
		readonly operation: Partial<
			Pick<Declaration, 'fields' | 'options' | 'lead' | 'optionalColumn'>
		> = {},
	) {
		this.sent = requestFields(operation);
		// In tools, the fields of a lead are on the panel.
		this.paths = pathsOf(this.isTool ? { options: operation.options } : operation);
		const labels = allFields(operation).map(
			({ name, displayName }) => [name, displayName] as const,
		);
		this.labels = new Map([['requestOptions', 'Request Options'], ...labels]);
	}

	get isTool(): boolean {
		return this.context.isTool === true;
	}

	json(item: number): unknown {
		return this.context.json(item);
	}

	/**
	 * The value of a parameter for an item; throws {@link Failure}.
	 * @param name the name of a field, wherever it is
	 * @returns the fallback if there is no such parameter, e.g. for an option that was not added
	 */
	get(name: string, item: number, fallback: unknown, options?: IGetNodeParameterOptions): unknown {
		// In tools, Output takes the place of Simplify.
		if (name === 'simple' && this.isTool) return this.get('output', item, '') !== 'raw';
		let value: unknown;
		try {
			const reader = this.readers.get(name) ?? this.readerOf(name, fallback, options);
			this.readers.set(name, reader);
			value = reader(item);
		} catch (error) {
			throw this.failing(name, asError(error));
		}
		const onBraces =
			'Switch the field from Fixed to Expression, and check that each {{ has its }}.';
		const meanings = this.operation.lead?.[name]?.meanings;
		return usable(value, { meanings, label: () => this.labelOf(name), onBraces });
	}

	/** n8n's lint allows no other exception of ours in a `catch`. */
	private failing(name: string, { message }: Error): Failure {
		return new Failure('failing_expression', {
			message: `Not sent: the expression of ${this.labelOf(name)} cannot be evaluated (${message})`,
			description: 'Check the expression of the field, and the data that it reads.',
		});
	}

	/** The label of a parameter, by which messages name it. */
	labelOf(name: string): string {
		return this.labels.get(name) ?? name;
	}

	/** Whether there is such a parameter, e.g. an option that was added. */
	has(name: string): boolean {
		return this.raw(name) !== NOT_THERE;
	}

	protected raw(name: string): unknown {
		const path = this.paths.get(name) ?? name;
		return this.context.parameter(path, 0, NOT_THERE, { rawExpressions: true });
	}

	private readerOf(name: string, fallback: unknown, options?: IGetNodeParameterOptions): Reader {
		const { context } = this;
		const path = this.paths.get(name) ?? name;
		const engine: Reader = (item) =>
			context.parameter(path, item, fallback, { ...options, skipValidation: true });
		const raw = this.raw(name);
		if (!hasExpression(raw)) {
			const value = engine(0);
			return () => value;
		}
		const steps = referenceIn(raw);
		if (!steps) return engine;
		return (item) => {
			const found = valueAt(context.json(item), steps);
			return found === 'engine' ? engine(item) : found.value;
		};
	}
}

/**
 * `{{ $json.name }}`, `{{ $json.company.domain }}` or `{{ $json["Company Name"] }}` alone. A key with a
 * character that could end the text or the expression does not match: n8n's engine evaluates it.
 */
const REFERENCE =
	/^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\[(?:"[^"\\}\r\n\u2028\u2029]*"|'[^'\\}\r\n\u2028\u2029]*')\])+)\s*\}\}$/;

/** n8n's engine refuses these anywhere in an expression. */
const REFUSED = /\.\s*(?:constructor|globalThis)/;

const STEP = /\.(\w+)|\["([^"]*)"\]|\['([^']*)'\]/g;

/** The keys in a plain reference into the item; `undefined` if n8n's engine has to evaluate it. */
export function referenceIn(expression: unknown): string[] | undefined {
	const path = typeof expression === 'string' ? REFERENCE.exec(expression)?.[1] : undefined;
	if (path === undefined || REFUSED.test(path)) return undefined;
	const steps = [...path.matchAll(STEP)].map(
		([, dotted, double, single]) => dotted ?? double ?? single,
	);
	return steps.every(isSafeObjectProperty) ? steps : undefined;
}

/** The value of a reference in an item, exactly as n8n's engine gives it; `engine` for a value that only it can read. */
export function valueAt(
	json: unknown,
	steps: string[],
): { value: string | number | boolean | null | undefined } | 'engine' {
	let value = json;
	for (const step of steps) {
		// The engine reads properties that every object inherits (`constructor`, `toString`), and those of
		// texts and lists.
		if (!isObject(value) || step in Object.prototype) return 'engine';
		if (!Object.hasOwn(value, step)) {
			return step === steps.at(-1) && !(step in value) ? { value: undefined } : 'engine';
		}
		value = value[step];
	}
	if (value === null || value === undefined) return { value };
	if (typeof value === 'string' || typeof value === 'boolean') return { value };
	return typeof value === 'number' && Number.isFinite(value) ? { value } : 'engine';
}

/** Half of a character, and what a wrong encoding makes of letters: `JosÃ©` is José, `â€™` an apostrophe. */
const LOST_LETTERS =
	/\uFFFD|â€.?|Â(?=\s)|[ÂÃÄÅÐÑ](?:[\x80-\x9f¡-¿€‚ƒ„…†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ]|[–—‘’“”](?=\p{L}))|(?<=\p{Ll})Ã/u;

/** A letter of a name that its file had no sign for: `Ren?e`, `Andr? Lee`, `?ukasz`. */
const LOST_IN_NAME = /(?<=\p{L})\?(?= ?\p{L})|(?<!\S)\?(?=\p{Ll})/u;

/** What JavaScript writes into a text where a value is missing, or is an object. */
const LEFTOVERS =
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|\[object \w+\]|^\s*[[{]\s*\{?\s*"[^"]*":/u;

/** Nearly all texts are plain: none of the signs above is in them. */
const PLAIN = /^[\w .,'@:/+-]*$/;

/** What a value is for, and what a refusal calls its field. */
interface Use {
	meanings?: Meaning[];
	label: () => string;
	/** What to do about an expression that n8n did not evaluate. */
	onBraces: string;
}

/**
 * Returns the value. Throws {@link Failure} if letters were lost in a wrong encoding, an expression was not evaluated,
 * or left its own words, or an email stands beside other text.
 */
export function usable(value: unknown, { meanings = [], label, onBraces }: Use): unknown {
	if (typeof value !== 'string') return value;
	const isEmail = meanings.includes('email');
	if (!isEmail && PLAIN.test(value) && !value.includes('undefined')) return value;
	const refuse = (what: string, description: string, reason: InvalidReason = 'invalid_value') => {
		throw new Failure(reason, { message: `Not sent: ${label()} ${what}`, description });
	};
	const isName = meanings.length > 0 && !isEmail && !meanings.includes('domain');
	const lostIn = isName ? [LOST_LETTERS, LOST_IN_NAME] : [LOST_LETTERS];
	const [lost] = lostIn.flatMap((letters) => letters.exec(value) ?? []);
	if (lost) {
		const advice = 'Set the Encoding of the file where it is read, e.g. in Extract from File.';
		refuse(`has lost letters (${lost})`, advice);
	}
	if (isEmail && isMixed(cleanText(value))) {
		refuse('holds an email and other text: leave only the email', `Check the field ${label()}.`);
	}
	if (hasExpressionLeft(value)) {
		refuse('holds an expression that n8n did not evaluate', onBraces, 'unevaluated_expression');
	}
	const [leftover] = LEFTOVERS.exec(value) ?? [];
	if (leftover) {
		const advice = 'Check the expression or the code that has put the text together.';
		refuse(`holds ${leftover.trim()}, which stands for no text`, advice);
	}
	return value;
}
