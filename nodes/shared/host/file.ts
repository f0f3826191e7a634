import type { IDataObject } from 'n8n-workflow';
import { OF_COMPANY, OF_LOOKUP } from '../failures/names';

/** The columns that a lookup puts first, with the byte order mark of a CSV file: n8n reads that as a part of the name. */
const MARKED = [OF_LOOKUP, OF_COMPANY].map(({ status }) => `\uFEFF${status}`);

/** An item as a lookup wrote it, before it went through a file. Returns any other item as it is. */
export function asBeforeFile(item: IDataObject): IDataObject {
	const marked = MARKED.find((name) => name in item);
	if (marked === undefined) return item;
	const { [marked]: status, ...others } = item;
	return { [marked.slice(1)]: status, ...others };
}
