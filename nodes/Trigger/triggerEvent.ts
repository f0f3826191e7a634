import type {
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';

/** What starts a workflow: its entry in the menu, the fields that only it has, and how it is looked for. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** One poll: the items that start the workflow. */
	poll(context: IPollFunctions): Promise<IDataObject[]>;
}
