import type { IGetNodeParameterOptions } from 'n8n-workflow';
import type { Lead } from '../lead/lead';
import { LeadReader, sectionsOf } from '../lead/reader';
import { objectFrom } from '../values/json';
import { type ParameterContext, Parameters, usable } from './parameters';

/** The parameters of a node that asks the lead in an item first, where Lead Fields recognizes it. */
export class LeadParameters extends Parameters {
	/** Whether the user, or the model of an agent, has chosen the fields. */
	readonly isChosen: boolean;

	private readonly leads: LeadReader | undefined;

	private latest: { item: number; lead: Lead } | undefined;

	/** The fields of the items from which leads were read. */
	readonly fieldsRead = new Set<string>();

	constructor(context: ParameterContext, operation: Parameters['operation'] = {}) {
		super(context, operation);
		const canRecognize = operation.lead !== undefined && !context.isTool;
		this.isChosen = !canRecognize || context.parameter('leadFields', 0, 'auto') === 'manual';
		if (this.isChosen) return;
		this.leads = new LeadReader((context.inputs ?? []).map((_, item) => context.json(item)));
	}

	/** Looks at the columns of an item, which a run decides by: done beforehand, this need not be at once for all items. */
	look(item: number): void {
		this.leads?.look(this.json(item));
	}

	/** What is recognized of the lead in an item; `undefined` where the user chooses the fields. */
	leadIn(item: number): Lead | undefined {
		if (!this.leads) return undefined;
		if (this.latest?.item === item) return this.latest.lead;
		const lead = this.leads.read(this.json(item));
		this.latest = { item, lead };
		return lead;
	}

	override get(
		name: string,
		item: number,
		fallback: unknown,
		options?: IGetNodeParameterOptions,
	): unknown {
		const meanings = this.operation.lead?.[name]?.meanings;
		const lead = meanings && this.leadIn(item);
		if (!lead) return super.get(name, item, fallback, options);
		const meaning = meanings.find((name) => lead.found[name]);
		const found = meaning && lead.found[meaning];
		if (!found) return '';
		this.fieldsRead.add(found.field);
		const onBraces = 'The text is in the data: correct it there.';
		return usable(found.value, { meanings, label: () => found.field, onBraces });
	}

	/** What an earlier lookup has written of the email that an item has; of a recognized one, only its own status. */
	recorded(
		name: 'lookupStatus' | 'lookupReason' | 'emailStatus' | 'checkedAt',
		item: number,
	): unknown {
		const lead = this.leadIn(item);
		if (lead && name === 'emailStatus') return lead.found.emailStatus?.value;
		const sections = [...sectionsOf(objectFrom(this.json(item))).values()];
		return sections.map((fields) => fields[name] ?? '').find((value) => value !== '');
	}

	/** From which fields of the items leads were read, in words; `undefined` where none was recognized. */
	get readFrom(): string | undefined {
		return this.fieldsRead.size > 0 ? `Read from: ${[...this.fieldsRead].join(', ')}` : undefined;
	}
}
