import {
	NodeConnectionTypes,
	updateDisplayOptions,
	type IDataObject,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { withClient } from '../shared/client/accounts';
import { simple } from '../shared/editor/fields';
import { CREDENTIAL, type NodeContext } from '../shared/host/context';
import { Parameters } from '../shared/input/parameters';
import { stopError } from '../shared/output/onError';
import { searchLists } from '../shared/reads/listLocator';
import { objectFrom } from '../shared/values/json';
import { lowCredits } from './lowCredits';
import { newLead } from './newLead';
import { problemOf } from '../shared/failures/failure';
import { LIST_NAME } from '../shared/editor/description';

const events = [lowCredits, newLead];

/** How long n8n may take to store what a poll remembers. After that, it has not stored it. */
const STORED_WITHIN_MS = 60_000;

/** A trigger's last poll in this process, with a text of what it remembers. */
type LastPoll = { memory: string; endedAt: number } | 'in progress';

const lastPolls = new Map<string, LastPoll>();

export class ContactDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Contact Data Trigger',
		name: 'contactDataTrigger',
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ $parameter.event === "lowCredits" ? "${lowCredits.option.name}" : ${LIST_NAME} || "${newLead.option.name}" }}`,
		description:
			'Starts the workflow when leads are saved to a list, or when credits run low. Costs no credits.',
		defaults: { name: 'Contact Data Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				'Polls. newLead starts the workflow with each new lead of a saved list, once; lowCredits when the remaining credits fall below a threshold.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{
				displayName: 'Trigger On',
				name: 'event',
				type: 'options',
				noDataExpression: true,
				options: events.map(({ option }) => option),
				default: 'newLead',
			},
			...events.flatMap(({ option, fields }) =>
				updateDisplayOptions({ show: { event: [option.value] } }, fields),
			),
			simple,
		],
	};

	methods = { listSearch: { searchLists } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		if (this.getMode() === 'manual') return outputOf(await pollEvent(this, {}));
		const state = this.getWorkflowStaticData('node');
		// n8n keeps what a trigger remembers by its name, and n8n 1 lets two nodes have the same id.
		const trigger = `${this.getWorkflow().id} ${this.getNode().name}`;
		const last = lastPolls.get(trigger);
		// What n8n has not stored of a poll without items, this process knows.
		const known = objectFrom(state.memory ?? (typeof last === 'object' && last.memory));
		if (last && isTooEarly(last, known)) return null;
		let ended = last;
		lastPolls.set(trigger, 'in progress');
		try {
			const polled = await pollEvent(this, known);
			const { memory = {} } = polled;
			state.memory = memory;
			ended = { memory: toComparable(memory), endedAt: Date.now() };
			// With durable poll cursors, n8n 2.41 forgets what the poll on publishing remembers unless told to
			// store it: leads saved before the next poll would be lost. Elsewhere it is absent or does nothing.
			if (polled.items.length === 0) await this.__commitCursor?.();
			return outputOf(polled);
		} finally {
			if (ended) lastPolls.set(trigger, ended);
			else lastPolls.delete(trigger);
		}
	}
}

/** What a poll gives to n8n: the items that start the workflow, and what the next poll has to know. */
async function pollEvent(context: IPollFunctions, known: IDataObject) {
	try {
		const event = context.getNodeParameter('event');
		const { fields, poll } = events.find(({ option }) => option.value === event) ?? newLead;
		const parameter: NodeContext['parameter'] = (name, _item, ...rest) =>
			context.getNodeParameter(name, ...rest);
		const parameters = new Parameters({ json: () => undefined, parameter }, { fields });
		return await withClient(
			context,
			async (client) => await poll(context, client, parameters, known),
		);
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	}
}

function outputOf({ items }: { items: IDataObject[] }): INodeExecutionData[][] | null {
	return items.length === 0 ? null : [items.map((json) => ({ json }))];
}

/**
 * Whether n8n started this poll before the last one has ended, or before it has stored what that one
 * remembers: then this one would deliver the same again. The next poll delivers what is new.
 */
function isTooEarly(last: LastPoll, known: IDataObject): boolean {
	if (last === 'in progress') return true;
	const isStored = last.memory === toComparable(known);
	// The clock may have been put back.
	return !isStored && Math.abs(Date.now() - last.endedAt) < STORED_WITHIN_MS;
}

/** The same text for the same memory: a database may keep the keys in another order. */
function toComparable(memory: IDataObject): string {
	return JSON.stringify(memory, Object.keys(memory).sort());
}
