import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { root } from '../../machine/paths.mjs';

/** One bar of a chart; without a value there is none, and `note` says why. */
export interface Bar {
	name: string;
	value: number | undefined;
	note: string;
	isOurs: boolean;
}

/** The colours of GitHub's pages, on which the charts are seen. */
const THEMES = {
	light: { ink: '#1f2328', soft: '#59636e', ours: '#0969da', others: '#afb8c1' },
	dark: { ink: '#f0f6fc', soft: '#9198a1', ours: '#4493f8', others: '#656c76' },
} as const;

const WIDTH = 800;
const NAMES = 290;
const ROW = 34;
const HEAD = 44;
const LONGEST = WIDTH - NAMES - 200;

/** Draws bars as SVG, for light and for dark pages: `docs/images/<file>-light.svg`, and `-dark.svg`. */
export async function drawBars(file: string, title: string, bars: readonly Bar[]): Promise<void> {
	for (const [theme, colours] of Object.entries(THEMES)) {
		const svg = barsIn(title, bars, colours);
		await writeFile(join(root, 'docs', 'images', `${file}-${theme}.svg`), svg);
	}
}

function barsIn(
	title: string,
	bars: readonly Bar[],
	{ ink, soft, ours, others }: (typeof THEMES)[keyof typeof THEMES],
): string {
	const most = Math.max(...bars.map(({ value }) => value ?? 0));
	const rows = bars.map(({ name, value, note, isOurs }, index) => {
		const y = HEAD + index * ROW;
		const length = value === undefined ? 0 : Math.max(2, (LONGEST * value) / most);
		return [
			`<text x="${NAMES - 12}" y="${y + 19}" text-anchor="end" fill="${ink}"${isOurs ? ' font-weight="600"' : ''}>${escaped(name)}</text>`,
			`<rect x="${NAMES}" y="${y + 4}" width="${length.toFixed(1)}" height="22" rx="3" fill="${isOurs ? ours : others}"/>`,
			`<text x="${(NAMES + length + 8).toFixed(1)}" y="${y + 19}" fill="${soft}">${escaped(note)}</text>`,
		].join('\n\t');
	});
	const height = HEAD + bars.length * ROW + 8;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13" role="img" aria-label="${escaped(title)}">`,
		`\t<text x="0" y="20" fill="${ink}" font-size="15" font-weight="600">${escaped(title)}</text>`,
		...rows.map((row) => `\t${row}`),
		'</svg>\n',
	].join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
