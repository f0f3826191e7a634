/** @file Spreadsheets as people have them, made and read with the library that an n8n brings along. */

import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Text in rows; the first one has the names of the columns. */
export type Cells = ReadonlyArray<readonly string[]>;

/** A file as a browser sends it. */
export interface UploadedFile {
	readonly name: string;
	readonly type: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What is used of SheetJS. */
interface SheetJs {
	read(bytes: Uint8Array): { SheetNames: string[]; Sheets: Record<string, unknown> };
	write(workbook: object, options: { type: 'buffer'; bookType: string }): Buffer;
	utils: {
		aoa_to_sheet(cells: Cells): unknown;
		sheet_to_json(sheet: unknown, options: { defval: '' }): Array<Record<string, string | number>>;
	};
}

const CSV = 'text/csv';
const WINDOWS_EXCEL = 'application/vnd.ms-excel';

/** By their extensions, as SheetJS and browsers call them. */
const WORKBOOKS = {
	xlsx: {
		bookType: 'xlsx',
		type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	},
	xls: { bookType: 'biff8', type: WINDOWS_EXCEL },
	ods: { bookType: 'ods', type: 'application/vnd.oasis.opendocument.spreadsheet' },
} as const;

/** The same rows in each kind of CSV file that people have. */
export function csvFilesOf(cells: Cells): UploadedFile[] {
	const linkedIn = `Notes:\n"When exporting your data, you may notice that some emails are ""missing"""\n\n`;
	return [
		file('comma.csv', CSV, csvOf(cells, ',')),
		// So browsers on Windows send it where Excel is installed.
		file('semicolon.CSV', WINDOWS_EXCEL, csvOf(cells, ';')),
		file('comma-bom.csv', CSV, `\uFEFF${csvOf(cells, ',')}`),
		file('semicolon-bom.csv', CSV, `\uFEFF${csvOf(cells, ';', '\r\n')}`),
		file('tab.csv', CSV, csvOf(cells, '\t')),
		// Excel goes by its first line.
		file('sep.csv', CSV, `sep=;\r\n${csvOf(cells, ';', '\r\n')}`),
		file('windows-1252.csv', CSV, Buffer.from(csvOf(cells, ';', '\r\n'), 'latin1')),
		file('Connections.csv', CSV, `${linkedIn}${csvOf(cells, ',')}`),
	];
}

/** The same rows in each kind of spreadsheet that n8n reads besides. */
export function workbooksOf(cells: Cells, hostFolder: string): UploadedFile[] {
	const { write, utils } = sheetJsOf(hostFolder);
	const workbook = { SheetNames: ['People'], Sheets: { People: utils.aoa_to_sheet(cells) } };
	return Object.entries(WORKBOOKS).map(([extension, { bookType, type }]) =>
		file(`${extension}-file.${extension}`, type, write(workbook, { type: 'buffer', bookType })),
	);
}

/** The rows of an Excel file, by the names of its columns. */
export function readExcel(
	bytes: Uint8Array,
	hostFolder: string,
): Array<Record<string, string | number>> {
	const { read, utils } = sheetJsOf(hostFolder);
	const { SheetNames, Sheets } = read(bytes);
	return utils.sheet_to_json(Sheets[SheetNames[0] ?? ''], { defval: '' });
}

function csvOf(cells: Cells, separator: string, lineEnd = '\n'): string {
	const quoted = (cell: string) =>
		cell.includes(separator) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
	return cells.map((row) => row.map(quoted).join(separator) + lineEnd).join('');
}

function file(name: string, type: string, content: string | Buffer): UploadedFile {
	return { name, type, bytes: Uint8Array.from(Buffer.from(content)) };
}

function sheetJsOf(hostFolder: string): SheetJs {
	const fromHost = createRequire(join(hostFolder, 'node_modules/n8n-nodes-base/package.json'));
	try {
		return fromHost('@e965/xlsx');
	} catch {
		// n8n 1
		return fromHost('xlsx');
	}
}
