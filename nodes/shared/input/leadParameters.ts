import type { IGetNodeParameterOptions } from 'n8n-workflow';
import { Failure, FirstFailure } from '../failures/failure';
import { EMPTY_FIELD } from '../lead/cells';
import type { Meaning } from '../lead/columnNames';
import { type Lead, NAMES } from '../lead/lead';
import { type Choice, columnKey } from '../lead/plan';
import { LeadReader, sectionsOf } from '../lead/reader';
import { objectFrom } from '../values/json';
import { toText } from '../values/text';
import { type ParameterContext, Parameters, referenceIn, usable } from './parameters';

/** The parameters of a node that asks the lead in an item first, but for the fields that are chosen. */
export class LeadParameters extends Parameters {
	/**
	 * The fields of a lead that the user has added under Lead Fields, or that a tool has, with what each is read from: a
	 * column, else the field itself; an empty text if it was left empty.
	 */
	readonly chosen = new Map<string, string>();

	/** Recognizes what is not chosen; tools have nothing to recognize. */
	readonly leads: LeadReader | undefined;

	/** The fields of the items from which leads were read. */
	readonly fieldsRead = new Set<string>();

	private latest: ({ item: number; values: Map<string, unknown> } & Lead) | undefined;

	constructor(context: ParameterContext, operation: Parameters['operation'] = {}) {
		super(context, operation);
		const choice: Choice = new Map();
		for (const name of Object.keys(operation.lead ?? {})) {
			if (!this.has(name)) continue;
			const raw = this.raw(name);
			const steps = referenceIn(raw) ?? [];
			this.chosen.set(name, raw === '' || raw === '=' ? '' : (steps.at(-1) ?? this.labelOf(name)));
			const [field = '', section = '', ...deeper] = steps.toReversed();
			const key = deeper.length > 0 ? '' : columnKey(section, field);
			for (const meaning of this.meaningsOf(name)) choice.set(meaning, key);
		}
		if (!operation.lead || this.isTool) return;
		// A full name stands for its halves, and a half for the full name.
		const isHalf = choice.has('firstName') || choice.has('lastName');
		const others = choice.has('fullName') ? NAMES : isHalf ? ['fullName' as const] : [];
		for (const one of others) choice.set(one, choice.get(one) ?? '');
		const items = (context.inputs ?? []).map((_, item) => context.json(item));
		this.leads = new LeadReader(items, choice);
	}

	private meaningsOf(name: string): Meaning[] {
		return this.operation.lead?.[name]?.meanings ?? [];
	}

	/**
	 * What an item has of a lead: what is chosen, and what is recognized beside it; with the value of each chosen field,
	 * or why it has none.
	 */
	leadIn(item: number): Lead & { values: Map<string, unknown> } {
		if (this.latest?.item === item) return this.latest;
		const values = new Map<string, unknown>();
		const chosen: Lead = { found: {}, lacking: {} };
		for (const [name, field] of this.chosen) {
			const failure = new FirstFailure();
			const given = failure.of(() => super.get(name, item, ''));
			values.set(name, failure.error ?? given);
			const value = toText(given);
			for (const meaning of this.meaningsOf(name)) {
				if (value !== '') chosen.found[meaning] = { value, field };
				else if (field !== '' && this.leads) chosen.lacking[meaning] = { field, why: EMPTY_FIELD };
			}
		}
		const lead = this.leads?.read(this.json(item), chosen) ?? chosen;
		this.latest = { item, values, ...lead };
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
		const { found: ofLead, values } = this.leadIn(item);
		const own = values.get(name);
		if (own instanceof Failure) throw own;
		const [found] = meanings.flatMap((one) => ofLead[one] ?? []);
		if (found && !this.isTool) this.fieldsRead.add(found.field);
		if (values.has(name)) return own;
		if (!found) return '';
		const onBraces = `Correct the cells of ${found.field} that hold {{ }}.`;
		return usable(found.value, { meanings, label: () => found.field, onBraces });
	}

	/** The fields that say whom an item is about, else which company. */
	subjectIn(item: number): string[] {
		const { found, lacking } = this.leadIn(item);
		// A row whose name is empty begins as the others do.
		const firstOf = (...groups: Meaning[][]) =>
			[found, lacking]
				.flatMap((of) => groups.map((group) => group.flatMap((one) => of[one]?.field ?? [])))
				.find((fields) => fields.length > 0);
		return (
			firstOf(['fullName'], ['firstName', 'lastName']) ?? firstOf(['company'], ['domain']) ?? []
		);
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

	/** What to do where other columns, perhaps these, are to be read as what is needed: for each need, what it may be. */
	toPick(needs: Meaning[][], columns: string[] = []): string {
		const { lead = {} } = this.operation;
		const names = needs.map((meanings) =>
			Object.keys(lead).filter((name) => {
				const isThere = !this.isTool || lead[name].forModel !== undefined;
				return isThere && lead[name].meanings.some((one) => meanings.includes(one));
			}),
		);
		const labels = names.map((ofNeed) => {
			const [first, ...others] = ofNeed.map((name) => this.labelOf(name));
			return others.length > 0 ? `${first} (or ${others.join(' and ')})` : first;
		});
		const all = labels.join(' and ');
		if (this.isTool) return `fill in ${all}`;
		if (names.flat().some((name) => this.chosen.has(name))) return `check ${all} under Lead Fields`;
		const right = needs.length > 1 ? 'the right columns' : 'the right column';
		const examples = columns.length > 0 ? `, e.g. ${columns.join(' or ')}` : '';
		return `add ${all} under Lead Fields and drag ${right} in${examples}`;
	}
}
