import type { IGetNodeParameterOptions } from 'n8n-workflow';
import { FirstFailure } from '../failures/failure';
import type { Meaning } from '../lead/columnNames';
import { type Lead, NAMES, NOTHING } from '../lead/lead';
import { keyOf, type NameChoice } from '../lead/plan';
import { LeadReader, sectionsOf } from '../lead/reader';
import { objectFrom } from '../values/json';
import { toText } from '../values/text';
import { ADDED_FIELDS } from './declaration';
import { type ParameterContext, Parameters, usable } from './parameters';

/** The lead in an item, and the fields that were chosen for it: each a value, or why it has none that can be used. */
interface LeadIn {
	item: number;
	lead: Lead;
	chosen: Map<string, { value: unknown; error: unknown }>;
}

/** The parameters of a node that asks the lead in an item first, but for the fields that are chosen. */
export class LeadParameters extends Parameters {
	/** The fields of a lead that the user has added under Lead Fields, or that the model of an agent fills in. */
	readonly chosen: string[];

	private readonly leads: LeadReader | undefined;

	private latest: LeadIn | undefined;

	/** The fields of the items from which leads were read. */
	readonly fieldsRead = new Set<string>();

	constructor(context: ParameterContext, operation: Parameters['operation'] = {}) {
		super(context, operation);
		const names = Object.keys(operation.lead ?? {});
		this.chosen = names.filter((name) => this.isTool || this.has(`${ADDED_FIELDS}.${name}`));
		if (names.length === 0 || this.isTool) return;
		const items = (context.inputs ?? []).map((_, item) => context.json(item));
		this.leads = new LeadReader(items, this.choiceOfName());
	}

	/** The columns that are chosen for the name. */
	private choiceOfName(): NameChoice {
		const names = this.chosen.filter((name) =>
			this.meaningsOf(name).some((one) => NAMES.includes(one)),
		);
		const columns = names.flatMap((name) => {
			const [field, section = '', ...deeper] = (this.referenceOf(name) ?? []).toReversed();
			return field === undefined || deeper.length > 0 ? [] : keyOf({ section, field });
		});
		return { columns, isWhole: names.length > 1 || this.chosen.includes('fullName') };
	}

	private meaningsOf(name: string): Meaning[] {
		return this.operation.lead?.[name]?.meanings ?? [];
	}

	/** Looks at the columns of an item, which a run decides by: done beforehand, this need not be at once for all items. */
	look(item: number): void {
		this.leads?.look(this.json(item));
	}

	/** What an item has of a lead: what is chosen, and what is recognized beside it. */
	leadIn(item: number): Lead {
		return this.read(item).lead;
	}

	private read(item: number): LeadIn {
		if (this.latest?.item === item) return this.latest;
		const chosen: LeadIn['chosen'] = new Map();
		const found: Lead['found'] = {};
		for (const name of this.chosen) {
			const failure = new FirstFailure();
			const value = failure.of(() => super.get(this.pathOf(name), item, ''));
			chosen.set(name, { value, error: failure.error });
			const field = this.isLeftEmpty(name)
				? ''
				: (this.referenceOf(name)?.at(-1) ?? this.labelOf(name));
			for (const meaning of this.meaningsOf(name)) found[meaning] = { value: toText(value), field };
		}
		// A full name stands for its halves, and halves for a full name.
		const isHalf = found.firstName ?? found.lastName;
		const others: Meaning[] = found.fullName ? NAMES : isHalf ? ['fullName'] : [];
		for (const meaning of others) found[meaning] ??= NOTHING;
		const lead = this.leads?.read(this.json(item), found) ?? { found, lacking: {} };
		this.latest = { item, lead, chosen };
		return this.latest;
	}

	override get(
		name: string,
		item: number,
		fallback: unknown,
		options?: IGetNodeParameterOptions,
	): unknown {
		const meanings = this.meaningsOf(name);
		if (meanings.length === 0) return super.get(name, item, fallback, options);
		const { lead, chosen } = this.read(item);
		const own = chosen.get(name);
		if (own?.error !== undefined) throw own.error;
		const meaning = meanings.find((one) => lead.found[one]);
		const found = meaning && lead.found[meaning];
		if (found && !this.isTool) this.fieldsRead.add(found.field);
		if (own) return own.value;
		const onBraces = 'The text is in the data: correct it there.';
		return found ? usable(found.value, { meanings, label: () => found.field, onBraces }) : '';
	}

	override referenceOf(name: string): string[] | undefined {
		return super.referenceOf(this.pathOf(name));
	}

	/** Whether the user has added a field and left it empty, so that it is nothing. */
	isLeftEmpty(name: string): boolean {
		return this.chosen.includes(name) && /^=?$/.test(String(this.raw(this.pathOf(name))));
	}

	private pathOf(name: string): string {
		return !this.isTool && this.chosen.includes(name) ? `${ADDED_FIELDS}.${name}` : name;
	}

	/** What an earlier lookup has written of the email that an item has; of a recognized one, only its own status. */
	recorded(
		name: 'lookupStatus' | 'lookupReason' | 'emailStatus' | 'checkedAt',
		item: number,
	): unknown {
		if (name === 'emailStatus' && this.leads) return this.leadIn(item).found.emailStatus?.value;
		const sections = [...sectionsOf(objectFrom(this.json(item))).values()];
		return sections.map((fields) => fields[name] ?? '').find((value) => value !== '');
	}

	/** From which fields leads were read, in words; `undefined` where from none. */
	get readFrom(): string | undefined {
		return this.fieldsRead.size > 0 ? `Read from: ${[...this.fieldsRead].join(', ')}` : undefined;
	}

	/** The fields of the node that may hold one of these. */
	namesFor(meanings: Meaning[]): string[] {
		const { lead = {} } = this.operation;
		const isThere = (name: string) => lead[name].forModel !== undefined || !this.isTool;
		return Object.keys(lead).filter(
			(name) => isThere(name) && this.meaningsOf(name).some((one) => meanings.includes(one)),
		);
	}

	/** Whether a field has a value in any item of the run. */
	isFilled(field: string): boolean {
		return this.leads?.isFilled(field) ?? false;
	}

	/**
	 * What to do where another column is to be read as one of these fields.
	 * @param columns those that it may be
	 */
	toPick(names: string[], columns: string[] = []): string {
		const [first, ...others] = names.map((name) => this.labelOf(name));
		const labels = others.length > 0 ? `${first} (or ${others.join(' and ')})` : first;
		if (this.isTool) return `fill in ${labels}`;
		return names.some((name) => this.chosen.includes(name))
			? `check ${labels} under Lead Fields`
			: `add ${labels} under Lead Fields and drag the right column in${columns.length > 0 ? `, e.g. ${columns.join(' or ')}` : ''}`;
	}
}
