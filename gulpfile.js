/** @file Derives every icon from its master drawing: `gulp icons` writes them, `gulp icons:check` compares. */

const { readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { optimize } = require('svgo');

const ICONS = join(__dirname, 'icons');
const MASTERS = join(ICONS, 'masters');

/**
 * What each colour token of a master, `var(--token)`, stands for in the file of each theme.
 *
 * @type {Record<string, Record<string, string>>}
 */
const PALETTES = {
	'.svg': { ink: '#1b2b4b', accent: '#0d9488', tint: '#dcebf2', paper: '#ffffff' },
	'.dark.svg': { ink: '#e9f0f7', accent: '#2dd4bf', tint: '#3d4f63', paper: '#10243a' },
};

/**
 * The names of the SVG files in a folder, in one order everywhere.
 *
 * @param {string} folder
 */
async function drawings(folder) {
	return (await readdir(folder)).filter((file) => file.endsWith('.svg')).sort();
}

/**
 * One master in the colours of one theme, optimised; its ids are prefixed, so that icons can share a page.
 *
 * @param {string} master
 * @param {string} name
 * @param {Record<string, string>} palette
 */
function derive(master, name, palette) {
	const coloured = master.replace(/var\(--([\w-]+)\)/g, (_, token) => {
		if (palette[token]) return palette[token];
		throw new Error(`icons/masters/${name}.svg: no palette has the colour "${token}"`);
	});
	const { data } = optimize(coloured, {
		multipass: true,
		plugins: ['preset-default', { name: 'prefixIds', params: { prefix: name } }],
	});
	return `${data}\n`;
}

/**
 * Every derived file the masters call for: its name and its text.
 *
 * @returns {Promise<Map<string, string>>}
 */
async function derived() {
	const files = new Map();
	for (const file of await drawings(MASTERS)) {
		const name = file.slice(0, -'.svg'.length);
		const master = await readFile(join(MASTERS, file), 'utf8');
		for (const [suffix, palette] of Object.entries(PALETTES)) {
			files.set(name + suffix, derive(master, name, palette));
		}
	}
	return files;
}

/** Writes the derived files, and removes those whose master is gone. */
async function icons() {
	const files = await derived();
	for (const [file, text] of files) await writeFile(join(ICONS, file), text);
	for (const file of await drawings(ICONS)) if (!files.has(file)) await rm(join(ICONS, file));
}

/** Fails, naming each derived file that is missing, out of date or without a master. */
async function check() {
	const files = await derived();
	const present = await drawings(ICONS);
	const faults = present
		.filter((file) => !files.has(file))
		.map((file) => `icons/${file} has no master`);
	for (const [file, text] of files) {
		if (!present.includes(file)) faults.push(`icons/${file} is missing`);
		else if ((await readFile(join(ICONS, file), 'utf8')) !== text) {
			faults.push(`icons/${file} is out of date`);
		}
	}
	if (faults.length > 0) throw new Error([...faults.sort(), 'run npm run icons'].join('\n'));
}

exports.default = icons;
exports.icons = icons;
exports['icons:check'] = check;
